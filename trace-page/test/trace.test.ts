import assert from "node:assert/strict";
import { test } from "node:test";

import type { Item, Lane } from "../src/item.ts";
import { Trace } from "../src/trace.ts";
import { fixture, large, recording, session } from "./recordings.ts";

function traceOf(text: string): Trace {
  const trace = new Trace();
  trace.addLines(text);
  return trace;
}

function played(name: string): Trace {
  return traceOf(recording(...fixture(name)));
}

function items(trace: Trace, lane: Lane): Item[] {
  return trace.items.filter((item) => item.lane === lane);
}

test("a turn lasts from its prompt to its result and has tokens and cost", () => {
  const trace = played("two_turns");
  const turns = items(trace, "turn");
  assert.equal(turns.length, 2);
  for (const turn of turns) {
    assert.equal(turn.state, "ok");
    assert.ok(turn.end! > turn.start);
    assert.deepEqual(turn.tokens, { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 });
    assert.equal(turn.cost?.toFixed(6), "0.000105");
  }
  assert.equal(trace.totals().cost.toFixed(6), "0.000210");
});

test("a tool in the process joins the model's call, the request and the result", () => {
  const trace = played("mcp_in_process");
  const [tool, ...others] = items(trace, "tool");
  assert.equal(others.length, 0);
  assert.equal(tool!.title, "add");
  assert.equal(tool!.subject, "a: 15, b: 27");
  assert.equal(tool!.kind, "in process · calc");
  assert.equal(tool!.outcome, "42");
  assert.deepEqual(tool!.events.map((event) => event.side), ["cli", "cli", "host", "cli"]);
  assert.equal(tool!.ran!.end! - tool!.ran!.start, 12_000);
  assert.equal(tool!.parent!.lane, "turn");
  assert.equal(items(trace, "protocol").filter((item) => item.kind === "MCP").length, 3);
});

test("a call that names no tool use is that of the oldest call of the tool", () => {
  const events = fixture("mcp_in_process").map((event) => JSON.parse(JSON.stringify(event).replace('"claudecode/toolUseId":"toolu_1",', "")) as typeof event);
  const tools = items(traceOf(recording(...events)), "tool");
  assert.equal(tools.length, 1);
  assert.ok(tools[0]!.ran);
});

test("failed tools are errors with their text", () => {
  const tools = items(played("failing_tool"), "tool");
  assert.deepEqual(tools.map((tool) => tool.state), ["error", "error"]);
  assert.match(tools[0]!.reason!, /oh no/);
});

test("permission questions have the answer of the host", () => {
  const [allowed] = items(played("asked_and_allowed"), "permission");
  assert.equal(allowed!.title, "Write");
  assert.equal(allowed!.outcome, "allowed");
  assert.equal(allowed!.state, "ok");
  const [denied] = items(played("asked_and_denied"), "permission");
  assert.match(denied!.outcome!, /^denied/);
  assert.equal(denied!.state, "warning");
});

test("hooks are commands or in the process", () => {
  const commands = items(played("hooks"), "hook");
  assert.ok(commands.length >= 5);
  assert.ok(commands.every((hook) => hook.kind === "command" && hook.end !== undefined));
  const [callback] = items(traceOf(recording(...session())), "hook");
  assert.equal(callback!.kind, "in process");
  assert.equal(callback!.outcome, "blocked: The tests do not pass yet.");
});

test("a subagent has its messages and tools below it", () => {
  const trace = played("subagent");
  const [agent, ...others] = items(trace, "subagent");
  assert.equal(others.length, 0);
  assert.equal(agent!.kind, "mathematician");
  assert.equal(agent!.state, "ok");
  assert.deepEqual(agent!.children.map((child) => child.lane), ["model", "tool", "model"]);
  assert.equal(items(trace, "turn").length, 1);
});

test("a background command is an item that ends with its notification", () => {
  const [task] = items(played("background_command"), "subagent");
  assert.equal(task!.kind, "background");
  assert.equal(task!.title, "Compute slowly");
  assert.ok(task!.end! > task!.start);
});

