"""A host built with the official Python SDK, for the benchmark: the same servers and handlers as `bench-host`."""

import asyncio
import json
import os
import resource
import time

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResultAllow,
    ResultMessage,
    TextBlock,
    create_sdk_mcp_server,
    query,
    tool,
)


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def memory(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def cpu_us():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def server(name, reading):
    @tool("add", "Add two numbers", {"a": float, "b": float})
    async def add(arguments):
        return text(f"{arguments['a'] + arguments['b']:g}")

    @tool("echo", "Say it back", {"text": str})
    async def echo(arguments):
        return text(arguments["text"])

    @tool("slow", "Take a while", {})
    async def slow(_):
        await asyncio.sleep(0.02)
        return text("done")

    @tool("read", "Begin to read", {})
    async def read(_):
        reading.set()
        return text("done")

    return create_sdk_mcp_server(name, tools=[add, echo, slow, read])


async def before_tool(_input, _tool_use_id, _context):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}


async def permit(_tool, arguments, _context):
    return PermissionResultAllow(updated_input=arguments)


async def prompt():
    yield {"type": "user", "message": {"role": "user", "content": "Begin."}, "parent_tool_use_id": None, "session_id": ""}


async def main():
    report = {"idle_kib": memory("VmRSS")}
    reading = asyncio.Event()
    names = ["bench"] + [f"bench{number}" for number in range(1, int(os.environ.get("BENCH_SERVERS", "1")))]
    options = ClaudeAgentOptions(
        cli_path=os.environ["BENCH_CLI"],
        mcp_servers={name: server(name, reading) for name in names},
        hooks={"PreToolUse": [HookMatcher(hooks=[before_tool])]},
        can_use_tool=permit,
        max_buffer_size=256 * 1024 * 1024,
    )
    report["query_ns"] = time.monotonic_ns()
    text_bytes = 0
    messages = query(prompt=prompt(), options=options)
    if "BENCH_READ_LATE" in os.environ:
        # The SDK starts when the first message is asked for.
        await anext(messages)
        await reading.wait()
    async for message in messages:
        if isinstance(message, AssistantMessage):
            size = 0
            for block in message.content:
                if isinstance(block, TextBlock):
                    size += len(block.text)
            if size == 0:
                with open(os.environ["BENCH_READ_MARKS"], "a") as marks:
                    marks.write(".")
            text_bytes += size
        elif isinstance(message, ResultMessage):
            report["last_message_ns"] = time.monotonic_ns()
            report["last_message_cpu_us"] = cpu_us()
    report["text_bytes"] = text_bytes
    report["peak_kib"] = memory("VmHWM")
    with open(os.environ["BENCH_HOST_REPORT"], "w") as file:
        json.dump(report, file)


asyncio.run(main())
