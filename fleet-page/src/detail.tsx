// The details of the selected row or host, and what can be done with it.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { count } from "../../trace-page/src/format.ts";
import type { Entry } from "./entries.ts";
import { age, moment } from "./format.ts";
import { HostState } from "./hosts.tsx";
import { wordOf } from "./list.tsx";
import { QuestionForm } from "./question.tsx";
import type { Host } from "./snapshot.ts";
import type { Action } from "./source.ts";

interface Common {
  now: number;
  /** Whether the fleet no longer has it. */
  gone: boolean;
  onAction: (action: Action) => void;
  onClose: () => void;
}

export function EntryDetail({ entry, now, gone, onAction, onClose }: Common & { entry: Entry }) {
  const { source } = entry;
  return (
    <Panel label="Details" onClose={onClose} path={<><span class="dot" aria-hidden="true" /> <span class="state">{gone ? "No longer open" : wordOf(entry.kind)}</span></>} kind={`kind-${entry.kind}`}>
      <h2>{source.is === "question" ? source.open.question.tool : entry.title}</h2>
      {entry.reason && <p class="reason">{entry.reason}</p>}
      {!gone && (source.is === "question" ? <QuestionForm key={entry.key} open={source.open} onAction={onAction} /> : <WorkActions key={`${entry.key} ${entry.kind}`} entry={entry} onAction={onAction} />)}
      <Facts facts={factsOf(entry, now)} />
    </Panel>
  );
}

export function HostDetail({ host, now, gone, onAction, onClose, onSearch }: Common & { host: Host; onSearch: (text: string) => void }) {
  return (
    <Panel label="Details" onClose={onClose} path={<><span class="state">{gone ? "Gone" : "Host"}</span> {!gone && <HostState host={host} now={now} />}</>}>
      <h2>{host.name}</h2>
      {!gone && (
        <div class="actions">
          <Confirmed label="Drain" question="Drain this host?" disabled={host.draining} onConfirm={() => onAction({ action: "drain", host: host.name })} />
          <button type="button" class="button" onClick={() => onSearch(host.name)}>
            Show its sessions
          </button>
        </div>
      )}
      <p class="muted">A host that is drained takes no further work, hands over what it has, and ends.</p>
      <Facts
        facts={[
          ["Slots in use", `${count(host.active)} of ${count(host.slots)}`],
          ["Serving for", `${age(now - host.since)}, since ${moment(host.since)}`],
          ["Heartbeat", host.alive_until < now ? `overdue by ${age(now - host.alive_until)}` : `due within ${age(host.alive_until - now)}`],
          ["Incarnation", host.incarnation],
        ]}
      />
    </Panel>
  );
}

function WorkActions({ entry, onAction }: { entry: Entry; onAction: (action: Action) => void }) {
  const { work } = entry;
  const stopping = entry.source.is === "session" && entry.source.session.stopping;
  if (stopping) return <p class="actions muted">It is being stopped: its host kills the CLI.</p>;
  return (
    <div class="actions">
      {entry.kind === "parked" ? (
        <button type="button" class="button primary" onClick={() => onAction({ action: "retry", work })}>
          Retry
        </button>
      ) : (
        <button type="button" class="button" onClick={() => onAction({ action: "park", work })}>
          Park
        </button>
      )}
      <Confirmed label="Cancel" question="Cancel this prompt?" onConfirm={() => onAction({ action: "cancel", work })} />
    </div>
  );
}

/** A button that asks once more, because what it does cannot be undone. */
function Confirmed({ label, question, disabled = false, onConfirm }: { label: string; question: string; disabled?: boolean; onConfirm: () => void }) {
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    if (!asks) return;
    const timer = setTimeout(() => setAsks(false), 5000);
    return () => clearTimeout(timer);
  }, [asks]);
  const onClick = () => {
    if (asks) onConfirm();
    setAsks(!asks);
  };
  return (
    <button type="button" class={asks ? "button danger" : "button"} disabled={disabled} onClick={onClick}>
      {asks ? question : label}
    </button>
  );
}

function factsOf(entry: Entry, now: number): [string, string | undefined][] {
  const { source } = entry;
  const since = (time: number) => `${age(now - time)} ago, ${moment(time)}`;
  const common: [string, string | undefined][] = [
    ["Session", entry.session],
    ["Tenant", entry.tenant === entry.session ? undefined : entry.tenant],
    ["Work", entry.work],
  ];
  if (source.is === "question") {
    const { question, asked, expires } = source.open;
    return [...common, ["Question", question.id], ["Asked", since(asked)], ["Expires", expires > now ? `in ${age(expires - now)}, ${moment(expires)}` : "now"]];
  }
  const failed = entry.attempts === 0 ? undefined : count(entry.attempts);
  if (source.is === "parked") {
    return [...common, ["Failed attempts", failed], ["Enqueued", since(source.parked.created)], ["Parked", since(source.parked.parked)]];
  }
  const { session } = source;
  const behind = session.queued - (session.state === "ready" || session.state === "delayed" ? 1 : 0);
  return [
    ...common,
    ["Priority", session.priority === 0 ? undefined : String(session.priority)],
    ["Failed attempts", failed],
    ["Host", session.host === null ? undefined : session.state === "running" ? session.host : `${session.host} (the last one)`],
    ["Enqueued", since(session.created)],
    ["First started", session.started === null ? undefined : since(session.started)],
    ["Begins", session.state === "delayed" ? (session.ready_at > now ? `in ${age(session.ready_at - now)}, ${moment(session.ready_at)}` : "now") : undefined],
    ["Prompts behind it", behind > 0 ? count(behind) : undefined],
  ];
}

export function Facts({ facts }: { facts: [string, string | undefined][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => value !== undefined && (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Panel({ label, kind = "", path, onClose, children }: { label: string; kind?: string; path: ComponentChildren; onClose: () => void; children: ComponentChildren }) {
  return (
    <aside class={`detail ${kind}`} id="detail" tabIndex={-1} aria-label={label}>
      <p class="detail-path">
        {path}
        <button type="button" class="button icon small close" aria-label="Close details" title="Close (Escape)" onClick={onClose}>
          ✕
        </button>
      </p>
      {children}
    </aside>
  );
}