test("streamed messages are one item with the whole text", () => {
  const models = items(played("partial_messages"), "model");
  const streamed = models.filter((model) => model.events.length > 5);
  assert.ok(streamed.length > 0);
  for (const model of streamed) {
    const texts = model.parts.filter((part) => part.label === "Text");
    assert.equal(new Set(texts.map((part) => part.value)).size, texts.length);
    assert.ok(model.facts.some(([name]) => name === "First token after"));
  }
});

test("an interrupted turn is a warning and keeps what was streamed", () => {
  const trace = played("interrupt");
  const turn = items(trace, "turn")[0]!;
  assert.equal(turn.outcome, "interrupted");
  assert.equal(turn.state, "warning");
  assert.ok(items(trace, "model")[0]!.title.startsWith("This will take"));
});

test("refused requests and API errors are errors", () => {
  assert.equal(items(played("refused_requests"), "control").filter((item) => item.state === "error").length, 6);
  const trace = played("api_error");
  assert.equal(items(trace, "turn")[0]!.state, "error");
  assert.equal(items(trace, "model")[0]!.state, "error");
});

test("every event of every fixture belongs to an item", () => {
  const names = ["changes", "compaction", "denied", "hooks", "interrupt", "local_commands", "questions", "refusal", "retries", "subagent"];
  for (const name of names) {
    const events = fixture(name);
    const trace = traceOf(recording(...events));
    assert.deepEqual(trace.problems, []);
    for (let line = 2; line <= events.length + 1; line += 1) assert.ok(trace.itemOfLine(line), `${name} line ${line}`);
  }
});

test("requests without an answer stay open, and cancelled ones do not", () => {
  const request = { type: "control_request", request_id: "r", request: { subtype: "can_use_tool", tool_name: "Bash", input: {} } };
  const open = traceOf(recording({ t: 1, cli: request }));
  assert.equal(open.items[0]!.state, "open");
  open.addLine(JSON.stringify({ t: 5, cli: { type: "control_cancel_request", request_id: "r" } }));
  assert.equal(open.items[0]!.state, "warning");
  assert.equal(open.items[0]!.end, 5);
});

test("process events are items, and a bad exit is an error", () => {
  const trace = traceOf(recording({ t: 1, stderr: "one" }, { t: 2, stderr: "two" }, { t: 3, cli_text: "oops" }, { t: 4, exit: { signal: 9 } }));
  assert.deepEqual(trace.items.map((item) => [item.title, item.state]), [["one", "ok"], ["oops", "warning"], ["The CLI was killed by signal 9", "error"]]);
  assert.equal(trace.items[0]!.parts[0]!.value, "one\ntwo");
  assert.ok(trace.ended);
});

test("a torn line, an early end and a missing header are named", () => {
  assert.deepEqual(traceOf(`${recording({ t: 1, stderr: "x" })}{"t":2,"cl`).problems, ["Line 3 is incomplete and was ignored."]);
  assert.deepEqual(traceOf(recording({ t: 1, stopped: "disk full" })).problems, ["The recording ended early: disk full"]);
  const other = traceOf('{"t":1,"cli":{}}\n{"t":2,"cli":{}}\n');
  assert.deepEqual([other.problems.length, other.items.length], [1, 0]);
  assert.match(traceOf('{"inhouse_recording":2}\n').problems[0]!, /version 2/);
});

test("lines of unexpected shapes do not stop the rest", () => {
  const shapes = [null, 1, "text", [], {}, { type: "assistant" }, { type: "user" }, { type: "result" }, { type: "system" }, { type: "stream_event" }, { type: "control_request" }, { type: "control_response" }, { type: "new_type" }, { type: "assistant", message: { content: [null, 1, {}] } }];
  const events = shapes.flatMap((value, t) => [{ t, cli: value }, { t, host: value }]);
  const trace = traceOf(recording(...events));
  for (let line = 2; line <= events.length + 1; line += 1) assert.ok(trace.itemOfLine(line), `line ${line}`);
});

test("10,000 events take less than a second of processor time", () => {
  const text = recording(...large(10_000));
  // The clock on the wall depends on what else the machine does.
  const begin = process.cpuUsage();
  const trace = traceOf(text);
  const { user, system } = process.cpuUsage(begin);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
  assert.equal(items(trace, "turn").every((turn) => turn.state !== "open"), true);
});
