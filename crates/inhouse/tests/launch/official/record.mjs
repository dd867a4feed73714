// Records what the official TypeScript SDK sends to the CLI for each case.
//
// usage: node record.mjs <stand-in> <output>
//
// Run by `cargo xtask record-official`, from the directory into which the SDK was installed. The
// cases have the names and the options of those in `cases.rs` and `record.py`.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const [standIn, output] = process.argv.slice(2);
const session = "6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46";
const other = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";

const calculator = () =>
  createSdkMcpServer({
    name: "calc",
    version: "1.0.0",
    tools: [
      tool("add", "Adds two numbers.", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
        content: [{ type: "text", text: String(a + b) }],
      })),
    ],
  });

const schema = {
  type: "object",
  properties: { accepted: { type: "boolean" } },
  required: ["accepted"],
};

const cases = {
  default: {},
  model: {
    model: "opus",
    fallbackModel: "sonnet",
    maxTurns: 3,
    maxBudgetUsd: 0.5,
    taskBudget: { total: 100000 },
    betas: ["context-1m-2025-08-07"],
  },
  thinking_adaptive: { thinking: { type: "adaptive", display: "summarized" }, effort: "high" },
  thinking_budget: { thinking: { type: "enabled", budgetTokens: 2048 } },
  thinking_disabled: { thinking: { type: "disabled" } },
  prompt_text: { systemPrompt: "Be terse." },
  prompt_preset: { systemPrompt: { type: "preset", preset: "claude_code" } },
  prompt_append: {
    systemPrompt: { type: "preset", preset: "claude_code", append: "Prefer Rust." },
  },
  tools: {
    tools: ["Bash", "Read"],
    allowedTools: ["Read", "Bash(git log:*)"],
    disallowedTools: ["WebFetch", "Bash(rm *)"],
  },
  tools_preset: { tools: { type: "preset", preset: "claude_code" } },
  tools_none: { tools: [] },
  permission_mode: { permissionMode: "plan" },
  permission_handler: { canUseTool: async () => ({ behavior: "allow", updatedInput: {} }) },
  permission_tool: { permissionPromptToolName: "mcp__guard__ask" },
  directories: { additionalDirectories: ["/srv/data", "/srv/more"] },
  sandbox: {
    sandbox: {
      enabled: true,
      autoAllowBashIfSandboxed: true,
      network: { allowLocalBinding: true },
    },
  },
  mcp_stdio: {
    mcpServers: { browser: { type: "stdio", command: "npx", args: ["@playwright/mcp"] } },
    strictMcpConfig: true,
  },
  mcp_secret: {
    mcpServers: {
      crm: { type: "http", url: "https://mcp.example/crm", headers: { "X-Key": "k" } },
    },
  },
  mcp_in_process: { mcpServers: { calc: calculator() } },
  hooks: {
    hooks: { PreToolUse: [{ matcher: "Bash", timeout: 30, hooks: [async () => ({})] }] },
  },
  agents: {
    agents: {
      reviewer: { description: "Reviews changes", prompt: "You review.", tools: ["Read"] },
    },
  },
  skills: { skills: ["pdf", "docs:write"], settingSources: ["user", "project"] },
  plugins: { plugins: [{ type: "local", path: "/srv/plugins/a" }] },
  session_id: { sessionId: other },
  resume: { resume: session },
  continue: { continue: true },
  fork: { resume: session, forkSession: true, sessionId: other },
  settings_text: { settings: '{"permissions":{"deny":["WebFetch"]}}' },
  settings_secret: { settings: '{"env":{"TOKEN":"hunter2"}}' },
  settings_file: { settings: "/srv/settings.json" },
  setting_sources: { settingSources: [] },
  stream: {
    includePartialMessages: true,
    includeHookEvents: true,
    forwardSubagentText: true,
  },
  output_format: { outputFormat: { type: "json_schema", schema } },
  checkpoints: { enableFileCheckpointing: true },
  env: { env: { ...process.env, RUST_LOG: "debug" } },
  cwd: { cwd: "/" },
  extra_args: { extraArgs: { "replay-user-messages": null, workload: "night" } },
  verbatim: { verbatimPrompts: true },
};

const nested = {
  CLAUDECODE: "1",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  NODE_OPTIONS: "--max-old-space-size=512",
};

const recordings = {};
// The SDK changes the environment of its own process, so the base is taken before the first run.
const base = { ...process.env };
for (const [name, options] of Object.entries(cases)) {
  recordings[name] = await record(options, base);
}
Object.assign(process.env, nested);
recordings.nested = await record({}, { ...base, ...nested });
writeFileSync(output, JSON.stringify(recordings));

async function record(options, base) {
  const file = join(dirname(standIn), "record.json");
  rmSync(file, { force: true });
  const run = query({ prompt: "Hello", options: { ...options, pathToClaudeCodeExecutable: standIn } });
  for await (const message of run) {
    if (message.type === "result") break;
  }
  return { base, ...JSON.parse(readFileSync(file, "utf8")) };
}
