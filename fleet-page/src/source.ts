// The connection to `inhouse fleet --web`: snapshots of the fleet from it, actions to it.

import type { Connection } from "../../trace-page/src/header.tsx";
import type { Json } from "../../trace-page/src/recording.ts";

export type Answer = { decision: "allow" } | { decision: "allow_with"; detail: Json } | { decision: "deny"; detail: string };

export type Action =
  | { action: "park" | "retry" | "cancel"; work: string }
  | { action: "answer"; question: string; answer: Answer }
  | { action: "drain"; host: string };

interface Listener {
  /** Members of the snapshot that have changed, as JSON. */
  onMembers: (json: string) => void;
  /** The database cannot be asked at the moment. */
  onProblem: (text: string) => void;
  onConnection: (connection: Connection) => void;
}

const { name, token } = document.getElementById("fleet")!.dataset;

/** The database, without its password. */
export const database = name ?? "";

export function connect({ onMembers, onProblem, onConnection }: Listener): void {
  // The browser reconnects by itself, and a new connection begins with a whole snapshot.
  const events = new EventSource("events");
  events.onopen = () => onConnection("live");
  events.onerror = () => onConnection("lost");
  events.onmessage = (message: MessageEvent<string>) => onMembers(message.data);
  events.addEventListener("problem", (message: MessageEvent<string>) => onProblem(message.data));
}

/** Performs an action and returns what it did; throws why it could not. */
export async function perform(action: Action): Promise<string> {
  // Pages of other sites can send neither this header nor this type without the consent of the server, which never gives it.
  const headers = { "content-type": "application/json", "x-inhouse-token": token ?? "" };
  const response = await fetch("action", { method: "POST", headers, body: JSON.stringify(action) }).catch(() => undefined);
  if (!response) throw new Error("`inhouse fleet --web` does not answer: start it again.");
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
