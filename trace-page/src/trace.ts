// Builds the model of the page from the lines of a recording, one line at a time.

import { contentText, eventLabel, hookOutcome, inputText, modelUsage, oneLine, simplified, toolName, usageTokens, withReason } from "./describe.ts";
import type { Item, Lane, State, Totals } from "./item.ts";
import { addTokens, noTokens } from "./item.ts";
import { addModelEvent, addModelMessage, type Scope } from "./model.ts";
import type { Header, Json, JsonObject, RecordedEvent } from "./recording.ts";
import { arrayAt, isObject, numberAt, objectAt, readLine, stringAt } from "./recording.ts";
import { addSystemMessage } from "./system.ts";

/** A request that waits for its response. */
interface Pending {
  item: Item;
  answered: (response: JsonObject, event: RecordedEvent) => void;
}

export class Trace {
  header: Header | undefined;
  /** What is wrong with the file, in sentences. */
  problems: string[] = [];
  /** The items without a parent, in the order of their first events. */
  roots: Item[] = [];
  /** All items in the order of their first events. */
  items: Item[] = [];
  /** The time of the last event. */
  end = 0;
  /** Whether the CLI has ended, so that open items stay open. */
  ended = false;
  /** Changes with every line. */
  revision = 0;

  /** The lines of the file; line 1 is at index 0. */
  readonly lines: string[] = [];
  readonly #itemOfLine: (Item | undefined)[] = [];
  readonly #hostRequests = new Map<string, Pending>();
  readonly #cliRequests = new Map<string, Pending>();
  readonly #tools = new Map<string, Item>();
  readonly #scopes = new Map<string, Scope>();
  readonly #turns = new Map<string, Item>();
  #openTurns: Item[] = [];
  #totalCost = 0;
  #stderr: Item | undefined;

  /** Items by the ids of tasks and hooks that `system` messages name. */
  readonly byTask = new Map<string, Item>();
  readonly byHook = new Map<string, Item>();

