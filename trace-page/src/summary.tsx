// The overview that is shown while nothing is selected.

import { count, dollars, duration, inputTokens, shortCount } from "./format.ts";
import type { Item } from "./item.ts";
import { SESSION_STARTED } from "./system.ts";
import { toolStatistics } from "./tools.ts";
import type { Trace } from "./trace.ts";

export function Summary({ trace, onSelect }: { trace: Trace; onSelect: (item: Item) => void }) {
  const { header } = trace;
  const init = trace.items.find((item) => item.title === SESSION_STARTED);
  const facts: [string, string | undefined][] = [
    ["Recorded", header?.started === undefined ? undefined : new Date(header.started).toLocaleString([], { dateStyle: "medium", timeStyle: "medium", hour12: false })],
    ...(init?.facts ?? []),
    ["CLI at", header?.cli],
    ["SDK", header?.sdk && `inhouse ${header.sdk}`],
    ["Secrets", header && (header.redacted ? "replaced by [redacted]" : "not redacted: share with care")],
  ];
  const turns = trace.items.filter((item) => item.lane === "turn");
  const tools = toolStatistics(trace);
  const errors = trace.items.filter((item) => item.state === "error");
  return (
    <aside class="detail" id="detail" tabIndex={-1} aria-label="Overview">
      <header class="detail-header">
        <h2>Overview</h2>
        <p class="muted">Select a row to see what both sides said. Press ? for the keys.</p>
      </header>
      <dl class="facts">
        {facts.map(([name, value]) => value && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {errors.length > 0 && (
        <section>
          <h3>Errors</h3>
          {errors.slice(0, 8).map((item) => (
            <button key={item.id} type="button" class={`related lane-${item.lane} is-error`} onClick={() => onSelect(item)}>
              <span class="dot" aria-hidden="true" />
              <span>{item.title || item.lane}</span> <span class="outcome">{item.reason}</span>
            </button>
          ))}
          {errors.length > 8 && <p class="muted">and {count(errors.length - 8)} more: press e for the next one.</p>}
        </section>
      )}
      {turns.length > 0 && (
        <section>
          <h3>Longest turns</h3>
          <table>
            <thead>
              <tr>
                <th>Prompt</th>
                <th class="number">Duration</th>
                <th class="number">Tokens</th>
                <th class="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              {[...turns].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, 8).map((turn) => (
                <tr key={turn.id} class={`is-${turn.state}`}>
                  <td>
                    <button type="button" class="link" onClick={() => onSelect(turn)}>
                      {turn.title || "(no text)"}
                    </button>
                  </td>
                  <td class="number">{turn.end === undefined ? "" : duration(lengthOf(turn))}</td>
                  <td class="number">{turn.tokens && `${shortCount(inputTokens(turn.tokens))} → ${shortCount(turn.tokens.output)}`}</td>
                  <td class="number">{turn.cost === undefined ? "" : dollars(turn.cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {tools.length > 0 && (
        <section>
          <h3>Tools</h3>
          <table>
            <thead>
              <tr>
                <th>Tool</th>
                <th class="number">Calls</th>
                <th class="number">Failed</th>
                <th class="number">Mean</th>
                <th class="number">Longest</th>
              </tr>
            </thead>
            <tbody>
              {tools.slice(0, 12).map((tool) => (
                <tr key={`${tool.kind} ${tool.name}`}>
                  <td>
                    {tool.name} <span class="tag">{tool.kind}</span>
                  </td>
                  <td class="number">{count(tool.calls)}</td>
                  <td class={tool.errors > 0 ? "number failed" : "number muted"}>{count(tool.errors)}</td>
                  <td class="number">{duration(tool.total / tool.calls)}</td>
                  <td class="number">{duration(tool.longest)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </aside>
  );
}

function lengthOf(turn: Item): number {
  return (turn.end ?? turn.start) - turn.start;
}
