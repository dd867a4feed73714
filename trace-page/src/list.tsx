// The rows of the list: what happened, when, and how long it took.

import { duration, inputTokens, offset, shortCount } from "./format.ts";
import { LANES, type Item } from "./item.ts";
import { durationOf, endOf, fraction, frameOf, type Row } from "./rows.ts";
import type { Trace } from "./trace.ts";
import { ROW_HEIGHT, VirtualList } from "./virtual.tsx";

const WORDS: Record<Item["lane"], string> = {
  turn: "Turn",
  model: "Model",
  tool: "Tool",
  hook: "Hook",
  permission: "Permission",
  control: "Control",
  subagent: "Subagent",
  session: "Session",
  protocol: "Protocol",
};

interface Properties {
  trace: Trace;
  rows: Row[];
  selected: Item | undefined;
  /** Changes when the selected row has to be scrolled into view. */
  reveal: number;
  /** Whether the list stays at its end while rows are added. */
  tail: boolean;
  onTail: (tail: boolean) => void;
  onSelect: (item: Item) => void;
  onToggle: (item: Item) => void;
}

export function List({ trace, rows, selected, reveal, tail, onTail, onSelect, onToggle }: Properties) {
  const place = selected ? rows.findIndex((row) => row.item === selected) : -1;
  return (
    <section class="list" aria-label="What happened">
      <div class="columns row" aria-hidden="true">
        <span class="number">Line</span>
        <span class="number">Time, s</span>
        <span>Kind</span>
        <span>What happened</span>
        <span>When in its turn</span>
        <span class="number">Duration</span>
        <span class="number" title="Tokens that the model read and wrote">
          Tokens
        </span>
      </div>
      <VirtualList
        rows={rows}
        role="treegrid"
        label="Events of the session"
        place={place}
        selectedId={selected && place >= 0 ? `row-${selected.id}` : undefined}
        reveal={reveal}
        tail={tail}
        onTail={onTail}
        empty={trace.items.length === 0 ? "No events yet." : "Nothing matches. Press Escape to clear the search, or show more lanes."}
      >
        {(row, index) => <RowView row={row} trace={trace} index={index} isSelected={row.item === selected} onSelect={onSelect} onToggle={onToggle} />}
      </VirtualList>
    </section>
  );
}

interface RowProperties {
  row: Row;
  trace: Trace;
  index: number;
  isSelected: boolean;
  onSelect: (item: Item) => void;
  onToggle: (item: Item) => void;
}

function RowView({ row, trace, index, isSelected, onSelect, onToggle }: RowProperties) {
  const { item } = row;
  const classes = ["row", `lane-${item.lane}`, `is-${item.state}`];
  if (isSelected) classes.push("is-selected");
  if (row.context) classes.push("is-context");
  const time = durationOf(item);
  return (
    <div
      id={`row-${item.id}`}
      class={classes.join(" ")}
      role="row"
      aria-rowindex={index + 1}
      aria-level={row.depth + 1}
      aria-selected={isSelected}
      aria-expanded={row.expandable ? row.expanded : undefined}
      style={{ top: `${index * ROW_HEIGHT}px` }}
      onClick={() => onSelect(item)}
    >
      <span class="number muted" role="gridcell">
        {item.events[0]?.line}
      </span>
      <span class="number muted" role="gridcell">
        {offset(item.events[0]?.t ?? item.start)}
      </span>
      <span class="kind" role="gridcell">
        <span class="dot" aria-hidden="true" />
        {WORDS[item.lane]}
      </span>
      <span class="title" role="gridcell" style={{ paddingLeft: `${row.depth * 18}px` }}>
        {row.expandable ? (
          <button
            type="button"
            class="twisty-button"
            tabIndex={-1}
            aria-label={row.expanded ? "Collapse" : "Expand"}
            aria-expanded={row.expanded}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(item);
            }}
          >
            <span class="twisty" />
          </button>
        ) : (
          <span class="twisty-space" />
        )}
        {item.title !== "" && <span class="name">{item.title}</span>}
        {item.kind !== "" && item.kind !== "built-in" && <span class="tag">{item.kind}</span>}
        {item.subject && <span class="subject">{item.subject}</span>}
        <Outcome item={item} ended={trace.ended} />
      </span>
      <span class="bar-cell" role="gridcell" aria-hidden="true">
        <Bar item={item} trace={trace} />
      </span>
      <span class="number" role="gridcell">
        {time === undefined ? "" : duration(time)}
      </span>
      <span class="number muted" role="gridcell">
        {item.tokens && inputTokens(item.tokens) + item.tokens.output > 0 && `${shortCount(inputTokens(item.tokens))} → ${shortCount(item.tokens.output)}`}
      </span>
    </div>
  );
}

function Outcome({ item, ended }: { item: Item; ended: boolean }) {
  if (item.state === "open") return <span class="outcome open">{ended ? "no answer" : "running"}</span>;
  if (!item.outcome) return null;
  const isResult = item.lane !== "model" && item.lane !== "session" && item.lane !== "protocol";
  return (
    <span class="outcome">
      {isResult && <span aria-hidden="true">→ </span>}
      {item.outcome}
    </span>
  );
}

/** The bar of a row: its place within the turn, and solid the time in the user's process. */
function Bar({ item, trace }: { item: Item; trace: Trace }) {
  const frame = frameOf(item, trace);
  const place = (start: number, end: number) => {
    const left = fraction(start, frame);
    return { left: `${left * 100}%`, width: `${(fraction(end, frame) - left) * 100}%` };
  };
  const end = endOf(item, trace);
  return (
    <span class="bar-track">
      <span class={end > item.start ? "bar" : "bar instant"} style={place(item.start, end)} />
      {item.ran && <span class="bar inner" style={place(item.ran.start, item.ran.end ?? end)} />}
    </span>
  );
}

export function laneLabel(lane: Item["lane"]): string {
  return LANES.find(({ id }) => id === lane)!.label;
}
