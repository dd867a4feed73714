// Statistics of the tools of a session.

import type { Trace } from "./trace.ts";
import { durationOf } from "./rows.ts";

export interface ToolStatistics {
  name: string;
  kind: string;
  calls: number;
  errors: number;
  /** Microseconds of all calls that have ended, and of the longest. */
  total: number;
  longest: number;
}

/** Returns one entry for each tool, those with most time first. */
export function toolStatistics(trace: Trace): ToolStatistics[] {
  const tools = new Map<string, ToolStatistics>();
  for (const item of trace.items) {
    if (item.lane !== "tool") continue;
    const key = `${item.kind} ${item.title}`;
    let tool = tools.get(key);
    if (!tool) tools.set(key, (tool = { name: item.title, kind: item.kind, calls: 0, errors: 0, total: 0, longest: 0 }));
    const time = durationOf(item) ?? 0;
    tool.calls += 1;
    tool.total += time;
    tool.longest = Math.max(tool.longest, time);
    if (item.state === "error") tool.errors += 1;
  }
  return [...tools.values()].sort((a, b) => b.total - a.total);
}
