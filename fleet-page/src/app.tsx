// The page: header, hosts, list and details, and what the keys do.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { count } from "../../trace-page/src/format.ts";
import { LiveState, Total, type Connection } from "../../trace-page/src/header.tsx";
import { nextTheme, useTheme } from "../../trace-page/src/theme.ts";
import { EntryDetail, HostDetail } from "./detail.tsx";
import { entriesOf, KINDS, select, type Entry, type Kind } from "./entries.ts";
import { age } from "./format.ts";
import { Help } from "./help.tsx";
import type { Point } from "./history.ts";
import { Hosts } from "./hosts.tsx";
import { List } from "./list.tsx";
import { Overview } from "./overview.tsx";
import { sessionsIn, type Host, type Queue, type Snapshot } from "./snapshot.ts";
import { database, perform, type Action } from "./source.ts";

/** An oldest prompt that is older than this is shown as a problem. */
const OLD = 60_000;
const NOTICE_TIME = 8000;

/** What is selected, as it was last seen: it may leave the fleet while it is shown. */
type Selection = { is: "entry"; entry: Entry } | { is: "host"; host: Host };

interface Properties {
  snapshot: Snapshot | undefined;
  points: Point[];
  /** The time of the database. */
  now: number;
  connection: Connection;
  problem: string | undefined;
}

