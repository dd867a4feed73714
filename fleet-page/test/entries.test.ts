import assert from "node:assert/strict";
import { test } from "node:test";

import { choicesOf } from "../src/choices.ts";
import { entriesOf, select } from "../src/entries.ts";
import { NOW, snapshot } from "./snapshots.ts";

const sessionsOf = (entries: { session: string }[]) => entries.map(({ session }) => session);

test("questions and parked prompts come before the sessions", () => {
  const entries = entriesOf(snapshot());
  assert.deepEqual(entries.map(({ kind }) => kind), ["question", "parked", "deferred", "running", "ready", "delayed"]);
  assert.deepEqual(sessionsOf(entries), ["dora", "eve", "dora", "ada", "bob", "cleo"]);
});

test("a question is shown with its tool and its input on one line", () => {
  const [question] = entriesOf(snapshot());
  assert.equal(question!.title, "mcp__bank__refund dollars: 5, to: Dora B.");
  assert.equal(question!.since, NOW - 80_000);
});

test("a question of the model is shown with its text", () => {
  const { questions, ...rest } = snapshot();
  const asked = { ...questions[0]!.question, tool: "AskUserQuestion", input: { questions: [{ question: "Which colour?", options: [{ label: "Red" }, 5] }, { question: "And size?" }, 7] } };
  const [entry] = entriesOf({ ...rest, questions: [{ ...questions[0]!, question: asked }] });
  assert.equal(entry!.title, "Which colour? And size?");
  assert.deepEqual(choicesOf(asked)[0], { text: "Which colour?", several: false, options: [{ label: "Red", description: "" }] });
});

test("a prompt keeps its key when it is parked and retried", () => {
  const before = entriesOf(snapshot());
  const after = snapshot();
  const { work, session, tenant, prompt, attempts, created } = after.parked.pop()!;
  after.sessions.push({ name: session, tenant, state: "ready", priority: 0, ready_at: NOW, work, prompt, created, started: null, queued: 1, attempts, host: null, reason: null, stopping: false });
  const keys = (entries: typeof before) => entries.filter(({ session }) => session === "eve").map(({ key }) => key);
  assert.deepEqual(keys(entriesOf(after)), keys(before));
});

test("a host is named only while it runs the prompt", () => {
  const stale = snapshot();
  stale.sessions[2]!.host = "agents-0";
  const [ada, bob] = ["ada", "bob"].map((name) => entriesOf(stale).find(({ session }) => session === name)!);
  assert.equal(ada!.host, "agents-1");
  assert.equal(bob!.host, undefined);
});

test("search finds names, tenants, ids, reasons, hosts and inputs in any case", () => {
  const entries = entriesOf(snapshot());
  const found = (query: string) => sessionsOf(select(entries, undefined, query));
  assert.deepEqual(found("  EVIL "), ["eve"]);
  assert.deepEqual(found("w-4"), ["dora", "dora"]);
  assert.deepEqual(found("exited"), ["cleo"]);
  assert.deepEqual(found("agents-1"), ["eve", "ada"]);
  assert.deepEqual(found("dora  b."), ["dora"]);
  assert.deepEqual(found("nothing like it"), []);
});

test("a state can be chosen together with a search", () => {
  const entries = entriesOf(snapshot());
  assert.deepEqual(sessionsOf(select(entries, "ready", "")), ["bob"]);
  assert.deepEqual(sessionsOf(select(entries, "ready", "charge 3")), []);
});
