// What the server sends: the state of the fleet, as `inhouse fleet status --json` prints it. Times are milliseconds of the database's clock.

import type { Json } from "../../trace-page/src/recording.ts";

export interface Snapshot {
  now: number;
  queue: Queue;
  hosts: Host[];
  /** Sessions with open work, the one with the oldest prompt first. */
  sessions: Session[];
  parked: Parked[];
  questions: OpenQuestion[];
}

/** Complete counts, also where a list is cut. */
export interface Queue {
  queued: number;
  delayed: number;
  running: number;
  deferred: number;
  parked: number;
  sessions: number;
  questions: number;
  oldest: { work: string; session: string; created: number } | null;
}

export interface Host {
  name: string;
  incarnation: string;
  slots: number;
  active: number;
  draining: boolean;
  since: number;
  alive_until: number;
}

export type SessionState = "delayed" | "ready" | "running" | "deferred";

export interface Session {
  name: string;
  tenant: string;
  state: SessionState;
  priority: number;
  ready_at: number;
  work: string;
  prompt: string;
  created: number;
  started: number | null;
  queued: number;
  attempts: number;
  host: string | null;
  reason: string | null;
  stopping: boolean;
}

export interface Parked {
  work: string;
  session: string;
  tenant: string;
  prompt: string;
  attempts: number;
  reason: string | null;
  created: number;
  parked: number;
}

export interface OpenQuestion {
  question: { id: string; work: string; session: string; tenant: string; tool: string; input: Json };
  asked: number;
  expires: number;
}

const EMPTY: Snapshot = {
  now: 0,
  queue: { queued: 0, delayed: 0, running: 0, deferred: 0, parked: 0, sessions: 0, questions: 0, oldest: null },
  hosts: [],
  sessions: [],
  parked: [],
  questions: [],
};

/** Returns the snapshot with the members that a message of the server has. */
export function merge(before: Snapshot | undefined, message: string): Snapshot {
  return { ...(before ?? EMPTY), ...(JSON.parse(message) as Partial<Snapshot>) };
}

/** Returns the number of sessions in a state, from the complete counts. */
export function sessionsIn(queue: Queue, state: SessionState): number {
  if (state !== "ready") return queue[state];
  return Math.max(0, queue.sessions - queue.running - queue.deferred - queue.delayed);
}
