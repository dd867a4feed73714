// The hosts with their slots.

import { count } from "../../trace-page/src/format.ts";
import { age } from "./format.ts";
import type { Host } from "./snapshot.ts";

interface Properties {
  hosts: Host[];
  now: number;
  selected: string | undefined;
  onSelect: (host: Host) => void;
}

export function Hosts({ hosts, now, selected, onSelect }: Properties) {
  return (
    <section class="hosts" aria-label="Hosts">
      {hosts.length === 0 && <p class="no-hosts">No host serves this fleet. Prompts wait until a program calls Fleet::serve.</p>}
      {hosts.map((host) => (
        <button key={host.incarnation} type="button" class={`host is-${stateOf(host, now)}`} aria-pressed={host.incarnation === selected} onClick={() => onSelect(host)}>
          <span class="host-line">
            <span class="name">{host.name}</span>
            <HostState host={host} now={now} />
            <span class="number">
              {count(host.active)} / {count(host.slots)}
            </span>
          </span>
          <span class="slots" role="img" aria-label={`${host.active} of ${host.slots} slots are in use`}>
            <span style={{ width: `${host.slots === 0 ? 0 : Math.min(100, (100 * host.active) / host.slots)}%` }} />
          </span>
        </button>
      ))}
    </section>
  );
}

export function HostState({ host, now }: { host: Host; now: number }) {
  const state = stateOf(host, now);
  if (state === "alive") return null;
  return <span class="tag">{state === "dead" ? `silent for ${age(now - host.alive_until)}` : "draining"}</span>;
}

export function stateOf(host: Host, now: number): "alive" | "draining" | "dead" {
  if (host.alive_until < now) return "dead";
  return host.draining ? "draining" : "alive";
}
