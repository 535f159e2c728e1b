"""Tells the stories with the official Python SDK, of the old line (1.x) or the new one (2.x), over stdio and HTTP; and
the direct methods over plain pipes. Usage: python_sdk.py TODORI"""

import asyncio
import contextlib
import importlib.metadata
import json
import subprocess
import sys
import tempfile

import server
import story


def field(value, *names):
    """The SDK's two lines spell the same fields differently."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise AttributeError(names)


class Client:
    def __init__(self, session):
        self.session = session

    async def tools(self):
        result = await self.session.list_tools()
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in result.tools]

    async def call(self, name, arguments):
        result = await self.session.call_tool(name, arguments)
        structured = field(result, "structured_content", "structuredContent")
        texts = [block.text for block in result.content]
        return bool(field(result, "is_error", "isError")), structured, texts

    async def prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        result = await self.session.get_prompt(name, arguments)
        return result.messages[0].content.text

    async def read(self, uri):
        result = await self.session.read_resource(uri)
        return result.contents[0].text


async def new_line(target, mode):
    from mcp import Client as SdkClient

    async with SdkClient(target, mode=mode) as session:
        await story.tell_all(Client(session))
        return session.protocol_version


async def old_line(target):
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    connect = streamablehttp_client if isinstance(target, str) else stdio_client
    async with contextlib.AsyncExitStack() as stack:
        streams = await stack.enter_async_context(connect(target))
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        result = await session.initialize()
        await story.tell_all(Client(session))
        return result.protocolVersion


def direct_methods(todori, folder):
    """All eleven tools as plain JSON-RPC methods, without a handshake."""
    process = subprocess.Popen([todori, "serve", "--project", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(method, **params):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        story.check(answer["id"] == method, answer)
        return answer.get("result", answer.get("error"))

    task = ask("create_task", title="Direct", priority="low")
    story.check(ask("get_tasks")[0]["id"] == task["id"], "a bare list")
    story.check(ask("get_task", id=task["id"])["title"] == "Direct")
    story.check(ask("update_task", id=task["id"], status="done")["metadata"]["completed"])
    story.check(ask("add_subtask", parentId=task["id"], title="Subtask")["subtasks"][0]["status"] == "pending")
    story.check(ask("update_subtask", subtaskId=task["id"] + ".1", title="Pace")["subtasks"][0]["title"] == "Pace")
    story.check(ask("delete_subtask", subtaskId=task["id"] + ".1")["subtasks"] == [])
    story.check(ask("query_tasks", fields=["title"]) == [{"title": "Direct"}])
    story.check(ask("get_next_task")["task"] is None)
    story.check(ask("get_task_stats")["byStatus"]["done"] == 1)
    story.check(ask("delete_task", id=task["id"]) == {"success": True, "deletedId": task["id"]})
    story.check(ask("get_task", id=task["id"])["code"] == -32000)
    process.stdin.close()
    story.check(process.wait(timeout=30) == 0, "ended cleanly")


def main():
    from mcp import StdioServerParameters

    todori = sys.argv[1]
    version = importlib.metadata.version("mcp")
    modes = ["legacy", "auto"] if version.startswith("2.") else ["initialize"]

    def tell(target, transport, mode):
        told = new_line(target, mode) if version.startswith("2.") else old_line(target)
        print(f"ok: Python SDK {version}, {transport}, {mode}: spoke {asyncio.run(told)}")

    for mode in modes:
        with tempfile.TemporaryDirectory() as folder:
            tell(StdioServerParameters(command=todori, args=server.stdio_arguments(folder)), "stdio", mode)
        with server.over_http(todori) as url:
            # One list for this client alone, also where the protocol has no sessions.
            tell(url + "?session=story", "HTTP", mode)
    with tempfile.TemporaryDirectory() as folder:
        direct_methods(todori, folder)
        print("ok: direct methods")


main()
