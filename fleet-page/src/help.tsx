// The keys, and the words of the page.

import { HelpDialog } from "../../trace-page/src/dialog.tsx";
import { KINDS } from "./entries.ts";

const KEYS: [string, string][] = [
  ["j  ↓", "next row"],
  ["k  ↑", "previous row"],
  ["Enter", "go to the details of the row"],
  ["e  E", "next and previous question or parked prompt"],
  ["g  G", "first and last row"],
  ["0 – 6", "show all, or one state"],
  ["/", "search sessions, tenants, prompts, ids, hosts"],
  ["t", "light or dark"],
  ["Escape", "close what is open"],
  ["?", "this help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <HelpDialog
      title="Watching a fleet"
      about="A session has one row: its prompt that runs or is next. Above the sessions are the calls that wait for a person and the prompts that were parked. The time is how long the prompt has waited for its answer; alarm on the oldest one."
      keys={KEYS}
      onClose={onClose}
    >
      <h3>States</h3>
      <dl>
        {KINDS.map(({ id, label, about }) => (
          <div key={id} class={`kind-${id}`}>
            <dt>
              <span class="dot" aria-hidden="true" /> {label}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </HelpDialog>
  );
}
