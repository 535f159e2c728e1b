"""Tells the stories with the official TypeScript SDK, old line and new, over stdio and HTTP: the stories are told here,
typescript_bridge.mjs does what they say. Usage: typescript_sdk.py TODORI NODE FOLDER_WITH_NODE_MODULES"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

import server
import story


class Client:
    """Speaks JSON lines with the bridge."""

    def __init__(self, node, folder, line, mode, target):
        bridge = os.path.join(folder, "typescript_bridge.mjs")
        with open(os.path.join(os.path.dirname(__file__), "typescript_bridge.mjs")) as source, open(bridge, "w") as copy:
            copy.write(source.read())
        self.process = subprocess.Popen([os.path.abspath(node), os.path.abspath(bridge), line, mode, json.dumps(target)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=folder)
        self.spoken = self.ask("hello")

    def ask(self, what, *arguments):
        self.process.stdin.write(json.dumps([what, *arguments]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        story.check(line, "the bridge has ended")
        answer = json.loads(line)
        story.check("error" not in answer, what, arguments, answer)
        return answer["value"]

    async def tools(self):
        return self.ask("tools")

    async def call(self, name, arguments):
        result = self.ask("call", name, arguments)
        texts = [block["text"] for block in result["content"]]
        return bool(result.get("isError")), result.get("structuredContent"), texts

    async def prompts(self):
        return self.ask("prompts")

    async def prompt(self, name, arguments):
        return self.ask("prompt", name, arguments)

    async def read(self, uri):
        return self.ask("read", uri)

    def close(self):
        self.process.stdin.close()
        story.check(self.process.wait(timeout=30) == 0, "the bridge ended cleanly")


def main():
    todori, node, folder = sys.argv[1:]
    todori = os.path.abspath(todori)
    runs = [("1", "initialize"), ("2", "legacy"), ("2", "auto"), ("2", "pin")]
    for line, mode in runs:
        with tempfile.TemporaryDirectory() as project:
            tell(node, folder, line, mode, {"command": todori, "args": server.stdio_arguments(project)})
        with server.over_http(todori) as url:
            tell(node, folder, line, mode, {"url": url + "?session=story"})


def tell(node, folder, line, mode, target):
    client = Client(node, folder, line, mode, target)
    asyncio.run(story.tell_all(client))
    client.close()
    transport = "HTTP" if "url" in target else "stdio"
    print(f"ok: TypeScript SDK {line}.x, {transport}, {mode}: spoke {client.spoken}")


main()
