// A tree of JSON whose objects and arrays can be folded.

import { useState } from "preact/hooks";

import { count } from "./format.ts";
import { isObject, type Json } from "./recording.ts";

/** The result of a tool call is this deep in its line. */
const OPEN_DEPTH = 7;
const LONG_TEXT = 1200;
const MANY_MEMBERS = 60;
/** Objects and arrays with more members are folded at first. */
const FOLDED_MEMBERS = 20;

export function JsonTree({ value }: { value: Json }) {
  return (
    <div class="json">
      <Value value={value} depth={0} />
    </div>
  );
}

function Value({ name, value, depth }: { name?: string; value: Json; depth: number }) {
  const members = Array.isArray(value) ? value.map((member, index) => [String(index), member] as const) : isObject(value) ? Object.entries(value) : undefined;
  const label = name === undefined ? null : <span class="json-name">{name}: </span>;
  if (members === undefined) {
    return (
      <div class="json-line">
        {label}
        <Scalar value={value as string | number | boolean | null} />
      </div>
    );
  }
  return <Members label={label} members={members} brackets={Array.isArray(value) ? "[]" : "{}"} depth={depth} />;
}

function Members({ label, members, brackets, depth }: { label: preact.ComponentChild; members: (readonly [string, Json])[]; brackets: string; depth: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH && (depth === 0 || members.length <= FOLDED_MEMBERS));
  const [all, setAll] = useState(false);
  if (members.length === 0) {
    return (
      <div class="json-line">
        {label}
        {brackets}
      </div>
    );
  }
  const shown = all ? members : members.slice(0, MANY_MEMBERS);
  const isArray = brackets === "[]";
  return (
    <div>
      <button type="button" class="json-line json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="twisty" />
        {label}
        <span class="json-size">
          {brackets[0]}
          {open ? "" : ` ${count(members.length)} ${brackets[1]}`}
        </span>
      </button>
      {open && (
        <div class="json-members">
          {shown.map(([name, member]) => (isArray ? <Value key={name} value={member} depth={depth + 1} /> : <Value key={name} name={name} value={member} depth={depth + 1} />))}
          {shown.length < members.length && (
            <button type="button" class="more" onClick={() => setAll(true)}>
              show {count(members.length - shown.length)} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Scalar({ value }: { value: string | number | boolean | null }) {
  if (typeof value !== "string") return <span class="json-scalar">{String(value)}</span>;
  return (
    <span class="json-string">
      <LongText text={JSON.stringify(value)} />
    </span>
  );
}

/** A text of which only the beginning is shown at first. */
export function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  if (all || text.length <= LONG_TEXT * 1.2) return <>{text}</>;
  return (
    <>
      {text.slice(0, LONG_TEXT)}…{" "}
      <button type="button" class="more" onClick={() => setAll(true)}>
        show all {count(text.length)} characters
      </button>
    </>
  );
}
