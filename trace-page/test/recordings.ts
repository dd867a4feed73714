// Makes recordings for tests from the recorded lines of the real CLI in `inhouse-proto`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const FIXTURES = join(import.meta.dirname, "../../crates/inhouse-proto/fixtures/2.1.325");

type Event = { [member: string]: unknown };

export const HEADER = {
  inhouse_recording: 1,
  inhouse: "0.1.0",
  started: "2026-11-17T09:30:00.250Z",
  cli: "/usr/local/bin/claude",
  redacted: true,
};

/** Returns the events of a fixture in their recorded order, with times that a session could have. */
export function fixture(name: string, start = 0): Event[] {
  const read = (file: string) => readFileSync(join(FIXTURES, `${name}.${file}`), "utf8").trimEnd().split("\n");
  const [input, output] = [read("in.jsonl"), read("out.jsonl")];
  let t = start;
  return read("order").map((step) => {
    const [side, end] = step.split(" ");
    if (end === "end") return { t, end: side === "in" ? "host" : "cli" };
    const line = JSON.parse((side === "in" ? input : output).shift()!) as Event;
    t += pause(line);
    return side === "in" ? { t, host: line } : { t, cli: line };
  });
}

/** Returns microseconds before a line: the model takes longest, the host a little. */
function pause(line: Event): number {
  const type = line["type"];
  if (type === "assistant") return 1_900_000;
  if (type === "stream_event") return 60_000;
  if (type === "user") return 350_000;
  return type === "control_response" ? 12_000 : 1_500;
}

/** Returns the lines of a recording with these events. */
export function recording(...events: Event[]): string {
  return [HEADER, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Returns a session with all kinds of items: tools, hooks, permissions, a subagent, an error, a retry. */
export function session(round = 0): Event[] {
  const names = ["mcp_in_process", "asked_and_denied", "failing_tool", "subagent", "partial_messages", "retries"];
  const events: Event[] = [];
  for (const [index, name] of names.entries()) {
    const start = (events.at(-1)?.["t"] as number | undefined) ?? 0;
    const part = fixture(name, start + 400_000).filter((event) => event["end"] === undefined);
    // All parts are one session, so only the first initializes it, and ids must differ.
    const lines = part.filter((event) => index === 0 || !JSON.stringify(event).includes("\"h1\""));
    events.push(...lines.map((event) => distinct(event, round * names.length + index)));
    if (index === 1) events.push(...hook(events, round));
  }
  const end = events.at(-1)!["t"] as number;
  return [...events, { t: end + 1000, end: "host" }, { t: end + 90_000, end: "cli" }, { t: end + 95_000, exit: { code: 0 } }];
}

/** A hook in the process of the host; the fixtures have only hooks that are commands. */
function hook(before: Event[], round: number): Event[] {
  const t = (before.at(-1)!["t"] as number) + 500;
  const input = { hook_event_name: "Stop", session_id: "00000000-0000-4000-8000-000000000002", stop_hook_active: false };
  const request = { subtype: "hook_callback", callback_id: "hook_0", input };
  const response = { subtype: "success", request_id: `hook-${round}`, response: { decision: "block", reason: "The tests do not pass yet." } };
  return [
    { t, cli: { type: "control_request", request_id: `hook-${round}`, request } },
    { t: t + 230_000, host: { type: "control_response", response } },
  ];
}

/** Returns `size` events or a few more: the same session again and again. */
export function large(size: number): Event[] {
  const events: Event[] = [];
  for (let round = 0; events.length < size; round += 1) {
    const start = (events.at(-1)?.["t"] as number | undefined) ?? 0;
    const part = session(round).filter((event) => event["end"] === undefined && event["exit"] === undefined);
    events.push(...part.map((event) => ({ ...event, t: (event["t"] as number) + start + 800_000 })));
  }
  return events;
}

/** Changes the ids of tool calls, messages, tasks and prompts, which are the same in every fixture. */
function distinct(event: Event, number: number): Event {
  const text = JSON.stringify(event)
    .replaceAll(/"(toolu_|msg_scripted_|task-|h)(\d+)"/g, `"$1${number}_$2"`)
    .replaceAll(/"(00000000-0000-4000-[89]000-)(\d{12})"/g, (_, head: string, tail: string) => `"${head}${number}${tail.slice(String(number).length)}"`);
  return JSON.parse(text) as Event;
}
