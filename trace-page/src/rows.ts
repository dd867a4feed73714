// The rows of the list: which items are shown, in which order, and where their bars are.

import type { Item, Lane } from "./item.ts";
import type { Trace } from "./trace.ts";

export interface Row {
  item: Item;
  depth: number;
  /** Whether the row has rows below it, shown or not. */
  expandable: boolean;
  expanded: boolean;
  /** Whether the row is here only because a row below it matches. */
  context: boolean;
}

export interface Filter {
  hidden: ReadonlySet<Lane>;
  collapsed: ReadonlySet<number>;
  /** The ids of the items that match the search; without a search all match. */
  matches?: ReadonlySet<number> | undefined;
}

/** Returns the visible rows: the tree of items in the order of their first events. */
export function visibleRows(trace: Trace, filter: Filter): Row[] {
  const rows: Row[] = [];
  const add = (item: Item, depth: number): boolean => {
    const isShown = !filter.hidden.has(item.lane) && (filter.matches?.has(item.id) ?? true);
    const place = rows.length;
    const row: Row = { item, depth, expandable: false, expanded: true, context: !isShown };
    rows.push(row);
    let any = false;
    for (const child of item.children) any = add(child, depth + 1) || any;
    row.expandable = any;
    // A search also shows what is in collapsed items.
    row.expanded = filter.matches !== undefined || !filter.collapsed.has(item.id);
    if (!isShown && !any) {
      rows.length = place;
      return false;
    }
    // A turn that is filtered out gives its place to its children, unless the search needs it as context.
    if (!isShown && filter.matches === undefined) {
      rows.splice(place, 1);
      for (let index = place; index < rows.length; index += 1) rows[index]!.depth -= 1;
      return true;
    }
    if (!row.expanded) rows.length = place + 1;
    return true;
  };
  for (const root of trace.roots) add(root, 0);
  return rows;
}

/** Returns the ids of the items that have the words in their title or in a line of theirs, in any case. */
export function search(trace: Trace, query: string): Set<number> | undefined {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return undefined;
  const found = new Set<number>();
  for (const item of trace.items) {
    const text = `${item.lane} ${item.kind} ${item.title} ${item.subject ?? ""} ${item.outcome ?? ""}`;
    if (text.toLowerCase().includes(wanted)) found.add(item.id);
  }
  // A quotation mark in a value is escaped in the file; JSON that was copied from the page is not.
  const spellings = [wanted, JSON.stringify(wanted).slice(1, -1)];
  trace.lines.forEach((line, index) => {
    const item = trace.itemOfLine(index + 1);
    if (!item || found.has(item.id)) return;
    const text = line.toLowerCase();
    if (spellings.some((spelling) => text.includes(spelling))) found.add(item.id);
  });
  return found;
}

/** Returns the end of an item for drawing: an open item lasts until the last event. */
export function endOf(item: Item, trace: Trace): number {
  return item.end ?? (item.state === "open" && !trace.ended ? trace.end : item.ran?.end ?? item.start);
}

/** Returns the duration of an item, or nothing for an instant and for an item without an answer. */
export function durationOf(item: Item): number | undefined {
  if (item.ran?.end !== undefined) return item.ran.end - item.ran.start;
  return item.end === undefined ? undefined : item.end - item.start;
}

/** Returns the times that a row's bar is drawn between: those of its turn, or those of the session. */
export function frameOf(item: Item, trace: Trace): { start: number; end: number } {
  let turn = item.parent;
  while (turn && turn.lane !== "turn") turn = turn.parent;
  return turn ? { start: turn.start, end: endOf(turn, trace) } : { start: 0, end: trace.end };
}

/** Returns the place of a time in a frame, from 0 to 1. */
export function fraction(time: number, frame: { start: number; end: number }): number {
  const span = frame.end - frame.start;
  return span > 0 ? Math.min(1, Math.max(0, (time - frame.start) / span)) : 0;
}
