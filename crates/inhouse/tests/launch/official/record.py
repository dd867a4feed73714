"""Records what the official Python SDK sends to the CLI for each case.

usage: python record.py <stand-in> <output>

Run by `cargo xtask record-official`, with the interpreter into which the SDK was installed. The
cases have the names and the options of those in `cases.rs` and `record.mjs`.
"""

import asyncio
import json
import os
import sys

from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    create_sdk_mcp_server,
    tool,
)

SESSION = "6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46"
OTHER = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11"

SCHEMA = {
    "type": "object",
    "properties": {"accepted": {"type": "boolean"}},
    "required": ["accepted"],
}

NESTED = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "NODE_OPTIONS": "--max-old-space-size=512",
}


@tool("add", "Adds two numbers.", {"a": float, "b": float})
async def add(args):
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


async def allow(_name, _input, _context):
    return PermissionResultAllow()


async def no_opinion(_input, _tool_use_id, _context):
    return {}


CASES = {
    "default": {},
    "model": {
        "model": "opus",
        "fallback_model": "sonnet",
        "max_turns": 3,
        "max_budget_usd": 0.5,
        "task_budget": {"total": 100000},
        "betas": ["context-1m-2025-08-07"],
    },
    "thinking_adaptive": {
        "thinking": {"type": "adaptive", "display": "summarized"},
        "effort": "high",
    },
    "thinking_budget": {"thinking": {"type": "enabled", "budget_tokens": 2048}},
    "thinking_disabled": {"thinking": {"type": "disabled"}},
    "prompt_text": {"system_prompt": "Be terse."},
    "prompt_preset": {"system_prompt": {"type": "preset", "preset": "claude_code"}},
    "prompt_append": {
        "system_prompt": {"type": "preset", "preset": "claude_code", "append": "Prefer Rust."}
    },
    "tools": {
        "tools": ["Bash", "Read"],
        "allowed_tools": ["Read", "Bash(git log:*)"],
        "disallowed_tools": ["WebFetch", "Bash(rm *)"],
    },
    "tools_preset": {"tools": {"type": "preset", "preset": "claude_code"}},
    "tools_none": {"tools": []},
    "permission_mode": {"permission_mode": "plan"},
    "permission_handler": {"can_use_tool": allow},
    "permission_tool": {"permission_prompt_tool_name": "mcp__guard__ask"},
    "directories": {"add_dirs": ["/srv/data", "/srv/more"]},
    "sandbox": {
        "sandbox": {
            "enabled": True,
            "autoAllowBashIfSandboxed": True,
            "network": {"allowLocalBinding": True},
        }
    },
    "mcp_stdio": {
        "mcp_servers": {
            "browser": {"type": "stdio", "command": "npx", "args": ["@playwright/mcp"]}
        },
        "strict_mcp_config": True,
    },
    "mcp_secret": {
        "mcp_servers": {
            "crm": {"type": "http", "url": "https://mcp.example/crm", "headers": {"X-Key": "k"}}
        }
    },
    "mcp_in_process": {"mcp_servers": {"calc": create_sdk_mcp_server("calc", tools=[add])}},
    "hooks": {
        "hooks": {"PreToolUse": [HookMatcher(matcher="Bash", timeout=30, hooks=[no_opinion])]}
    },
    "agents": {
        "agents": {
            "reviewer": AgentDefinition(
                description="Reviews changes", prompt="You review.", tools=["Read"]
            )
        }
    },
    "skills": {"skills": ["pdf", "docs:write"], "setting_sources": ["user", "project"]},
    "plugins": {"plugins": [{"type": "local", "path": "/srv/plugins/a"}]},
    "session_id": {"session_id": OTHER},
    "resume": {"resume": SESSION},
    "continue": {"continue_conversation": True},
    "fork": {"resume": SESSION, "fork_session": True, "session_id": OTHER},
    "settings_text": {"settings": '{"permissions":{"deny":["WebFetch"]}}'},
    "settings_secret": {"settings": '{"env":{"TOKEN":"hunter2"}}'},
    "settings_file": {"settings": "/srv/settings.json"},
    "setting_sources": {"setting_sources": []},
    "stream": {
        "include_partial_messages": True,
        "include_hook_events": True,
        "forward_subagent_text": True,
    },
    "output_format": {"output_format": {"type": "json_schema", "schema": SCHEMA}},
    "checkpoints": {"enable_file_checkpointing": True},
    "env": {"env": {"RUST_LOG": "debug"}},
    "cwd": {"cwd": "/"},
    "extra_args": {"extra_args": {"replay-user-messages": None, "workload": "night"}},
    "verbatim": {"verbatim_prompts": True},
}


async def record(stand_in, options):
    path = os.path.join(os.path.dirname(stand_in), "record.json")
    if os.path.exists(path):
        os.remove(path)
    base = dict(os.environ)
    # A client, because a permission handler needs one: a query with a text closes its input.
    async with ClaudeSDKClient(ClaudeAgentOptions(cli_path=stand_in, **options)) as client:
        await client.query("Hello")
        async for _message in client.receive_response():
            pass
    with open(path, encoding="utf-8") as file:
        return {"base": base, **json.load(file)}


async def main():
    stand_in, output = sys.argv[1:]
    recordings = {name: await record(stand_in, options) for name, options in CASES.items()}
    os.environ.update(NESTED)
    recordings["nested"] = await record(stand_in, {})
    with open(output, "w", encoding="utf-8") as file:
        json.dump(recordings, file)


asyncio.run(main())
