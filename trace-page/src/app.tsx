// The page: header, lanes, list and details, and what the keys do.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { Detail } from "./detail.tsx";
import { count, dollars, duration, inputTokens } from "./format.ts";
import { LiveState, Total, type Connection } from "./header.tsx";
import { Help } from "./help.tsx";
import type { Item, Lane } from "./item.ts";
import { List } from "./list.tsx";
import { endOf, search, visibleRows } from "./rows.ts";
import type { Source } from "./source.ts";
import { Summary } from "./summary.tsx";
import { nextTheme, useTheme } from "./theme.ts";
import { Timeline, type Range } from "./timeline.tsx";
import type { Trace } from "./trace.ts";

interface Selection {
  item: Item;
  /** The event that is linked to; the first one of the item by default. */
  line?: number | undefined;
}

interface Properties {
  trace: Trace;
  source: Source;
  /** Changes when lines were added. */
  revision: number;
  connection: Connection;
}

export function App({ trace, source, revision, connection }: Properties) {
  const [hidden, setHidden] = useState<ReadonlySet<Lane>>(new Set<Lane>(["protocol"]));
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set<number>());
  const [query, setQuery] = useState("");
  const [selection, setSelection] = useState<Selection>();
  const [reveal, setReveal] = useState(0);
  const [range, setRange] = useState<Range>();
  const [help, setHelp] = useState(false);
  const [tail, setTail] = useState(source.follows);
  const [theme, setTheme] = useTheme();
  const searchBox = useRef<HTMLInputElement>(null);
  const linked = useRef(lineOfAddress());

  const matches = useMemo(() => search(trace, query), [revision, query]);
  const rows = useMemo(() => visibleRows(trace, { hidden, collapsed, matches }), [revision, hidden, collapsed, matches]);
  const totals = useMemo(() => trace.totals(), [revision]);
  const selected = selection?.item;

  /** Selects an item and makes its row visible. */
  const select = (item: Item, line?: number) => {
    setSelection({ item, line });
    setReveal((number) => number + 1);
    if (hidden.has(item.lane)) setHidden(without(hidden, item.lane));
    let open = collapsed;
    for (let parent = item.parent; parent; parent = parent.parent) open = without(open, parent.id);
    setCollapsed(open);
    if (matches && !matches.has(item.id)) setQuery("");
    history.replaceState(null, "", `#event=${line ?? item.events[0]?.line}`);
  };
  const close = () => {
    setSelection(undefined);
    history.replaceState(null, "", location.pathname + location.search);
  };
  const toggle = (item: Item) => setCollapsed(collapsed.has(item.id) ? without(collapsed, item.id) : new Set([...collapsed, item.id]));

  // With `--follow` the line that the address names may come later.
  const openLink = () => {
    const item = linked.current === undefined ? undefined : trace.itemOfLine(linked.current);
    if (!item) return;
    select(item, linked.current);
    linked.current = undefined;
  };
  useEffect(openLink, [revision]);
  // Listeners see the state of their render. Effects run after the next frame, in which a second key would see the old state.
  useLayoutEffect(() => {
    const onHash = () => {
      linked.current = lineOfAddress();
      openLink();
    };
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  });

  const moveTo = (place: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, place))];
    if (row) select(row.item);
  };
  const move = (step: number) => {
    const place = rows.findIndex((row) => row.item === selected);
    moveTo(place < 0 && step < 0 ? rows.length - 1 : place < 0 ? 0 : place + step);
  };
  const moveToError = (step: number) => {
    const errors = trace.items.filter((item) => item.state === "error");
    if (errors.length === 0) return;
    const place = selected ? errors.findIndex((item) => item.id >= selected.id) : -1;
    const isHere = errors[place] === selected;
    const next = place < 0 ? (step > 0 ? 0 : errors.length - 1) : place + (step < 0 ? -1 : isHere ? 1 : 0);
    select(errors[(next + errors.length) % errors.length]!);
  };
  const fold = (open: boolean) => {
    const row = rows.find((row) => row.item === selected);
    if (!row) return;
    if (row.expandable && row.expanded !== open) toggle(row.item);
    else if (!open && row.item.parent) select(row.item.parent);
  };
  const focusList = () => document.getElementById("rows")?.focus({ preventScroll: true });

  const actions: Record<string, () => void> = {
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    PageDown: () => move(20),
    PageUp: () => move(-20),
    g: () => moveTo(0),
    Home: () => moveTo(0),
    G: () => moveTo(rows.length),
    End: () => moveTo(rows.length),
    ArrowLeft: () => fold(false),
    ArrowRight: () => fold(true),
    Enter: () => document.getElementById("detail")?.focus(),
    e: () => moveToError(1),
    E: () => moveToError(-1),
    z: () => selected && setRange(around(selected, trace)),
    "0": () => setRange(undefined),
    t: () => setTheme(nextTheme(theme)),
    "?": () => setHelp(true),
    "/": () => searchBox.current?.select(),
  };
  const onKey = (event: KeyboardEvent) => {
    if (help || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape") {
      if (query !== "") setQuery("");
      else if (selection) close();
      return focusList();
    }
    if (target === searchBox.current) {
      if (event.key !== "Enter" && event.key !== "ArrowDown") return;
      const first = rows.find((row) => !row.context);
      if (first) select(first.item);
      event.preventDefault();
      return focusList();
    }
    // Buttons and links keep their own keys, and the details scroll.
    if ((event.key === "Enter" && target.matches("button, a")) || (target.closest("#detail") && /^(Arrow|Page|Home|End)/.test(event.key))) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    if (!["/", "Enter", "?"].includes(event.key)) focusList();
  };
  useLayoutEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });

  return (
    <div class="page">
      <header class="top">
        <h1>
          <span class="brand">inhouse trace</span> {source.name}
          {source.follows && <LiveState connection={connection} ended={trace.ended} />}
        </h1>
        <dl class="totals">
          <Total name="Duration" value={duration(trace.end)} />
          <Total name="Turns" value={count(totals.turns)} />
          <Total name="Tool calls" value={count(totals.toolCalls)} />
          <Total name="Tokens" value={`${count(inputTokens(totals.tokens))} → ${count(totals.tokens.output)}`} about="Tokens that the model read and wrote" />
          <Total name="Cost" value={dollars(totals.cost)} />
          <div class={totals.errors > 0 ? "failed" : ""}>
            <dt>Errors</dt>
            <dd>
              {totals.errors === 0 ? "0" : (
                <button type="button" class="link" title="Next error (e)" onClick={() => moveToError(1)}>
                  {count(totals.errors)}
                </button>
              )}
            </dd>
          </div>
        </dl>
        <div class="tools">
          <label class="search">
            <span class="visually-hidden">Search</span>
            <input ref={searchBox} type="search" placeholder="Search  /" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
            {matches && (
              <span class="search-count" role="status">
                {count(matches.size)} found
              </span>
            )}
          </label>
          <button type="button" class="button" title="Light or dark (t)" onClick={() => setTheme(nextTheme(theme))}>
            {theme === "dark" ? "Dark" : "Light"}
          </button>
          <button type="button" class="button icon" aria-label="Help" title="Help (?)" onClick={() => setHelp(true)}>
            ?
          </button>
        </div>
      </header>
      {trace.problems.length > 0 && (
        <p class="problems" role="alert">
          {trace.problems.slice(0, 3).join(" ")}
          {trace.problems.length > 3 && ` And ${count(trace.problems.length - 3)} more.`}
        </p>
      )}
      <Timeline
        trace={trace}
        revision={revision}
        hidden={hidden}
        matches={matches}
        selected={selected}
        range={range}
        theme={theme}
        onRange={setRange}
        onSelect={select}
        onLane={(lane) => setHidden(hidden.has(lane) ? without(hidden, lane) : new Set([...hidden, lane]))}
      />
      <main>
        <List trace={trace} rows={rows} selected={selected} reveal={reveal} tail={tail && source.follows} onTail={setTail} onSelect={select} onToggle={toggle} />
        {selection ? (
          <Detail trace={trace} item={selection.item} line={selection.line} onSelect={select} onClose={close} />
        ) : (
          <Summary trace={trace} onSelect={select} />
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Returns the line of the event in an address that ends with `#event=<line>`. */
function lineOfAddress(): number | undefined {
  const line = /^#event=(\d+)$/.exec(location.hash)?.[1];
  return line === undefined ? undefined : Number(line);
}

function without<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  if (!set.has(value)) return set;
  const copy = new Set(set);
  copy.delete(value);
  return copy;
}

/** Returns the time of an item with a margin, for the lanes. */
function around(item: Item, trace: Trace): Range {
  const end = endOf(item, trace);
  const margin = Math.max((end - item.start) * 0.1, 1000);
  return { start: Math.max(0, item.start - margin), end: end + margin };
}
