// Short texts about lines of the wire: titles, outcomes and labels.

import type { Tokens } from "./item.ts";
import { noTokens } from "./item.ts";
import type { Json, JsonObject, RecordedEvent } from "./recording.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "./recording.ts";

const MAX_TITLE = 240;

/** Cuts a text to one line for a row. */
export function oneLine(text: string, max = MAX_TITLE): string {
  // Only the beginning is searched for whitespace: a text can have megabytes.
  const line = text.slice(0, max * 4).replace(/\s+/g, " ").trim();
  const cut = line.length > max ? line.slice(0, max).trimEnd() : line;
  return cut.length < line.length || text.length > max * 4 ? `${cut}…` : cut;
}

/** Returns the text of a message's content: a string, or blocks of which the texts are joined. */
export function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block) => {
    const text = stringAt(block, "text");
    if (text !== undefined) return text;
    const type = stringAt(block, "type");
    return type === undefined ? "" : `[${type}]`;
  });
  return texts.filter((text) => text !== "").join("\n");
}

/** Returns the text of content that has nothing else, and other content as it is. */
export function simplified(content: Json): Json {
  if (!Array.isArray(content) || content.length === 0) return content;
  const isText = (block: Json) => stringAt(block, "type") === "text" && typeof stringAt(block, "text") === "string";
  return content.every(isText) ? contentText(content) : content;
}

/** The members of a tool's input that say most about the call, in the order of preference. */
const SUBJECTS = ["command", "file_path", "path", "pattern", "query", "url", "description", "prompt"];

/** Returns the input of a tool as a short text: the subject, or all members. */
export function inputText(input: Json | undefined): string {
  if (!isObject(input)) return input === undefined ? "" : oneLine(JSON.stringify(input));
  for (const name of SUBJECTS) {
    const subject = stringAt(input, name);
    if (subject !== undefined) return oneLine(subject);
  }
  const members = Object.entries(input).map(([name, value]) => `${name}: ${shortValue(value)}`);
  return oneLine(members.join(", "));
}

function shortValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (isObject(value)) return "{…}";
  return typeof value === "string" ? oneLine(value, 60) : String(value);
}

/** Splits `mcp__server__tool`; built-in tools have no server. */
export function toolName(name: string): { server?: string; tool: string } {
  const match = /^mcp__(.+?)__(.+)$/.exec(name);
  return match ? { server: match[1]!, tool: match[2]! } : { tool: name };
}

/** Returns the type of an event, such as `control_request / mcp_message / tools/call`. */
export function eventLabel(event: RecordedEvent): string {
  const { value } = event;
  if (event.member !== "host" && event.member !== "cli") return event.member;
  if (!isObject(value)) return event.member;
  const request = objectAt(value, "request");
  const labels = [
    stringAt(value, "type") ?? "without type",
    stringAt(value, "subtype"),
    stringAt(request, "subtype"),
    stringAt(objectAt(request, "message"), "method"),
    stringAt(objectAt(request, "input"), "hook_event_name"),
    stringAt(objectAt(value, "response"), "subtype"),
    stringAt(objectAt(value, "event"), "type"),
  ];
  const blocks = arrayAt(objectAt(value, "message"), "content").map((block) => stringAt(block, "type"));
  labels.push(...new Set(blocks));
  return labels.filter((label) => label !== undefined).join(" / ");
}

/** Returns the tokens of a `usage` object of the model's API. */
export function usageTokens(usage: JsonObject): Tokens {
  return {
    input: numberAt(usage, "input_tokens") ?? 0,
    output: numberAt(usage, "output_tokens") ?? 0,
    cacheRead: numberAt(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: numberAt(usage, "cache_creation_input_tokens") ?? 0,
  };
}

/** Returns the tokens and the cost of all models in a `modelUsage` object. */
export function modelUsage(models: JsonObject): { tokens: Tokens; cost: number } {
  const tokens = noTokens();
  let cost = 0;
  for (const model of Object.values(models)) {
    tokens.input += numberAt(model, "inputTokens") ?? 0;
    tokens.output += numberAt(model, "outputTokens") ?? 0;
    tokens.cacheRead += numberAt(model, "cacheReadInputTokens") ?? 0;
    tokens.cacheWrite += numberAt(model, "cacheCreationInputTokens") ?? 0;
    cost += numberAt(model, "costUSD") ?? 0;
  }
  return { tokens, cost };
}

/** Returns what the host decided in its answer to a hook, and whether it objected. */
export function hookOutcome(output: JsonObject): { outcome: string; objected: boolean } {
  const specific = objectAt(output, "hookSpecificOutput");
  const decision = stringAt(specific, "permissionDecision") ?? stringAt(output, "decision");
  const reason = stringAt(specific, "permissionDecisionReason") ?? stringAt(output, "reason");
  if (output["continue"] === false) {
    return { outcome: withReason("stopped the agent", stringAt(output, "stopReason")), objected: true };
  }
  switch (decision) {
    case "deny":
      return { outcome: withReason("denied", reason), objected: true };
    case "block":
      return { outcome: withReason("blocked", reason), objected: true };
    case "allow":
    case "approve":
      return { outcome: withReason("allowed", reason), objected: false };
    case "ask":
      return { outcome: withReason("asks the user", reason), objected: false };
    default:
      return { outcome: stringAt(specific, "additionalContext") ? "added context" : "no objection", objected: false };
  }
}

export function withReason(text: string, reason: string | undefined): string {
  return reason ? `${text}: ${oneLine(reason, 120)}` : text;
}
