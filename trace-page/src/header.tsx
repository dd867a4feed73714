// Parts of the header: a total, and whether the page is connected to its server.

export type Connection = "connecting" | "live" | "lost";

export function Total({ name, value, about, failed = false }: { name: string; value: string; about?: string; failed?: boolean }) {
  return (
    <div title={about} class={failed ? "failed" : ""}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function LiveState({ connection, ended = false }: { connection: Connection; ended?: boolean }) {
  const text = ended ? "ended" : connection === "live" ? "live" : connection === "lost" ? "not connected" : "connecting";
  return (
    <span class={`live ${ended ? "ended" : connection}`} role="status">
      {text}
    </span>
  );
}
