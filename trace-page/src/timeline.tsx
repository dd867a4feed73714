// The lanes of the whole session on one time axis, and the buttons that show and hide them.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { count, duration, tickLabel, ticks } from "./format.ts";
import { LANES, type Item, type Lane } from "./item.ts";
import { durationOf, endOf } from "./rows.ts";
import type { Trace } from "./trace.ts";

const LANE_HEIGHT = 18;
const AXIS_HEIGHT = 20;
const HEIGHT = LANES.length * LANE_HEIGHT + AXIS_HEIGHT;
const PLACE_OF_LANE = new Map(LANES.map(({ id }, index) => [id as Lane, index]));

export interface Range {
  start: number;
  end: number;
}

interface Properties {
  trace: Trace;
  revision: number;
  hidden: ReadonlySet<Lane>;
  matches: ReadonlySet<number> | undefined;
  selected: Item | undefined;
  range: Range | undefined;
  theme: string;
  onRange: (range: Range | undefined) => void;
  onSelect: (item: Item) => void;
  onLane: (lane: Lane) => void;
}

export function Timeline(properties: Properties) {
  const { trace, hidden, range, onRange, onSelect, onLane } = properties;
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [hover, setHover] = useState<{ item: Item; x: number; y: number }>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const view = range ?? { start: 0, end: Math.max(trace.end, 1) };
  const timeAt = (x: number) => view.start + (x / width) * (view.end - view.start);

  useLayoutEffect(() => {
    const parent = canvas.current!.parentElement!;
    const observer = new ResizeObserver(() => setWidth(Math.max(100, parent.clientWidth)));
    observer.observe(parent);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    draw(canvas.current!, labels.current!, width, view, properties);
  }, [properties.revision, width, view.start, view.end, hidden, properties.matches, properties.selected, properties.theme]);

  const counts = new Map<Lane, { items: number; errors: number }>();
  for (const { lane, state } of trace.items) {
    const entry = counts.get(lane) ?? { items: 0, errors: 0 };
    entry.items += 1;
    if (state === "error") entry.errors += 1;
    counts.set(lane, entry);
  }

  const onPointerUp = (event: PointerEvent) => {
    const from = drag;
    setDrag(undefined);
    if (!from) return;
    const [a, b] = [Math.min(from.from, event.offsetX), Math.max(from.from, event.offsetX)];
    if (b - a > 6) return onRange({ start: Math.max(0, timeAt(a)), end: timeAt(b) });
    const item = itemAt(trace, hidden, event.offsetX, event.offsetY, width, view);
    if (item) onSelect(item);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag) return setDrag({ ...drag, to: event.offsetX });
    const item = itemAt(trace, hidden, event.offsetX, event.offsetY, width, view);
    setHover(item && { item, x: event.offsetX, y: event.offsetY });
  };

  return (
    <section class="timeline" aria-label="Lanes">
      <div class="lane-labels" ref={labels}>
        {LANES.map(({ id, label, about }) => {
          const { items, errors } = counts.get(id) ?? { items: 0, errors: 0 };
          return (
            <button key={id} type="button" class={`lane-label lane-${id}`} data-lane={id} title={about} aria-pressed={!hidden.has(id)} onClick={() => onLane(id)}>
              <span class="dot" />
              <span class="lane-name">{label}</span>
              {errors > 0 && <span class="lane-errors">{count(errors)} failed</span>}
              <span class="lane-count">{count(items)}</span>
            </button>
          );
        })}
        <span class="axis-label">{range ? `${duration(view.end - view.start)} of ${duration(trace.end)}` : ""}</span>
      </div>
      <div class="lanes">
        {/* The list below has the same content for keyboards and screen readers. */}
        <canvas
          ref={canvas}
          aria-hidden="true"
          onPointerDown={(event) => {
            (event.target as Element).setPointerCapture(event.pointerId);
            setHover(undefined);
            setDrag({ from: event.offsetX, to: event.offsetX });
          }}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerLeave={() => setHover(undefined)}
          onDblClick={() => onRange(undefined)}
        />
        {drag && <span class="selection" style={{ left: `${Math.min(drag.from, drag.to)}px`, width: `${Math.abs(drag.to - drag.from)}px` }} />}
        {range && (
          <button type="button" class="button zoom-out" onClick={() => onRange(undefined)}>
            Show all
          </button>
        )}
        {hover && <Tooltip {...hover} width={width} />}
      </div>
    </section>
  );
}

