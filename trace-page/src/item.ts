// The model of the page: what happened in a session, as a tree of items with times.

import type { Json, RecordedEvent } from "./recording.ts";

/** The lanes from top to bottom. */
export const LANES = [
  { id: "turn", label: "Turns", about: "A prompt and everything until its result" },
  { id: "model", label: "Model", about: "Answers of the model: text and thinking" },
  { id: "tool", label: "Tools", about: "Tool calls, in your process and elsewhere" },
  { id: "hook", label: "Hooks", about: "Hooks, in your process and as commands" },
  { id: "permission", label: "Permissions", about: "Questions that the CLI asks before it acts" },
  { id: "control", label: "Control", about: "Requests of your program to the CLI" },
  { id: "subagent", label: "Subagents", about: "Subagents and background commands" },
  { id: "session", label: "Session", about: "Start, end, retries, stderr" },
  { id: "protocol", label: "Protocol", about: "Handshakes and state changes" },
] as const;

export type Lane = (typeof LANES)[number]["id"];

/** How an item ended. An `open` item has no answer yet. */
export type State = "open" | "ok" | "warning" | "error";

/** Tokens of a model request, a turn or a session. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A place in the file where an event is. */
export interface EventRef {
  line: number;
  t: number;
  side: RecordedEvent["side"];
  /** The type of the event, such as `control_request / mcp_message`. */
  label: string;
}

/** A part of an item that is shown as text or JSON before the raw events. */
export interface Part {
  label: string;
  value: Json;
  /** Long parts that are rarely read, such as thinking. */
  collapsed?: boolean;
  failed?: boolean;
}

export interface Item {
  id: number;
  lane: Lane;
  /** A short word before the title, such as `in process`. */
  kind: string;
  title: string;
  /** What the title is about, such as the input of a tool. */
  subject?: string;
  /** The result in a few words, such as `allowed`. */
  outcome?: string;
  /** Microseconds since the start. An instant has no end. */
  start: number;
  end?: number;
  /** The time in the user's handler: a tool in this process, within `start` and `end`. */
  ran?: { start: number; end?: number };
  state: State;
  /** What failed, or why there is a warning. */
  reason?: string;
  parts: Part[];
  tokens?: Tokens;
  cost?: number;
  /** Names and values of the details, such as the model. */
  facts: [string, string][];
  events: EventRef[];
  parent?: Item;
  children: Item[];
  /** Items about the same tool call. */
  toolUseId?: string;
}

/** Numbers of the whole session. */
export interface Totals {
  turns: number;
  toolCalls: number;
  errors: number;
  tokens: Tokens;
  cost: number;
}

export function noTokens(): Tokens {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
}

export function addTokens(to: Tokens, more: Tokens): void {
  to.input += more.input;
  to.output += more.output;
  to.cacheRead += more.cacheRead;
  to.cacheWrite += more.cacheWrite;
}
