// The details of the selected item: its parts, and the lines of both sides.

import { useEffect, useRef, useState } from "preact/hooks";

import { count, dollars, duration, offset } from "./format.ts";
import type { EventRef, Item, Part } from "./item.ts";
import { JsonTree, LongText } from "./json.tsx";
import { laneLabel } from "./list.tsx";
import { isObject, type Json } from "./recording.ts";
import { durationOf } from "./rows.ts";
import type { Trace } from "./trace.ts";

const OPEN_EVENTS = 6;
const MANY_EVENTS = 100;

const SIDES: Record<EventRef["side"], string> = {
  host: "Your program wrote",
  cli: "The CLI wrote",
  stderr: "The CLI wrote to stderr",
  process: "Process",
  recorder: "Recording",
};

const STATES: Record<Item["state"], string> = { open: "No answer yet", ok: "", warning: "Warning", error: "Failed" };

interface Properties {
  trace: Trace;
  item: Item;
  /** The line of the event that is linked to. */
  line: number | undefined;
  onSelect: (item: Item, line?: number) => void;
  onClose: () => void;
}

export function Detail({ trace, item, line, onSelect, onClose }: Properties) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current!.scrollTop = 0;
    if (line !== undefined && line !== item.events[0]?.line) panel.current!.querySelector(".event.is-linked")?.scrollIntoView({ block: "start" });
  }, [item, line]);
  const related = item.toolUseId === undefined ? [] : trace.items.filter((other) => other !== item && other.toolUseId === item.toolUseId);
  const state = item.state === "open" && trace.ended ? "No answer" : STATES[item.state];
  return (
    <aside class={`detail lane-${item.lane} is-${item.state}`} ref={panel} tabIndex={-1} id="detail" aria-label="Details">
      <header class="detail-header">
        <div class="detail-path">
          <span class="dot" aria-hidden="true" />
          {laneLabel(item.lane)}
          {item.kind !== "" && <span class="tag">{item.kind}</span>}
          {state !== "" && <span class="state">{state}</span>}
          <button type="button" class="button icon close" aria-label="Close details" title="Close (Escape)" onClick={onClose}>
            ✕
          </button>
        </div>
        <h2>{item.title || item.outcome || laneLabel(item.lane)}</h2>
        {item.reason !== undefined && item.state !== "ok" && (
          <p class="reason">
            <LongText text={item.reason} />
          </p>
        )}
      </header>
      <Facts trace={trace} item={item} />
      {item.parts.map((part, index) => (
        <PartView key={`${item.id} ${index}`} part={part} />
      ))}
      {related.length > 0 && (
        <section>
          <h3>About the same call</h3>
          {related.map((other) => (
            <button key={other.id} type="button" class={`related lane-${other.lane} is-${other.state}`} onClick={() => onSelect(other)}>
              <span class="dot" aria-hidden="true" />
              {laneLabel(other.lane)}: {other.title} <span class="muted">{other.outcome}</span>
            </button>
          ))}
        </section>
      )}
      <Events key={item.id} trace={trace} item={item} line={line} onSelect={onSelect} />
    </aside>
  );
}

function Facts({ trace, item }: { trace: Trace; item: Item }) {
  const facts: [string, string][] = [["At", `${offset(item.start)} s${clock(trace, item.start)}`]];
  const time = durationOf(item);
  if (item.ran && time !== undefined) facts.push(["In your process", duration(time)]);
  if (item.end !== undefined) facts.push([item.ran ? "From call to result" : "Duration", duration(item.end - item.start)]);
  if (item.tokens) {
    const { input, output, cacheRead, cacheWrite } = item.tokens;
    const cache = cacheRead + cacheWrite > 0 ? `, ${count(cacheRead)} from the cache, ${count(cacheWrite)} to the cache` : "";
    facts.push(["Tokens", `${count(input)} read${cache}, ${count(output)} written`]);
  }
  if (item.cost !== undefined) facts.push(["Cost", dollars(item.cost)]);
  facts.push(...item.facts);
  if (item.toolUseId !== undefined && item.lane === "tool") facts.push(["Id of the call", item.toolUseId]);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function clock(trace: Trace, micros: number): string {
  const started = trace.header?.started;
  return started === undefined ? "" : `, ${new Date(started + micros / 1000).toLocaleTimeString([], { hour12: false })}`;
}

function PartView({ part }: { part: Part }) {
  const [open, setOpen] = useState(!part.collapsed);
  const isText = typeof part.value === "string";
  if (part.value === "" || part.value === null || (isObject(part.value) && Object.keys(part.value).length === 0)) return null;
  return (
    <section class={part.failed ? "part failed" : "part"}>
      <h3>
        {part.collapsed ? (
          <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span class="twisty" />
            {part.label}
          </button>
        ) : (
          part.label
        )}
      </h3>
      {open && (isText ? <pre class="text"><LongText text={part.value as string} /></pre> : <JsonTree value={part.value} />)}
    </section>
  );
}

interface EventsProperties {
  trace: Trace;
  item: Item;
  line: number | undefined;
  onSelect: (item: Item, line?: number) => void;
}

function Events({ trace, item, line, onSelect }: EventsProperties) {
  const [all, setAll] = useState(false);
  const { events } = item;
  const linked = events.findIndex((event) => event.line === line);
  const shown = all ? events : events.slice(0, Math.max(MANY_EVENTS, linked + 1));
  return (
    <section class="events">
      <h3>
        {events.length === 1 ? "The line of the recording" : `The ${count(events.length)} lines of the recording`}
      </h3>
      {shown.map((event) => (
        <EventView key={event.line} trace={trace} item={item} event={event} isLinked={event.line === line && linked > 0} startsOpen={events.length <= OPEN_EVENTS || event.line === line} onSelect={onSelect} />
      ))}
      {shown.length < events.length && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          show {count(events.length - shown.length)} more lines
        </button>
      )}
    </section>
  );
}

interface EventProperties {
  trace: Trace;
  item: Item;
  event: EventRef;
  isLinked: boolean;
  startsOpen: boolean;
  onSelect: (item: Item, line?: number) => void;
}

function EventView({ trace, item, event, isLinked, startsOpen, onSelect }: EventProperties) {
  const [open, setOpen] = useState(startsOpen);
  const [copied, setCopied] = useState(false);
  const text = trace.lines[event.line - 1] ?? "";
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <article class={`event from-${event.side}${isLinked ? " is-linked" : ""}`} data-line={event.line}>
      <header>
        <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span class="twisty" />
          <span class="side">{SIDES[event.side]}</span>
          <span class="event-label">{event.label}</span>
        </button>
        <span class="event-time number">{offset(event.t)} s</span>
        <a class="line-link" href={`#event=${event.line}`} title="Link to this event" onClick={(click) => {
          click.preventDefault();
          onSelect(item, event.line);
        }}>
          line {event.line}
        </a>
        <button type="button" class="button small" onClick={copy} title="Copy the line">
          {copied ? "Copied" : "Copy"}
        </button>
      </header>
      {open && <JsonTree value={contentOf(text)} />}
    </article>
  );
}

/** Returns what the line recorded, without the time around it. */
function contentOf(text: string): Json {
  const { t: _, ...members } = JSON.parse(text) as { [name: string]: Json };
  return members["host"] ?? members["cli"] ?? members;
}
