// A host built with the official TypeScript SDK, for the benchmark: the same servers and handlers as `bench-host`.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const now = () => Number(process.hrtime.bigint());
const memory = (name) => Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(`${name}:\\s+(\\d+)`))[1]);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

let beginReading;
const reading = new Promise((resolve) => (beginReading = resolve));

const server = (name) =>
  createSdkMcpServer({
    name,
    version: "1.0.0",
    tools: [
      tool("add", "Add two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => text(String(a + b))),
      tool("echo", "Say it back", { text: z.string() }, async (said) => text(said.text)),
      tool("slow", "Take a while", {}, async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return text("done");
      }),
      tool("read", "Begin to read", {}, async () => {
        beginReading();
        return text("done");
      }),
    ],
  });

const report = { idle_kib: memory("VmRSS") };
const names = Array.from({ length: Number(process.env.BENCH_SERVERS ?? 1) }, (_, at) => (at === 0 ? "bench" : `bench${at}`));
const options = {
  pathToClaudeCodeExecutable: process.env.BENCH_CLI,
  mcpServers: Object.fromEntries(names.map((name) => [name, server(name)])),
  hooks: {
    PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } })] }],
  },
  canUseTool: async (_tool, input) => ({ behavior: "allow", updatedInput: input }),
};

report.query_ns = now();
report.text_bytes = 0;
const messages = query({ prompt: "Begin.", options });
if (process.env.BENCH_READ_LATE) await reading;
for await (const message of messages) {
  if (message.type === "assistant") {
    let bytes = 0;
    for (const block of message.message.content) if (block.type === "text") bytes += block.text.length;
    if (bytes === 0) appendFileSync(process.env.BENCH_READ_MARKS, ".");
    report.text_bytes += bytes;
  } else if (message.type === "result") {
    report.last_message_ns = now();
    report.last_message_cpu_us = cpu();
  }
}
report.peak_kib = memory("VmHWM");
writeFileSync(process.env.BENCH_HOST_REPORT, JSON.stringify(report));
