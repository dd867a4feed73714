// The messages of the model, whole and streamed.

import { oneLine, toolName, usageTokens } from "./describe.ts";
import type { Item, Part, Tokens } from "./item.ts";
import type { JsonObject, RecordedEvent } from "./recording.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "./recording.ts";
import type { Trace } from "./trace.ts";

/** The main conversation, or that of a subagent. */
export interface Scope {
  /** The turn or the subagent. */
  parent?: Item | undefined;
  /** The time of the last prompt or tool result, at which a request to the model starts. */
  lastInput?: number;
  messages: Map<string, Message>;
  streaming?: Message;
}

interface Message {
  item: Item;
  /** The parts that are streamed, by the index of their blocks, until the whole block comes. */
  streamed: Map<number, Part>;
}

const PART_LABELS: Record<string, string> = { text: "Text", thinking: "Thinking" };

/** Adds a line `assistant`, which has one or more whole blocks of a message. */
export function addModelMessage(trace: Trace, event: RecordedEvent, line: JsonObject): void {
  const content = objectAt(line, "message");
  const scope = trace.scope(line);
  const message = messageOf(trace, scope, event, content);
  const { item } = message;
  item.end = event.t;
  for (const block of arrayAt(content, "content")) {
    if (!isObject(block)) continue;
    const type = stringAt(block, "type") ?? "";
    if (type === "tool_use") {
      trace.addToolUse(event, block, item.parent);
      if (item.title === "") item.outcome = `calls ${[item.outcome?.slice(6), toolName(stringAt(block, "name") ?? "tool").tool].filter(Boolean).join(", ")}`;
      continue;
    }
    const text = stringAt(block, type) ?? "";
    const part: Part = { label: PART_LABELS[type] ?? type, value: type in PART_LABELS ? text : block };
    if (type === "thinking") part.collapsed = true;
    replaceStreamed(message, part);
    if (type === "text") {
      item.title = oneLine(text);
      delete item.outcome;
    }
    if (type === "thinking" && item.title === "" && text !== "") item.outcome = "thinks";
  }
  const error = stringAt(line, "error");
  if (error !== undefined) trace.fail(item, `${error}: ${item.title}`);
}

/** Adds a line `stream_event`: a part of a message while the model writes it. */
export function addModelEvent(trace: Trace, event: RecordedEvent, line: JsonObject): void {
  const scope = trace.scope(line);
  const streamed = objectAt(line, "event");
  const type = stringAt(streamed, "type");
  if (type === "message_start") {
    scope.streaming = messageOf(trace, scope, event, objectAt(streamed, "message"));
    return;
  }
  const message = scope.streaming;
  if (!message) {
    trace.instant("protocol", "", "stream event without a message", event, scope.parent);
    return;
  }
  const { item } = message;
  trace.attach(item, event);
  item.end = event.t;
  if (type === "content_block_start" && !item.facts.some(([name]) => name === "First token after")) {
    item.facts.push(["First token after", `${Math.round((event.t - item.start) / 1000).toLocaleString("en")} ms`]);
  }
  if (type === "content_block_delta") addDelta(message, streamed);
  if (type === "message_delta") addUsage(item, objectAt(streamed, "usage"));
}

function addDelta(message: Message, streamed: JsonObject): void {
  const delta = objectAt(streamed, "delta");
  const type = (stringAt(delta, "type") ?? "").replace("_delta", "");
  const text = stringAt(delta, type);
  if (!(type in PART_LABELS) || text === undefined) return;
  const index = numberAt(streamed, "index") ?? 0;
  let part = message.streamed.get(index);
  if (!part) {
    part = { label: PART_LABELS[type]!, value: "" };
    if (type === "thinking") part.collapsed = true;
    message.streamed.set(index, part);
    message.item.parts.push(part);
  }
  part.value = (part.value as string) + text;
  if (type === "text" && message.item.title.length < 240) message.item.title = oneLine(part.value as string);
}

/** Puts a whole block in the place of what was streamed of it. */
function replaceStreamed(message: Message, part: Part): void {
  for (const [index, streamed] of message.streamed) {
    if (streamed.label !== part.label) continue;
    message.streamed.delete(index);
    message.item.parts[message.item.parts.indexOf(streamed)] = part;
    return;
  }
  message.item.parts.push(part);
}

function messageOf(trace: Trace, scope: Scope, event: RecordedEvent, content: JsonObject): Message {
  const id = stringAt(content, "id") ?? `line ${event.line}`;
  let message = scope.messages.get(id);
  if (message) {
    trace.attach(message.item, event);
  } else {
    const item = trace.begin("model", "", "", event, scope.parent ?? trace.turn(event));
    item.state = "ok";
    item.start = Math.min(scope.lastInput ?? event.t, event.t);
    const model = stringAt(content, "model");
    if (model !== undefined) item.facts.push(["Model", model]);
    message = { item, streamed: new Map() };
    scope.messages.set(id, message);
  }
  addUsage(message.item, objectAt(content, "usage"));
  return message;
}

/** Usage is reported several times for a message, and only grows. */
function addUsage(item: Item, usage: JsonObject): void {
  const tokens = usageTokens(usage);
  const known = (item.tokens ??= tokens);
  for (const name of Object.keys(tokens) as (keyof Tokens)[]) known[name] = Math.max(known[name], tokens[name]);
}
