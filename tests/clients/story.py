"""One story, told by any MCP client: all tools, both prompts, the resource, refusals. Knows no SDK."""

import json


def check(condition, *words):
    if not condition:
        raise AssertionError(" ".join(str(word) for word in words))


async def tell(client):
    """`client` has: tools(), call(name, arguments) -> (is_error, structured, texts), prompts(), prompt(name,
    arguments) -> text, read(uri) -> text. Every success was checked against the tool's output schema by the SDK."""
    tools = await client.tools()
    names = {tool["name"] for tool in tools}
    expected = {
        "get_tasks", "get_task", "create_task", "update_task", "delete_task", "get_next_task",
        "query_tasks", "get_task_stats", "add_subtask", "update_subtask", "delete_subtask",
    }
    check(names == expected, "tools", names)
    check(all(tool.get("outputSchema") for tool in tools), "every tool has an output schema")

    async def good(name, arguments):
        is_error, structured, texts = await client.call(name, arguments)
        check(not is_error, name, arguments, texts)
        data = structured["tasks"] if name in ("get_tasks", "query_tasks") else structured
        check(json.loads(texts[0]) == data, name, "text and structured content are the same")
        return structured

    async def bad(name, arguments, code):
        is_error, structured, texts = await client.call(name, arguments)
        check(is_error and structured is None, name, arguments, structured, texts)
        error = json.loads(texts[0])["error"]
        check(error["code"] == code, name, error)
        return error

    check(await good("get_tasks", {}) == {"tasks": [], "total": 0}, "empty at first")
    check((await good("get_next_task", {}))["task"] is None, "nothing to do")
    server = await good("create_task", {"title": "Implement MCP server", "priority": "high"})
    docs = await good("create_task", {"title": "Write the docs", "dependencies": [server["id"]]})
    check(docs["dependencies"] == [server["id"]], docs)
    following = await good("get_next_task", {})
    check(following["task"]["id"] == server["id"], following)
    check(following["rationale"].startswith("Recommended: high priority, no dependencies"), following)
    started = await good("update_task", {"id": server["id"][:8], "status": "in-progress"})
    check(started["assignee"], started)
    step = await good("add_subtask", {"parentId": server["id"], "title": "Read a line", "description": "of input"})
    step_id = step["subtasks"][0]["id"]
    check(step_id == server["id"] + ".1", step)
    step = await good("update_subtask", {"subtaskId": step_id, "status": "done"})
    check(step["subtasks"][0]["status"] == "done", step)
    page = await good("query_tasks", {"filters": {"status": ["pending"]}, "sort": {"field": "created", "order": "desc"},
                                      "fields": ["id", "title"]})
    check(page["tasks"] == [{"id": docs["id"], "title": "Write the docs"}], page)
    stats = await good("get_task_stats", {})
    check((stats["total"], stats["byStatus"]["in-progress"], stats["blockedCount"]) == (2, 1, 1), stats)

    prompts = await client.prompts()
    check(set(prompts) == {"session_restore", "task_context"}, prompts)
    restored = await client.prompt("session_restore", {})
    check("Total Tasks: 2" in restored and "## Recent Updates" in restored, restored)
    check("1. Implement MCP server - subtasks changed" in restored, restored)
    context = await client.prompt("task_context", {"taskId": docs["id"]})
    check("- Implement MCP server - status: in-progress" in context, context)

    await bad("get_task", {"id": "nonexistent-uuid"}, -32000)
    await bad("update_task", {"id": server["id"], "dependencies": [docs["id"]]}, -32001)
    await bad("create_task", {"title": "x", "dependencies": ["ffff0000"]}, -32000)
    await bad("delete_subtask", {"subtaskId": server["id"]}, -32602)

    long = "A line that goes on for a while.\n" * 300
    task = await good("create_task", {"title": "Long", "description": long})
    check("⟦todori:" in task["description"], "cut")
    check(long in await client.read("todori://tasks/" + task["id"]), "the resource is whole")
    step = await good("delete_subtask", {"subtaskId": step_id})
    check(step["subtasks"] == [], step)
    gone = await good("delete_task", {"id": server["id"]})
    check(gone == {"success": True, "deletedId": server["id"]}, gone)
    check((await good("get_task", {"id": docs["id"]}))["dependencies"] == [], "freed")
