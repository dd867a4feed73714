import assert from "node:assert/strict";
import { test } from "node:test";

import { dollars, duration, offset, shortCount, tickLabel, ticks } from "../src/format.ts";
import type { Lane } from "../src/item.ts";
import { durationOf, fraction, frameOf, search, visibleRows } from "../src/rows.ts";
import { toolStatistics } from "../src/tools.ts";
import { Trace } from "../src/trace.ts";
import { recording, session } from "./recordings.ts";

const trace = new Trace();
trace.addLines(recording(...session()));
const everything = { hidden: new Set<Lane>(), collapsed: new Set<number>() };

test("rows are the tree of items in order", () => {
  const rows = visibleRows(trace, everything);
  assert.equal(rows.length, trace.items.length);
  const agent = rows.findIndex((row) => row.item.lane === "subagent");
  assert.deepEqual(rows.slice(agent, agent + 2).map((row) => row.depth), [1, 2]);
});

test("collapsed items hide their children", () => {
  const turn = trace.items.find((item) => item.lane === "turn")!;
  const rows = visibleRows(trace, { ...everything, collapsed: new Set([turn.id]) });
  const row = rows.find((row) => row.item === turn)!;
  assert.deepEqual([row.expandable, row.expanded], [true, false]);
  assert.ok(!rows.some((row) => row.item.parent === turn));
});

test("a hidden lane leaves the rows below it, one level up", () => {
  const rows = visibleRows(trace, { ...everything, hidden: new Set<Lane>(["turn"]) });
  assert.ok(rows.some((row) => row.item.lane === "tool" && row.depth === 0));
  assert.ok(!rows.some((row) => row.item.lane === "turn"));
});

test("search finds text in titles and in lines, and keeps the parents", () => {
  const matches = search(trace, "OH NO")!;
  assert.ok([...matches].some((id) => trace.items[id]!.lane === "tool"));
  const rows = visibleRows(trace, { ...everything, matches });
  assert.ok(rows.some((row) => row.context && row.item.lane === "turn"));
  assert.equal(search(trace, "  "), undefined);
  assert.equal(search(trace, "no such text")!.size, 0);
  assert.ok(search(trace, '"subagent_type":"mathematician"')!.size > 0);
  const quoted = new Trace();
  quoted.addLines(recording({ t: 1, stderr: 'a "quoted" word' }));
  assert.equal(search(quoted, 'a "quoted"')!.size, 1);
});

test("bars are placed within their turn", () => {
  const tool = trace.items.find((item) => item.ran)!;
  const frame = frameOf(tool, trace);
  assert.deepEqual(frame, { start: tool.parent!.start, end: tool.parent!.end });
  assert.equal(fraction(frame.start, frame), 0);
  assert.equal(fraction(frame.end, frame), 1);
  assert.equal(durationOf(tool), 12_000);
});

test("tools are counted by name", () => {
  const bash = toolStatistics(trace).find((tool) => tool.name === "Bash")!;
  assert.deepEqual([bash.calls, bash.errors], [3, 1]);
});

test("numbers are short", () => {
  assert.deepEqual([900, 1500, 42_000, 1_234_000, 12_340_000, 125_000_000, 3_720_000_000].map(duration), ["900 µs", "1.5 ms", "42 ms", "1.23 s", "12.3 s", "2 min 05 s", "1 h 02 min"]);
  assert.deepEqual([1_234_567, 125_300_000, 3_600_000_000].map(offset), ["1.235", "2:05.300", "1:00:00.000"]);
  assert.deepEqual([0, 0.000105, 0.0123, 1.5].map(dollars), ["$0", "$0.00011", "$0.012", "$1.50"]);
  assert.deepEqual([999, 12_345, 1_200_000].map(shortCount), ["999", "12.3k", "1.2M"]);
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(5, 5, 5), []);
  assert.deepEqual(ticks(0, 3_200e6, 6).map(tickLabel), ["0", "10:00", "20:00", "30:00", "40:00", "50:00"]);
  assert.deepEqual([5e6, 10e6, 2500, 1.5e6, 100e3].map(tickLabel), ["5 s", "10 s", "2.5 ms", "1.5 s", "100 ms"]);
});
