// The rows of the list.

import { count } from "../../trace-page/src/format.ts";
import { ROW_HEIGHT, VirtualList } from "../../trace-page/src/virtual.tsx";
import { KINDS, type Entry, type Kind } from "./entries.ts";
import { age } from "./format.ts";

interface Properties {
  entries: Entry[];
  now: number;
  selected: string | undefined;
  /** Changes when the selected row has to be scrolled into view. */
  reveal: number;
  empty: string;
  onSelect: (entry: Entry) => void;
}

export function List({ entries, now, selected, reveal, empty, onSelect }: Properties) {
  const place = entries.findIndex((entry) => entry.key === selected);
  return (
    <section class="list" aria-label="Sessions, questions and parked prompts">
      <div class="columns row" aria-hidden="true">
        <span>State</span>
        <span>Session</span>
        <span>Prompt</span>
        <span>Host</span>
        <span class="number">Failed</span>
        <span class="number">Waiting</span>
      </div>
      <VirtualList rows={entries} role="grid" label="Work of the fleet" place={place} selectedId={place >= 0 ? rowId(place) : undefined} reveal={reveal} empty={empty}>
        {(entry, index) => <RowView entry={entry} index={index} now={now} isSelected={index === place} onSelect={onSelect} />}
      </VirtualList>
    </section>
  );
}

interface RowProperties {
  entry: Entry;
  index: number;
  now: number;
  isSelected: boolean;
  onSelect: (entry: Entry) => void;
}

function RowView({ entry, index, now, isSelected, onSelect }: RowProperties) {
  return (
    <div
      id={rowId(index)}
      class={`row kind-${entry.kind}${isSelected ? " is-selected" : ""}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      style={{ top: `${index * ROW_HEIGHT}px` }}
      onClick={() => onSelect(entry)}
    >
      <span class="kind" role="gridcell">
        <span class="dot" aria-hidden="true" />
        {wordOf(entry.kind)}
      </span>
      <span class="session" role="gridcell">
        {entry.session}
      </span>
      <span class="title" role="gridcell">
        <span class="name">{entry.title}</span>
        {entry.reason && <span class="reason-short">{entry.reason}</span>}
      </span>
      <span class="host-name muted" role="gridcell">
        {entry.host}
      </span>
      <span class={entry.attempts > 0 ? "number failed" : "number"} role="gridcell">
        {entry.attempts > 0 && count(entry.attempts)}
      </span>
      <span class="number" role="gridcell">
        {age(now - entry.since)}
      </span>
    </div>
  );
}

export function wordOf(kind: Kind): string {
  return KINDS.find(({ id }) => id === kind)!.word;
}

function rowId(place: number): string {
  return `row-${place}`;
}