  /** Adds the lines of a text; only the last may be incomplete. */
  addLines(text: string): void {
    if (text === "") return;
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) this.addLine(line);
  }

  addLine(text: string): void {
    this.lines.push(text);
    this.revision += 1;
    // Without a header nothing else is known about the file.
    if (this.lines.length > 1 && this.header === undefined) return;
    const line = readLine(text, this.lines.length);
    if (line.kind === "header") this.header = line.header;
    if (line.kind === "problem") this.problems.push(line.problem);
    if (line.kind === "event") this.#addEvent(line.event);
  }

  /** Returns the item that an event belongs to. */
  itemOfLine(line: number): Item | undefined {
    return this.#itemOfLine[line];
  }

  totals(): Totals {
    const totals: Totals = { turns: 0, toolCalls: 0, errors: 0, tokens: noTokens(), cost: 0 };
    for (const item of this.items) {
      if (item.state === "error") totals.errors += 1;
      if (item.lane === "tool") totals.toolCalls += 1;
      if (item.lane !== "turn") continue;
      totals.turns += 1;
      if (item.tokens) addTokens(totals.tokens, item.tokens);
      totals.cost += item.cost ?? 0;
    }
    return totals;
  }

  #addEvent(event: RecordedEvent): void {
    this.end = Math.max(this.end, event.t);
    if (event.member !== "stderr") this.#stderr = undefined;
    if (!isObject(event.value) || (event.member !== "host" && event.member !== "cli")) {
      this.#addOther(event);
    } else if (event.side === "host") {
      this.#addHostLine(event, event.value);
    } else {
      this.#addCliLine(event, event.value);
    }
  }

  #addHostLine(event: RecordedEvent, line: JsonObject): void {
    switch (stringAt(line, "type")) {
      case "user":
        return this.#startTurn(event, line);
      case "control_request":
        return this.#addHostRequest(event, line);
      case "control_response":
        return this.#answer(this.#cliRequests, event, line);
      case "control_cancel_request":
        return this.#cancel(this.#hostRequests, event, line, "cancelled by your program");
      default:
        this.instant("protocol", "", eventLabel(event), event);
    }
  }

  #addCliLine(event: RecordedEvent, line: JsonObject): void {
    switch (stringAt(line, "type")) {
      case "assistant":
        return addModelMessage(this, event, line);
      case "stream_event":
        return addModelEvent(this, event, line);
      case "user":
        return this.#addUserMessage(event, line);
      case "result":
        return this.#endTurn(event, line);
      case "system":
        return addSystemMessage(this, event, line);
      case "control_request":
        return this.#addCliRequest(event, line);
      case "control_response":
        return this.#answer(this.#hostRequests, event, line);
      case "control_cancel_request":
        return this.#cancel(this.#cliRequests, event, line, "cancelled by the CLI");
      case "command_lifecycle": {
        const turn = this.#turns.get(stringAt(line, "command_uuid") ?? "");
        if (turn) return this.attach(turn, event);
        break;
      }
      case "tool_progress": {
        const tool = this.#tools.get(stringAt(line, "tool_use_id") ?? "");
        if (tool) return this.attach(tool, event);
        break;
      }
      case "rate_limit_event":
      case "conversation_reset":
        this.instant("session", "", stringAt(line, "type")!.replaceAll("_", " "), event);
        return;
    }
    this.instant("protocol", "", eventLabel(event), event, this.scope(line).parent);
  }

  #addOther(event: RecordedEvent): void {
    const text = typeof event.value === "string" ? event.value : JSON.stringify(event.value);
    switch (event.member) {
      case "stderr": {
        // Lines that follow each other are one message, such as a stack trace.
        const item = (this.#stderr ??= this.instant("session", "stderr", oneLine(text), event));
        if (item.events.at(-1)?.line !== event.line) this.attach(item, event);
        const part = item.parts[0];
        if (part) part.value = `${part.value as string}\n${text}`;
        else item.parts.push({ label: "Text", value: text });
        return;
      }
      case "end":
        this.ended ||= text === "cli";
        this.instant("session", "", text === "cli" ? "The CLI closed its output" : "Your program closed the input", event);
        return;
      case "exit": {
        this.ended = true;
        const code = numberAt(event.value, "code");
        const signal = numberAt(event.value, "signal");
        const item = this.instant("session", "", signal === undefined ? `The CLI exited with code ${code}` : `The CLI was killed by signal ${signal}`, event);
        if (code !== 0) this.fail(item, item.title);
        return;
      }
      case "stopped": {
        this.ended = true;
        const item = this.instant("session", "", "The recording ended early", event);
        this.problems.push(`The recording ended early: ${text}`);
        return this.fail(item, text);
      }
      default: {
        const item = this.instant("session", "not JSON", oneLine(text), event);
        item.parts.push({ label: "Line", value: text });
        item.state = "warning";
        item.reason = "The CLI wrote a line that is not JSON";
      }
    }
  }

  #startTurn(event: RecordedEvent, line: JsonObject): void {
    const content = objectAt(line, "message")["content"];
    const turn = this.begin("turn", "", oneLine(contentText(content)), event);
    turn.parts.push({ label: "Prompt", value: simplified(content ?? null) });
    const uuid = stringAt(line, "uuid");
    if (uuid !== undefined) this.#turns.set(uuid, turn);
    this.#openTurns.push(turn);
    this.scope(line).lastInput = event.t;
  }

  #endTurn(event: RecordedEvent, line: JsonObject): void {
    const uuids = [...arrayAt(line, "user_message_uuids"), line["user_message_uuid"] ?? null];
    const named = uuids.map((uuid) => this.#turns.get(String(uuid)));
    let turns = this.#openTurns.filter((turn) => named.includes(turn));
    if (turns.length === 0) turns = [this.#openTurns[0] ?? this.#turnWithoutPrompt(event)];
    this.#openTurns = this.#openTurns.filter((turn) => !turns.includes(turn));
    const models = objectAt(line, "model_usage_since_last_result");
    const total = numberAt(line, "total_cost_usd") ?? this.#totalCost;
    const usage = modelUsage(models);
    // The total is that of the process; `/clear` sets it to zero.
    const cost = line["model_usage_since_last_result"] ? usage.cost : total >= this.#totalCost ? total - this.#totalCost : total;
    this.#totalCost = total;
    const [first] = turns;
    for (const turn of turns) {
      this.attach(turn, event);
      turn.end = event.t;
      turn.state = "ok";
      const result = line["result"] ?? line["errors"] ?? null;
      const failed = line["is_error"] === true;
      if (result !== null) turn.parts.push({ label: "Result", value: result, failed });
      if (typeof result === "string") turn.outcome = oneLine(result, 120);
      if (failed) {
        const text = typeof result === "string" && result !== "" ? result : contentText(result) || (stringAt(line, "subtype") ?? "error");
        if (stringAt(line, "terminal_reason")?.startsWith("aborted")) {
          turn.state = "warning";
          turn.outcome = turn.reason = "interrupted";
        } else {
          this.fail(turn, text);
        }
      }
      turn.facts.push(["Ended with", [stringAt(line, "subtype"), stringAt(line, "terminal_reason")].filter(Boolean).join(", ")]);
      const turns = numberAt(line, "num_turns");
      if (turns !== undefined) turn.facts.push(["Requests to the model", String(turns)]);
    }
    // One result can answer several prompts; its numbers are counted once.
    if (first) {
      first.tokens = Object.keys(models).length > 0 ? usage.tokens : usageTokens(objectAt(line, "usage"));
      first.cost = cost;
    }
  }

  #addUserMessage(event: RecordedEvent, line: JsonObject): void {
    const scope = this.scope(line);
    scope.lastInput = event.t;
    const content = objectAt(line, "message")["content"];
    const blocks = Array.isArray(content) ? content : [];
    const results = blocks.filter((block) => stringAt(block, "type") === "tool_result");
    for (const block of results) this.#endTool(event, block);
    if (results.length > 0) return;
    const turn = this.#turns.get(stringAt(line, "uuid") ?? "");
    if (turn) return this.attach(turn, event);
    if (scope.parent?.lane === "subagent") return this.attach(scope.parent, event);
    const item = this.instant("session", "message", oneLine(contentText(content)), event, scope.parent);
    item.parts.push({ label: "Text", value: simplified(content ?? null) });
  }

  /** Returns the item of a tool call, which may be known by its request before the model's message. */
  tool(id: string | undefined, event: RecordedEvent, parent?: Item): Item {
    const known = id === undefined ? undefined : this.#tools.get(id);
    if (known) return known;
    const item = this.begin("tool", "", "tool call", event, parent ?? this.turn(event));
    if (id !== undefined) {
      item.toolUseId = id;
      this.#tools.set(id, item);
    }
    return item;
  }

  /** Adds a `tool_use` block of the model. */
  addToolUse(event: RecordedEvent, block: JsonObject, parent: Item | undefined): void {
    const item = this.tool(stringAt(block, "id"), event, parent);
    if (item.events.at(-1)?.line !== event.line) this.attach(item, event);
    const name = stringAt(block, "name") ?? "tool";
    const { server, tool } = toolName(name);
    if (item.kind === "") item.kind = server === undefined ? "built-in" : server;
    item.title = tool;
    item.subject = inputText(block["input"]);
    item.facts.push(["Tool", name]);
    if (!item.parts.some((part) => part.label === "Input")) {
      item.parts.unshift({ label: "Input", value: block["input"] ?? null });
    }
  }

  #endTool(event: RecordedEvent, block: Json): void {
    const item = this.#tools.get(stringAt(block, "tool_use_id") ?? "");
    if (!item) {
      this.instant("session", "tool result", oneLine(contentText(objectAt({ block }, "block")["content"])), event);
      return;
    }
    if (item.events.at(-1)?.line !== event.line) this.attach(item, event);
    item.end = Math.max(item.end ?? 0, event.t);
    const content = isObject(block) ? (block["content"] ?? null) : null;
    const failed = isObject(block) && block["is_error"] === true;
    const value = simplified(content);
    const returned = item.parts.find((part) => part.label === "Result");
    if (returned === undefined || JSON.stringify(returned.value) !== JSON.stringify(value)) {
      item.parts.push({ label: returned ? "Result as the model received it" : "Result", value, failed });
    }
    const text = contentText(content);
    if (item.state === "open") item.state = "ok";
    if (failed) this.fail(item, text);
    else item.outcome ??= oneLine(text, 120);
  }

  #addHostRequest(event: RecordedEvent, line: JsonObject): void {
    const request = objectAt(line, "request");
    const subtype = stringAt(request, "subtype") ?? "request";
    const { subtype: _, ...parameters } = request;
    const method = stringAt(objectAt(request, "message"), "method");
    const item = this.begin(method === undefined ? "control" : "protocol", "", method ?? subtype, event, this.#openTurns[0]);
    item.subject = method === undefined ? inputText(parameters) : (stringAt(request, "server_name") ?? "");
    item.parts.push({ label: "Request", value: parameters });
    this.#hostRequests.set(stringAt(line, "request_id") ?? "", { item, answered: (response) => {
      item.parts.push({ label: "Response", value: response["response"] ?? null });
    } });
  }

  #addCliRequest(event: RecordedEvent, line: JsonObject): void {
    const request = objectAt(line, "request");
    const message = objectAt(request, "message");
    const pending =
      stringAt(request, "subtype") === "mcp_message" && stringAt(message, "method") === "tools/call"
        ? this.#callTool(event, request)
        : this.#askHost(event, request);
    this.#cliRequests.set(stringAt(line, "request_id") ?? "", pending);
  }

  /** A call of a tool in the user's process. */
  #callTool(event: RecordedEvent, request: JsonObject): Pending {
    const parameters = objectAt(objectAt(request, "message"), "params");
    const server = stringAt(request, "server_name") ?? "";
    const name = stringAt(parameters, "name") ?? "tool";
    const id = stringAt(objectAt(parameters, "_meta"), "claudecode/toolUseId") ?? this.#uncalled(`mcp__${server}__${name}`);
    const item = this.tool(id, event);
    if (item.events.at(-1)?.line !== event.line) this.attach(item, event);
    item.kind = `in process · ${server}`;
    item.ran = { start: event.t };
    if (item.parts.length === 0) {
      item.title = name;
      item.subject = inputText(parameters["arguments"]);
      item.parts.push({ label: "Input", value: parameters["arguments"] ?? null });
    }
    return { item, answered: (response, answer) => {
      const reply = objectAt(objectAt(response, "response"), "mcp_response");
      const result = objectAt(reply, "result");
      const failed = result["isError"] === true || isObject(reply["error"]);
      const value = simplified(result["content"] ?? reply["error"] ?? null);
      item.parts.push({ label: "Result", value, failed });
      if (result["structuredContent"] !== undefined) item.parts.push({ label: "Structured result", value: result["structuredContent"] });
      item.ran!.end = answer.t;
      if (failed) this.fail(item, stringAt(reply["error"], "message") ?? contentText(result["content"]));
      else item.outcome = oneLine(contentText(result["content"]), 120);
    } };
  }

  /** Returns the oldest call of a tool that has not reached the host: older CLIs do not name the call. */
  #uncalled(name: string): string | undefined {
    const isWaiting = (item: Item) => item.state === "open" && !item.ran && item.facts.some(([, value]) => value === name);
    return this.items.find((item) => item.lane === "tool" && isWaiting(item))?.toolUseId;
  }

  #askHost(event: RecordedEvent, request: JsonObject): Pending {
    const subtype = stringAt(request, "subtype") ?? "request";
    const toolUseId = stringAt(request, "tool_use_id");
    const parent = this.#tools.get(toolUseId ?? "")?.parent ?? this.#openTurns[0];
    const begin = (lane: Lane, kind: string, title: string, subject = "") => {
      const item = this.begin(lane, kind, oneLine(title), event, parent);
      item.subject = subject;
      if (toolUseId !== undefined) item.toolUseId = toolUseId;
      return item;
    };
    switch (subtype) {
      case "can_use_tool": {
        const { tool } = toolName(stringAt(request, "tool_name") ?? "tool");
        const item = begin("permission", "", tool, inputText(request["input"]));
        item.parts.push({ label: "Input", value: request["input"] ?? null });
        return { item, answered: (response) => {
          const answer = objectAt(response, "response");
          item.parts.push({ label: "Answer", value: answer });
          const denied = stringAt(answer, "behavior") === "deny";
          item.outcome = denied ? withReason("denied", stringAt(answer, "message")) : "allowed";
          if (denied) item.state = "warning";
        } };
      }
      case "hook_callback": {
        const input = objectAt(request, "input");
        const item = begin("hook", "in process", stringAt(input, "hook_event_name") ?? "hook", stringAt(input, "tool_name"));
        item.parts.push({ label: "Event", value: input });
        return { item, answered: (response) => {
          const output = objectAt(response, "response");
          item.parts.push({ label: "Output", value: output });
          const { outcome, objected } = hookOutcome(output);
          item.outcome = outcome;
          if (objected) item.state = "warning";
        } };
      }
      default: {
        const method = stringAt(objectAt(request, "message"), "method");
        const isMcp = subtype === "mcp_message";
        const item = isMcp
          ? begin("protocol", "MCP", method ?? "response", stringAt(request, "server_name"))
          : begin("permission", subtype.replaceAll("_", " "), stringAt(request, "message") ?? stringAt(request, "title") ?? "question");
        item.parts.push({ label: "Request", value: request });
        return { item, answered: (response) => item.parts.push({ label: "Response", value: response["response"] ?? null }) };
      }
    }
  }

  #answer(requests: Map<string, Pending>, event: RecordedEvent, line: JsonObject): void {
    const response = objectAt(line, "response");
    const id = stringAt(response, "request_id") ?? "";
    const pending = requests.get(id);
    if (!pending) {
      this.instant("protocol", "", "response without a request", event);
      return;
    }
    requests.delete(id);
    const { item } = pending;
    this.attach(item, event);
    // A tool call ends when the model gets its result.
    if (item.lane !== "tool" && item.lane !== "subagent") {
      item.end = event.t;
      item.state = "ok";
    }
    if (stringAt(response, "subtype") === "error") {
      const text = stringAt(response, "error") ?? "error";
      item.parts.push({ label: "Error", value: text, failed: true });
      if (item.ran) item.ran.end = event.t;
      return this.fail(item, text);
    }
    pending.answered(response, event);
  }

  #cancel(requests: Map<string, Pending>, event: RecordedEvent, line: JsonObject, reason: string): void {
    const item = requests.get(stringAt(line, "request_id") ?? "")?.item;
    if (!item) {
      this.instant("protocol", "", "cancelled a request that was answered", event);
      return;
    }
    this.attach(item, event);
    item.state = "warning";
    item.end ??= event.t;
    item.reason = item.outcome = reason;
    if (item.ran) item.ran.end ??= event.t;
  }

  /** Returns where the messages of the main conversation or of a subagent belong to. */
  scope(line: JsonObject): Scope {
    const id = stringAt(line, "parent_tool_use_id") ?? "";
    let scope = this.#scopes.get(id);
    if (!scope) this.#scopes.set(id, (scope = { messages: new Map() }));
    const agent = this.#tools.get(id);
    if (agent && agent.lane === "tool") agent.lane = "subagent";
    scope.parent = agent ?? this.#openTurns[0];
    return scope;
  }

  /** Returns the item of a tool call with this id, if the model made it. */
  toolCall(id: string | undefined): Item | undefined {
    return this.#tools.get(id ?? "");
  }

  /** Returns the turn that runs. The CLI also starts turns without a prompt, after a background task. */
  turn(event: RecordedEvent): Item {
    return this.#openTurns[0] ?? this.#turnWithoutPrompt(event);
  }

  #turnWithoutPrompt(event: RecordedEvent): Item {
    const turn = this.begin("turn", "", "Started by the CLI, without a prompt", event);
    this.#openTurns.push(turn);
    return turn;
  }

  /** Begins an item that ends with a later event. */
  begin(lane: Lane, kind: string, title: string, event: RecordedEvent, parent?: Item): Item {
    return this.#add(lane, kind, title, event, "open", parent);
  }

  /** Adds an item without a duration. */
  instant(lane: Lane, kind: string, title: string, event: RecordedEvent, parent: Item | undefined = this.#openTurns[0]): Item {
    return this.#add(lane, kind, title, event, "ok", parent);
  }

  #add(lane: Lane, kind: string, title: string, event: RecordedEvent, state: State, parent?: Item): Item {
    const item: Item = { id: this.items.length, lane, kind, title, start: event.t, state, parts: [], facts: [], events: [], children: [] };
    if (parent) item.parent = parent;
    (parent?.children ?? this.roots).push(item);
    this.items.push(item);
    this.attach(item, event);
    return item;
  }

  attach(item: Item, event: RecordedEvent): void {
    item.events.push({ line: event.line, t: event.t, side: event.side, label: eventLabel(event) });
    this.#itemOfLine[event.line] ??= item;
  }

  fail(item: Item, reason: string): void {
    item.state = "error";
    item.reason = reason;
    item.outcome = oneLine(reason, 120);
  }
}
