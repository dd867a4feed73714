// The keys, and the words of the page.

import { HelpDialog } from "./dialog.tsx";
import { LANES } from "./item.ts";

const KEYS: [string, string][] = [
  ["j  ↓", "next row"],
  ["k  ↑", "previous row"],
  ["Enter", "go to the details of the row"],
  ["←  →", "fold and unfold a turn or a subagent"],
  ["e  E", "next and previous error"],
  ["g  G", "first and last row"],
  ["/", "search titles and lines"],
  ["z  0", "zoom the lanes to the row, and show all"],
  ["t", "light or dark"],
  ["Escape", "close what is open"],
  ["?", "this help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <HelpDialog
      title="Reading a trace"
      about="A turn begins with a prompt and ends with its result. Below it is everything that happened in between. A bar shows when that was within the turn; the solid part of a tool’s bar is the time in your own process. The number of a line is its line in the file."
      keys={KEYS}
      onClose={onClose}
    >
      <h3>Lanes</h3>
      <dl>
        {LANES.map(({ id, label, about }) => (
          <div key={id} class={`lane-${id}`}>
            <dt>
              <span class="dot" aria-hidden="true" /> {label}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">Click a lane to show or hide it. Drag over the lanes to zoom.</p>
    </HelpDialog>
  );
}
