import assert from "node:assert/strict";
import { test } from "node:test";

import { age } from "../src/format.ts";
import { curve, extend } from "../src/history.ts";
import { merge, sessionsIn } from "../src/snapshot.ts";
import { NOW, snapshot } from "./snapshots.ts";

test("a message replaces the members that it has", () => {
  const before = snapshot();
  const after = merge(before, JSON.stringify({ now: NOW + 1000, parked: [] }));
  assert.equal(after.now, NOW + 1000);
  assert.deepEqual(after.parked, []);
  assert.equal(after.sessions, before.sessions);
  assert.equal(merge(undefined, '{"now":5}').queue.queued, 0);
});

test("sessions that are ready are those without another state", () => {
  const { queue } = snapshot();
  assert.equal(sessionsIn(queue, "ready"), 1);
  assert.equal(sessionsIn(queue, "deferred"), 1);
  assert.equal(sessionsIn({ ...queue, sessions: 0 }, "ready"), 0);
});

test("ages have at most two units", () => {
  const cases: [number, string][] = [[-5, "0 s"], [59_999, "59 s"], [61_000, "1 min 01 s"], [720_000, "12 min"], [3_900_000, "1 h 05 min"], [187_200_000, "2 d 4 h"]];
  for (const [millis, text] of cases) assert.equal(age(millis), text);
});

test("history has a limit and ends at the right", () => {
  let points = extend([], snapshot());
  assert.deepEqual(points, [{ age: 90_000, queued: 3, running: 1 }]);
  for (let step = 0; step < 400; step += 1) points = extend(points, snapshot());
  assert.equal(points.length, 300);
  assert.equal(curve([0, 4, 2], 59), "M57.00 1.0000L58.00 0.0000L59.00 0.5000");
  assert.ok(curve(points.map(({ age }) => age), 100).startsWith("M0.00 "));
  assert.equal(curve([], 100), "");
});
