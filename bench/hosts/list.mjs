// Lists the sessions below CLAUDE_CONFIG_DIR with the official TypeScript SDK, for the benchmark.

import { listSessions } from "@anthropic-ai/claude-agent-sdk";

const begin = performance.now();
const sessions = await listSessions({});
const wall = performance.now() - begin;
const { user, system } = process.cpuUsage();
const report = {
  wall_ms: wall,
  sessions: sessions.length,
  cpu_ms: (user + system) / 1e3,
  peak_kib: process.resourceUsage().maxRSS,
};
console.log(JSON.stringify(report));
