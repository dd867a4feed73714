"""Checks the tools of the ring `foreign` with the official Python client.

usage: client.py <auto|legacy> <address or program>
Prints the negotiated protocol version.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ToolListChangedNotification


async def main(mode, server):
    changed = asyncio.Event()

    async def on_message(message):
        if isinstance(getattr(message, "root", message), ToolListChangedNotification):
            changed.set()

    if not server.startswith("http://"):
        server = StdioServerParameters(command=server)
    async with Client(server, mode=mode, message_handler=on_message) as client:
        assert client.server_info.name == "foreign", client.server_info
        assert client.instructions == "Divide with care.", client.instructions
        await check_list(client)
        await check_results(client)
        await check_progress(client)
        if client.protocol_version >= "2026-07-28":
            async with client.listen(tools_list_changed=True) as events:
                await client.call_tool("learn", {})
                event = await anext(aiter(events))
                assert type(event).__name__ == "ToolsListChanged", event
        else:
            await client.call_tool("learn", {})
            await changed.wait()
        assert "fly" in await names(client)
        print(client.protocol_version)


async def check_list(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    divide = tools["divide"]
    assert divide.annotations.read_only_hint is True, divide
    for schema in (divide.input_schema, divide.output_schema):
        assert '"format"' not in json.dumps(schema), schema
    assert "fly" not in tools


async def check_results(client):
    divided = await client.call_tool("divide", {"a": 84, "b": 2})
    expected = {"quotient": 42.0, "divisor": 2}
    assert not divided.is_error, divided
    assert divided.structured_content == expected, divided
    assert json.loads(divided.content[0].text) == expected, divided

    failed = await client.call_tool("divide", {"a": 1, "b": 0})
    assert failed.is_error and failed.content[0].text == "division by zero", failed
    unknown = await client.call_tool("burn", {})
    assert unknown.is_error, unknown

    empty = await client.call_tool("find", {})
    assert not empty.is_error and empty.content == [], empty
    mixed = await client.call_tool("test_multiple_content_types", {})
    kinds = [content.type for content in mixed.content]
    assert kinds == ["text", "image", "resource"], mixed


async def check_progress(client):
    reports = []
    there = asyncio.Event()

    async def on_progress(progress, total, message):
        reports.append((progress, total, message))
        if progress == total:
            there.set()

    async def release():
        await there.wait()
        await client.call_tool("release", {})

    steps = client.call_tool("steps", {}, progress_callback=on_progress)
    result, _ = await asyncio.gather(steps, release())
    assert result.content[0].text == "done", result
    assert reports == [(1, 2, None), (2, 2, "there")], reports


async def names(client):
    return [tool.name for tool in (await client.list_tools()).tools]


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), timeout=60))
