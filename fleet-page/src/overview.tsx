// The overview that is shown while nothing is selected.

import { count } from "../../trace-page/src/format.ts";
import { Facts } from "./detail.tsx";
import { age } from "./format.ts";
import { curve, type Point } from "./history.ts";
import { sessionsIn, type Snapshot } from "./snapshot.ts";

export function Overview({ snapshot, now, points, onOldest }: { snapshot: Snapshot; now: number; points: Point[]; onOldest: () => void }) {
  const { queue, hosts } = snapshot;
  const slots = hosts.reduce((sum, host) => sum + host.slots, 0);
  return (
    <aside class="detail" id="detail" tabIndex={-1} aria-label="Overview">
      <header class="detail-header">
        <h2>Overview</h2>
        <p class="muted">Select a row to see more and to act on it. Press ? for the keys.</p>
      </header>
      <Curve title="Oldest unanswered prompt" value={queue.oldest ? age(now - queue.oldest.created) : "none"} values={points.map((point) => point.age)} />
      {queue.oldest && (
        <p class="muted">
          in session{" "}
          <button type="button" class="link" onClick={onOldest}>
            {queue.oldest.session}
          </button>
        </p>
      )}
      <Curve title="Prompts in the queue" value={count(queue.queued)} values={points.map((point) => point.queued)} />
      <Curve title="Running" value={count(queue.running)} values={points.map((point) => point.running)} />
      <section>
        <h3>Sessions with open work</h3>
        <Facts
          facts={[
            ["Running", `${count(queue.running)} in ${count(slots)} slots`],
            ["Ready", count(sessionsIn(queue, "ready"))],
            ["Delayed", count(queue.delayed)],
            ["Deferred", count(queue.deferred)],
          ]}
        />
      </section>
      {snapshot.sessions.length < queue.sessions && (
        <p class="muted cut">
          The list has the {count(snapshot.sessions.length)} sessions with the oldest prompts, of {count(queue.sessions)}.
        </p>
      )}
    </aside>
  );
}

const WIDTH = 100;

function Curve({ title, value, values }: { title: string; value: string; values: number[] }) {
  return (
    <section class="curve">
      <h3>
        {title} <span class="curve-value">{value}</span>
      </h3>
      <svg viewBox={`0 -0.05 ${WIDTH} 1.1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={curve(values, WIDTH)} vector-effect="non-scaling-stroke" />
      </svg>
    </section>
  );
}
