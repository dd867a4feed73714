// The messages of type `system`: start of a session, hooks that are commands, tasks, retries.

import { oneLine, withReason } from "./describe.ts";
import type { Item } from "./item.ts";
import type { JsonObject, RecordedEvent } from "./recording.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "./recording.ts";
import type { Trace } from "./trace.ts";

/** The title of the item with the facts about the session. */
export const SESSION_STARTED = "Session started";

export function addSystemMessage(trace: Trace, event: RecordedEvent, line: JsonObject): void {
  const subtype = stringAt(line, "subtype") ?? "";
  const parent = trace.scope(line).parent;
  switch (subtype) {
    case "init": {
      // The CLI repeats the message at every turn.
      const isFirst = !trace.items.some((item) => item.title === SESSION_STARTED);
      const item = trace.instant(isFirst ? "session" : "protocol", "", isFirst ? SESSION_STARTED : "init", event, parent);
      item.outcome = [stringAt(line, "model"), `${arrayAt(line, "tools").length} tools`].filter(Boolean).join(", ");
      const facts: [string, string | undefined][] = [
        ["Model", stringAt(line, "model")],
        ["Session", stringAt(line, "session_id")],
        ["Directory", stringAt(line, "cwd")],
        ["Permission mode", stringAt(line, "permissionMode")],
        ["CLI", stringAt(line, "claude_code_version")],
      ];
      for (const [name, value] of facts) if (value !== undefined) item.facts.push([name, value]);
      return;
    }
    case "hook_started": {
      const item = trace.begin("hook", "command", stringAt(line, "hook_name") ?? "hook", event, parent);
      trace.byHook.set(stringAt(line, "hook_id") ?? "", item);
      return;
    }
    case "hook_progress":
    case "hook_response":
      return continueHook(trace, event, line, subtype === "hook_response");
    case "task_started":
      return startTask(trace, event, line, parent);
    case "task_progress":
    case "task_updated":
    case "task_notification":
      return continueTask(trace, event, line, subtype === "task_notification");
    case "permission_denied": {
      const item = trace.instant("permission", "", stringAt(line, "tool_name") ?? "tool", event, parent);
      item.state = "warning";
      item.outcome = withReason("denied", stringAt(line, "message"));
      const id = stringAt(line, "tool_use_id");
      if (id !== undefined) item.toolUseId = id;
      return;
    }
    case "api_retry": {
      const attempt = `${numberAt(line, "attempt")} of ${numberAt(line, "max_retries")}`;
      const item = trace.instant("session", "retry", `The API failed; retry ${attempt}`, event, parent);
      item.state = "warning";
      item.reason = item.outcome = [stringAt(line, "error"), numberAt(line, "error_status")].filter(Boolean).join(" ");
      return;
    }
    case "compact_boundary":
      trace.instant("session", "", "The conversation was compacted", event, parent);
      return;
    case "informational":
    case "model_refusal_no_fallback":
    case "model_refusal_fallback": {
      const text = stringAt(line, "content") || subtype.replaceAll("_", " ");
      const item = trace.instant("session", "", oneLine(text), event, parent);
      item.parts.push({ label: "Text", value: text });
      if (subtype !== "informational" || stringAt(line, "level") === "warning") item.state = "warning";
      return;
    }
    default:
      trace.instant("protocol", "", subtype.replaceAll("_", " "), event, parent).outcome =
        stringAt(line, "state") ?? stringAt(line, "status") ?? stringAt(line, "title") ?? "";
  }
}

function continueHook(trace: Trace, event: RecordedEvent, line: JsonObject, isLast: boolean): void {
  const item = trace.byHook.get(stringAt(line, "hook_id") ?? "");
  if (!item) {
    trace.instant("hook", "command", stringAt(line, "hook_name") ?? "hook", event);
    return;
  }
  trace.attach(item, event);
  if (!isLast) return;
  item.end = event.t;
  item.state = "ok";
  const output = stringAt(line, "output") ?? "";
  item.parts.push({ label: "Output", value: output });
  item.outcome = oneLine(output, 120);
  const outcome = stringAt(line, "outcome");
  if (outcome !== undefined && outcome !== "success") {
    trace.fail(item, stringAt(line, "stderr") || outcome);
  }
}

function startTask(trace: Trace, event: RecordedEvent, line: JsonObject, parent: Item | undefined): void {
  const agent = trace.toolCall(stringAt(line, "tool_use_id"));
  const description = stringAt(line, "description") ?? "task";
  const isAgent = stringAt(line, "task_type") === "local_agent";
  let item: Item;
  if (isAgent && agent) {
    item = agent;
    // The title has the description, which is in the input of the call as well.
    delete item.subject;
    trace.attach(item, event);
  } else {
    item = trace.begin("subagent", "", "", event, agent?.parent ?? parent);
  }
  item.lane = "subagent";
  item.kind = isAgent ? (stringAt(line, "subagent_type") ?? "subagent") : "background";
  item.title = oneLine(description);
  trace.byTask.set(stringAt(line, "task_id") ?? "", item);
}

function continueTask(trace: Trace, event: RecordedEvent, line: JsonObject, isLast: boolean): void {
  const item = trace.byTask.get(stringAt(line, "task_id") ?? "");
  if (!item) {
    trace.instant("subagent", "", stringAt(line, "description") ?? "task", event);
    return;
  }
  trace.attach(item, event);
  const total = numberAt(objectAt(line, "usage"), "total_tokens");
  if (total !== undefined) {
    item.facts = [...item.facts.filter(([name]) => name !== "Tokens of the subagent"), ["Tokens of the subagent", total.toLocaleString("en")]];
  }
  if (!isLast) return;
  item.end = event.t;
  item.state = "ok";
  const summary = stringAt(line, "summary") ?? "";
  item.outcome = oneLine(summary, 120);
  const status = stringAt(line, "status") ?? "completed";
  if (status === "failed") trace.fail(item, summary || status);
  else if (status !== "completed") item.state = "warning";
}
