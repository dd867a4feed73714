// Reads the lines of a recording, version 1: a header, then one event per line.

/** The version of the format that this page reads. */
export const VERSION = 1;

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The first line of a recording. */
export interface Header {
  version: number;
  /** The version of the SDK that wrote the recording. */
  sdk?: string;
  /** The wall time at `t` 0, in milliseconds since the epoch. */
  started?: number;
  cli?: string;
  redacted: boolean;
}

/** Who produced an event. `recorder` is the recording itself, which ended early. */
export type Side = "host" | "cli" | "stderr" | "process" | "recorder";

/** One line of a recording. */
export interface RecordedEvent {
  /** The line of the file, counted from 1. The header is line 1. */
  line: number;
  /** Microseconds since the start. */
  t: number;
  side: Side;
  /** The line on the wire, or the text, status or reason of another event. */
  value: Json;
  /** The name of the member with the value, such as `cli_text`. */
  member: string;
}

/** What one line of the file contains. */
export type Line =
  | { kind: "header"; header: Header }
  | { kind: "event"; event: RecordedEvent }
  | { kind: "blank" }
  | { kind: "problem"; problem: string };

const SIDES: Record<string, Side> = {
  host: "host",
  cli: "cli",
  cli_text: "cli",
  stderr: "stderr",
  end: "process",
  exit: "process",
  stopped: "recorder",
};

/** Reads the line with this number. */
export function readLine(text: string, line: number): Line {
  if (text.trim() === "") return { kind: "blank" };
  const value = parseJson(text);
  if (!isObject(value)) {
    return problem(
      line === 1
        ? "This is not a recording: the first line is not a header."
        : `Line ${line} is incomplete and was ignored.`,
    );
  }
  if (line === 1) return readHeader(value);
  if (typeof value["t"] !== "number") return problem(`Line ${line} has no time and was ignored.`);
  for (const [member, side] of Object.entries(SIDES)) {
    const content = value[member];
    if (content !== undefined) {
      return { kind: "event", event: { line, t: value["t"], side, value: content, member } };
    }
  }
  return problem(`Line ${line} has no event that this page knows and was ignored.`);
}

function readHeader(value: JsonObject): Line {
  const version = value["inhouse_recording"];
  if (typeof version !== "number") {
    return problem("This is not a recording: the first line is not a header.");
  }
  if (version > VERSION) {
    return problem(
      `The recording has version ${version}; this page reads version ${VERSION}. Update inhouse-cli.`,
    );
  }
  const header: Header = { version, redacted: value["redacted"] === true };
  if (typeof value["inhouse"] === "string") header.sdk = value["inhouse"];
  if (typeof value["cli"] === "string") header.cli = value["cli"];
  const started = typeof value["started"] === "string" ? Date.parse(value["started"]) : NaN;
  if (!Number.isNaN(started)) header.started = started;
  return { kind: "header", header };
}

function problem(text: string): Line {
  return { kind: "problem", problem: text };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the member of an object, or an empty object. */
export function objectAt(value: Json | undefined, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

export function stringAt(value: Json | undefined, name: string): string | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return typeof member === "string" ? member : undefined;
}

export function numberAt(value: Json | undefined, name: string): number | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return typeof member === "number" ? member : undefined;
}

export function arrayAt(value: Json | undefined, name: string): Json[] {
  const member = isObject(value) ? value[name] : undefined;
  return Array.isArray(member) ? member : [];
}
