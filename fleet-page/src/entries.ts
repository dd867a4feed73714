// The rows of the list: what needs a person first, then the sessions.

import { choicesOf } from "./choices.ts";
import type { OpenQuestion, Parked, Session, Snapshot } from "./snapshot.ts";

export const KINDS = [
  { id: "question", label: "Questions", word: "Question", about: "Tool calls that wait for the decision of a person" },
  { id: "parked", label: "Parked", word: "Parked", about: "Prompts that failed too often or were set aside; their sessions continue without them" },
  { id: "running", label: "Running", word: "Running", about: "Sessions whose prompt a host answers" },
  { id: "ready", label: "Ready", word: "Ready", about: "Sessions that wait for a free slot" },
  { id: "delayed", label: "Delayed", word: "Delayed", about: "Sessions that wait for a set time, or for the next attempt" },
  { id: "deferred", label: "Deferred", word: "Deferred", about: "Sessions that wait for an answer; nothing runs meanwhile" },
] as const;

export type Kind = (typeof KINDS)[number]["id"];

export interface Entry {
  /** Stays the same while a prompt changes its state, so that a selection follows it. */
  key: string;
  kind: Kind;
  session: string;
  tenant: string;
  work: string;
  title: string;
  /** Why the prompt failed or was parked. */
  reason: string | undefined;
  host: string | undefined;
  attempts: number;
  /** Since when this has been waiting for an answer. */
  since: number;
  source: Source;
}

/** What an entry was made from. */
export type Source = { is: "session"; session: Session } | { is: "parked"; parked: Parked } | { is: "question"; open: OpenQuestion };

/** Returns the entries of a snapshot: questions, parked prompts, sessions. */
export function entriesOf(snapshot: Snapshot): Entry[] {
  return [...snapshot.questions.map(ofQuestion), ...snapshot.parked.map(ofParked), ...snapshot.sessions.map(ofSession)];
}

/** Returns the entries of a kind that have the text in one of their members, in any case. */
export function select(entries: Entry[], kind: Kind | undefined, query: string): Entry[] {
  const wanted = query.trim().toLowerCase();
  return entries.filter((entry) => (kind === undefined || entry.kind === kind) && (wanted === "" || textOf(entry).includes(wanted)));
}

const texts = new WeakMap<Entry, string>();

function textOf(entry: Entry): string {
  let text = texts.get(entry);
  if (text === undefined) {
    const input = entry.source.is === "question" ? JSON.stringify(entry.source.open.question.input) : "";
    const members = [entry.kind, entry.session, entry.tenant, entry.work, entry.key, entry.title, entry.reason, entry.host, input];
    text = members.join("\n").toLowerCase();
    texts.set(entry, text);
  }
  return text;
}

function ofQuestion(open: OpenQuestion): Entry {
  const { question } = open;
  return {
    key: `question ${question.id}`,
    kind: "question",
    session: question.session,
    tenant: question.tenant,
    work: question.work,
    title: titleOf(question),
    reason: undefined,
    host: undefined,
    attempts: 0,
    since: open.asked,
    source: { is: "question", open },
  };
}

function ofParked(parked: Parked): Entry {
  return {
    key: `work ${parked.work}`,
    kind: "parked",
    session: parked.session,
    tenant: parked.tenant,
    work: parked.work,
    title: parked.prompt,
    reason: parked.reason ?? undefined,
    host: undefined,
    attempts: parked.attempts,
    since: parked.created,
    source: { is: "parked", parked },
  };
}

function ofSession(session: Session): Entry {
  return {
    key: `work ${session.work}`,
    kind: session.state,
    session: session.name,
    tenant: session.tenant,
    work: session.work,
    title: session.prompt,
    reason: session.reason ?? undefined,
    host: session.state === "running" ? (session.host ?? undefined) : undefined,
    attempts: session.attempts,
    since: session.created,
    source: { is: "session", session },
  };
}

/** Returns what is asked: the questions of the model, or the tool with its input. */
function titleOf(question: OpenQuestion["question"]): string {
  const choices = choicesOf(question);
  if (choices.length > 0) return choices.map(({ text }) => text).join(" ");
  return `${question.tool} ${summary(question.input)}`.trimEnd();
}

/** Returns the members of an input on one line. */
function summary(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const members = Object.entries(input).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return members.join(", ").replaceAll(/\s+/g, " ").slice(0, 200);
}