function Tooltip({ item, x, y, width }: { item: Item; x: number; y: number; width: number }) {
  const time = durationOf(item);
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <span class="tooltip" style={{ ...side, top: `${y + 14}px` }}>
      <b>{item.title || item.outcome || item.lane}</b>
      {item.subject && <span class="muted"> {item.subject}</span>}
      {time !== undefined && <span> · {duration(time)}</span>}
    </span>
  );
}

/** Returns the item under the pointer: the shortest one, within a few pixels. */
function itemAt(trace: Trace, hidden: ReadonlySet<Lane>, x: number, y: number, width: number, view: Range): Item | undefined {
  const lane = LANES[Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT)]?.id;
  if (lane === undefined || hidden.has(lane)) return undefined;
  const scale = width / (view.end - view.start);
  let best: { item: Item; score: number } | undefined;
  for (const item of trace.items) {
    if (item.lane !== lane) continue;
    const left = (item.start - view.start) * scale;
    const right = Math.max(left + 2, (endOf(item, trace) - view.start) * scale);
    const distance = Math.max(0, left - x, x - right);
    if (distance > 4) continue;
    const score = distance * 1e6 + (right - left);
    if (!best || score < best.score) best = { item, score };
  }
  return best?.item;
}

function draw(canvas: HTMLCanvasElement, labels: HTMLElement, width: number, view: Range, { trace, hidden, matches, selected }: Properties): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const color = (name: string) => resolved(labels, name);
  const scale = width / (view.end - view.start);

  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = "middle";
  for (const time of ticks(view.start, view.end, Math.max(2, Math.floor(width / 110)))) {
    const x = Math.round((time - view.start) * scale) + 0.5;
    context.fillStyle = color("--line");
    context.fillRect(x, AXIS_HEIGHT - 4, 1, HEIGHT);
    context.fillStyle = color("--muted");
    const label = tickLabel(time);
    const labelWidth = context.measureText(label).width;
    if (x + labelWidth + 4 < width) context.fillText(label, x + (time === 0 ? 0 : 3), AXIS_HEIGHT / 2);
  }

  const colors = new Map<Lane, string>();
  for (const { id } of LANES) colors.set(id, color(`--lane-${id}`));
  const failed = color("--error");
  const rect = (item: Item) => {
    const place = PLACE_OF_LANE.get(item.lane)!;
    const x = (item.start - view.start) * scale;
    const right = (endOf(item, trace) - view.start) * scale;
    return { x, y: AXIS_HEIGHT + place * LANE_HEIGHT + 4, width: Math.max(2, right - x - 0.5), height: LANE_HEIGHT - 8 };
  };
  // Errors are drawn last, so that no other item covers them.
  for (const isError of [false, true]) {
    for (const item of trace.items) {
      if ((item.state === "error") !== isError || hidden.has(item.lane)) continue;
      const { x, y, width: length, height } = rect(item);
      if (x > width || x + length < 0) continue;
      context.globalAlpha = matches && !matches.has(item.id) ? 0.15 : item.lane === "turn" ? 0.55 : 0.85;
      context.fillStyle = isError ? failed : colors.get(item.lane)!;
      context.fillRect(x, y, length, height);
    }
  }
  context.globalAlpha = 1;
  if (selected) {
    const { x, y, width: length, height } = rect(selected);
    context.fillStyle = color("--text");
    context.fillRect(x + Math.min(length / 2, 1) - 0.5, AXIS_HEIGHT - 4, 1, HEIGHT);
    context.strokeStyle = color("--text");
    context.lineWidth = 1.5;
    context.strokeRect(x - 1, y - 1, length + 2, height + 2);
  }
}

/** Returns the value of a colour that depends on the theme. */
function resolved(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}
