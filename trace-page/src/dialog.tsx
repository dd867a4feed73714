// The frame of the help: what the page shows, and its keys.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Properties {
  title: string;
  about: string;
  /** Keys, with two spaces between alternatives, and what they do. */
  keys: [string, string][];
  /** The second column. */
  children: ComponentChildren;
  onClose: () => void;
}

export function HelpDialog({ title, about, keys, children, onClose }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <div class="help-content">
        <header>
          <h2 id="help-title">{title}</h2>
          <button type="button" class="button icon close" aria-label="Close help" onClick={onClose}>
            ✕
          </button>
        </header>
        <p>{about}</p>
        <div class="help-columns">
          <section>
            <h3>Keys</h3>
            <dl>
              {keys.map(([keys, action]) => (
                <div key={keys}>
                  <dt>{keys.split("  ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
          <section>{children}</section>
        </div>
      </div>
    </dialog>
  );
}
