// What the page has seen while it was open, for the curves of the overview.

import type { Snapshot } from "./snapshot.ts";

const LENGTH = 300;
/** A curve with fewer points does not fill its width. */
const SHORT = 60;

export interface Point {
  /** The age of the oldest unanswered prompt in milliseconds. */
  age: number;
  queued: number;
  running: number;
}

/** Returns the points with that of a new snapshot, and without the oldest if there are too many. */
export function extend(points: Point[], { now, queue }: Snapshot): Point[] {
  const point = { age: queue.oldest ? Math.max(0, now - queue.oldest.created) : 0, queued: queue.queued, running: queue.running };
  return [...points.slice(1 - LENGTH), point];
}

/** Returns the coordinates of a curve in a box of `width` and 1, for an SVG path. */
export function curve(values: number[], width: number): string {
  const top = Math.max(1, ...values);
  const step = width / (Math.max(SHORT, values.length) - 1);
  const begin = width - (values.length - 1) * step;
  return values.map((value, index) => `${index === 0 ? "M" : "L"}${(begin + index * step).toFixed(2)} ${(1 - value / top).toFixed(4)}`).join("");
}
