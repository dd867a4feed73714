// Where the lines of the recording come from: the page itself, or the server of `inhouse trace --follow`.

import type { Connection } from "./header.tsx";
import type { Trace } from "./trace.ts";

export interface Source {
  /** The name of the file. */
  name: string;
  /** Whether lines are added while the page is open. */
  follows: boolean;
}

/** Reads the lines in the page and, with `--follow`, those that the server sends. */
export function load(trace: Trace, onLines: () => void, onConnection: (connection: Connection) => void): Source {
  const element = document.getElementById("recording")!;
  const { name, follow } = element.dataset;
  trace.addLines(trimmed(element.textContent));
  if (follow !== undefined) {
    // The browser reconnects by itself and sends the id of the last message, from which the server continues.
    const events = new EventSource(follow);
    events.onopen = () => onConnection("live");
    events.onerror = () => onConnection("lost");
    // The file was replaced by that of another session.
    events.addEventListener("restart", () => location.reload());
    events.onmessage = (message: MessageEvent<string>) => {
      trace.addLines(message.data);
      onLines();
    };
  }
  return { name: name ?? "recording", follows: follow !== undefined };
}

/** Removes the line feed after the opening tag. */
function trimmed(text: string): string {
  return text.startsWith("\n") ? text.slice(1) : text;
}
