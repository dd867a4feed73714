// The keys, and the words of the page.

import { useEffect, useRef } from "preact/hooks";

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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <div class="help-content">
        <header>
          <h2 id="help-title">Reading a trace</h2>
          <button type="button" class="button icon close" aria-label="Close help" onClick={onClose}>
            ✕
          </button>
        </header>
        <p>
          A turn begins with a prompt and ends with its result. Below it is everything that happened in between. A bar shows when that was
          within the turn; the solid part of a tool&rsquo;s bar is the time in your own process. The number of a line is its line in the file.
        </p>
        <div class="help-columns">
          <section>
            <h3>Keys</h3>
            <dl>
              {KEYS.map(([keys, action]) => (
                <div key={keys}>
                  <dt>{keys.split("  ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
          <section>
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
          </section>
        </div>
      </div>
    </dialog>
  );
}