export function App({ snapshot, points, now, connection, problem }: Properties) {
  const [kind, setKind] = useState<Kind>();
  const [query, setQuery] = useState("");
  const [selection, setSelection] = useState<Selection>();
  const [reveal, setReveal] = useState(0);
  const [help, setHelp] = useState(false);
  const [notice, setNotice] = useState<{ text: string; failed: boolean }>();
  const [theme, setTheme] = useTheme();
  const searchBox = useRef<HTMLInputElement>(null);

  const all = useMemo(() => (snapshot ? entriesOf(snapshot) : []), [snapshot]);
  const entries = useMemo(() => select(all, kind, query), [all, kind, query]);
  const hosts = snapshot?.hosts ?? [];
  const entry = selection?.is === "entry" ? all.find(({ key }) => key === selection.entry.key) : undefined;
  const host = selection?.is === "host" ? hosts.find(({ incarnation }) => incarnation === selection.host.incarnation) : undefined;

  useEffect(() => {
    if (entry) setSelection({ is: "entry", entry });
    else if (host) setSelection({ is: "host", host });
  }, [snapshot]);
  useEffect(() => {
    const timer = setTimeout(() => setNotice(undefined), NOTICE_TIME);
    return () => clearTimeout(timer);
  }, [notice]);

  const choose = (entry: Entry) => {
    setSelection({ is: "entry", entry });
    setReveal((number) => number + 1);
    if (kind !== undefined && kind !== entry.kind) setKind(undefined);
  };
  const act = (action: Action) => {
    perform(action).then(
      (text) => setNotice({ text, failed: false }),
      (error: Error) => setNotice({ text: error.message, failed: true }),
    );
  };

  const moveTo = (place: number) => {
    const entry = entries[Math.min(entries.length - 1, Math.max(0, place))];
    if (entry) choose(entry);
  };
  const move = (step: number) => {
    const place = selection?.is === "entry" ? entries.findIndex(({ key }) => key === selection.entry.key) : -1;
    moveTo(place < 0 && step < 0 ? entries.length - 1 : place < 0 ? 0 : place + step);
  };
  const moveToOpen = (step: number) => {
    const open = all.filter((entry) => entry.kind === "question" || entry.kind === "parked");
    if (open.length === 0) return;
    const place = open.findIndex((other) => other.key === entry?.key);
    choose(open[place < 0 ? (step > 0 ? 0 : open.length - 1) : (place + step + open.length) % open.length]!);
  };
  const showOldest = () => {
    const oldest = all.find(({ work, kind }) => work === snapshot?.queue.oldest?.work && kind !== "question");
    if (oldest) choose(oldest);
  };
  const search = (text: string) => {
    setKind(undefined);
    setQuery(text);
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
    G: () => moveTo(entries.length),
    End: () => moveTo(entries.length),
    Enter: () => document.getElementById("detail")?.focus(),
    e: () => moveToOpen(1),
    E: () => moveToOpen(-1),
    t: () => setTheme(nextTheme(theme)),
    "?": () => setHelp(true),
    "/": () => searchBox.current?.select(),
    "0": () => setKind(undefined),
  };
  KINDS.forEach(({ id }, index) => (actions[String(index + 1)] = () => setKind(id)));
  const onKey = (event: KeyboardEvent) => {
    if (help || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape") {
      if (query !== "") setQuery("");
      else if (selection) setSelection(undefined);
      return focusList();
    }
    if (target === searchBox.current) {
      if (event.key !== "Enter" && event.key !== "ArrowDown") return;
      moveTo(0);
      event.preventDefault();
      return focusList();
    }
    // Fields, buttons and links keep their keys, and the details scroll.
    if (target.matches("input") || (event.key === "Enter" && target.matches("button, a")) || (target.closest("#detail") && /^(Arrow|Page|Home|End)/.test(event.key))) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    if (!["/", "Enter", "?"].includes(event.key)) focusList();
  };
  // Listeners see the state of their render. Effects run after the next frame, in which a second key would see the old state.
  useLayoutEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });

  const close = () => setSelection(undefined);
  return (
    <div class="page">
      <header class="top">
        <h1>
          <span class="brand">inhouse fleet</span> {database}
          <LiveState connection={connection} />
        </h1>
        {snapshot && <Totals snapshot={snapshot} now={now} />}
        <div class="tools">
          <label class="search">
            <span class="visually-hidden">Search</span>
            <input ref={searchBox} type="search" placeholder="Search  /" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
            {query.trim() !== "" && (
              <span class="search-count" role="status">
                {count(entries.length)} found
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
      {problem !== undefined && (
        <p class="problems" role="alert">
          {problem} The page shows what it saw last, and tries again.
        </p>
      )}
      {notice && (
        <p class={notice.failed ? "notice problems" : "notice"} role={notice.failed ? "alert" : "status"}>
          {notice.text}
        </p>
      )}
      {snapshot && <Hosts hosts={hosts} now={now} selected={host?.incarnation} onSelect={(host) => setSelection({ is: "host", host })} />}
      {snapshot && <Filter queue={snapshot.queue} kind={kind} onKind={setKind} />}
      <main>
        <List entries={entries} now={now} selected={entry?.key} reveal={reveal} empty={emptyText(snapshot, all.length)} onSelect={choose} />
        {selection?.is === "entry" ? (
          <EntryDetail entry={entry ?? selection.entry} gone={!entry} now={now} onAction={act} onClose={close} />
        ) : selection?.is === "host" ? (
          <HostDetail host={host ?? selection.host} gone={!host} now={now} onAction={act} onClose={close} onSearch={search} />
        ) : snapshot ? (
          <Overview snapshot={snapshot} now={now} points={points} onOldest={showOldest} />
        ) : (
          <aside class="detail" />
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function Totals({ snapshot: { queue, hosts }, now }: { snapshot: Snapshot; now: number }) {
  const wait = queue.oldest ? now - queue.oldest.created : 0;
  const slots = hosts.reduce((sum, host) => sum + host.slots, 0);
  return (
    <dl class="totals">
      <Total name="Oldest prompt" value={queue.oldest ? age(wait) : "none"} about="How long the oldest unanswered prompt has waited" failed={wait > OLD} />
      <Total name="Queued" value={count(queue.queued)} about="Prompts that have not begun, or wait for another attempt" />
      <Total name="Slots" value={`${count(queue.running)} / ${count(slots)}`} about="Slots in use, of those of all hosts" />
    </dl>
  );
}

/** The states with their numbers; one of them can be chosen. */
function Filter({ queue, kind, onKind }: { queue: Queue; kind: Kind | undefined; onKind: (kind: Kind | undefined) => void }) {
  const counts: Record<Kind, number> = {
    question: queue.questions,
    parked: queue.parked,
    running: queue.running,
    ready: sessionsIn(queue, "ready"),
    delayed: queue.delayed,
    deferred: queue.deferred,
  };
  return (
    <div class="filter" role="group" aria-label="States">
      <button type="button" aria-pressed={kind === undefined} title="Show all (0)" onClick={() => onKind(undefined)}>
        All
      </button>
      {KINDS.map(({ id, label, about }, index) => (
        <button key={id} type="button" class={`kind-${id}`} data-kind={id} aria-pressed={kind === id} title={`${about} (${index + 1})`} onClick={() => onKind(kind === id ? undefined : id)}>
          <span class="dot" aria-hidden="true" /> {label} <span class="filter-count">{count(counts[id])}</span>
        </button>
      ))}
    </div>
  );
}

function emptyText(snapshot: Snapshot | undefined, all: number): string {
  if (!snapshot) return "Asking the database …";
  return all === 0 ? "No prompt waits for an answer." : "Nothing matches. Press Escape to clear the search, or 0 to show all states.";
}
