// A snapshot for tests.

import type { Snapshot } from "../src/snapshot.ts";

export const NOW = 1_795_000_000_000;

/** Returns a snapshot with one of everything. */
export function snapshot(): Snapshot {
  const session = { tenant: "acme", priority: 0, ready_at: NOW - 5000, created: NOW - 5000, started: null, queued: 1, attempts: 0, host: null, reason: null, stopping: false };
  return {
    now: NOW,
    queue: { queued: 3, delayed: 1, running: 1, deferred: 1, parked: 1, sessions: 4, questions: 1, oldest: { work: "w-4", session: "dora", created: NOW - 90_000 } },
    hosts: [{ name: "agents-1", incarnation: "i-1", slots: 4, active: 1, draining: false, since: NOW - 60_000, alive_until: NOW + 9000 }],
    sessions: [
      { ...session, name: "dora", state: "deferred", work: "w-4", prompt: "Refund 5 dollars", created: NOW - 90_000 },
      { ...session, name: "ada", state: "running", work: "w-1", prompt: "Charge 1 dollar", host: "agents-1", started: NOW - 4000 },
      { ...session, name: "bob", state: "ready", work: "w-2", prompt: "Charge 2 dollars" },
      { ...session, name: "cleo", state: "delayed", work: "w-3", prompt: "Charge 3 dollars", attempts: 2, reason: "the CLI exited" },
    ],
    parked: [{ work: "w-9", session: "eve", tenant: "evil", prompt: "Crash", attempts: 5, reason: "host agents-1 died", created: NOW - 70_000, parked: NOW - 20_000 }],
    questions: [{ question: { id: "q-1", work: "w-4", session: "dora", tenant: "acme", tool: "mcp__bank__refund", input: { dollars: 5, to: "Dora  B." } }, asked: NOW - 80_000, expires: NOW + 3_600_000 }],
  };
}
