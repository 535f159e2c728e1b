"""Stories that any MCP client can tell: all tools of all toolsets, both prompts, the resources, refusals. Knows no SDK.

A client has: tools() -> [definition], call(name, arguments) -> (is_error, structured, texts), prompts() -> [name],
prompt(name, arguments) -> text, read(uri) -> text. Every success was checked against the tool's output schema by the
SDK; text and structured content are compared here."""

import json


def check(condition, *words):
    if not condition:
        raise AssertionError(" ".join(str(word) for word in words))


TOOLS = {
    "tasks": {"get_tasks", "get_task", "create_task", "update_task", "delete_task", "get_next_task", "query_tasks",
              "get_task_stats", "add_subtask", "update_subtask", "delete_subtask"},
    "todo": {"todo_read", "todo_update"},
    "todolist": {"todolist__get", "todolist__set"},
    "todowrite": {"TodoWrite"},
    "app": {"add_todo", "list_todos", "complete_todo", "complete_todo_by_index", "complete_todo_by_title",
            "delete_completed"},
}


class Teller:
    def __init__(self, client):
        self.client = client

    async def good(self, name, arguments):
        is_error, structured, texts = await self.client.call(name, arguments)
        check(not is_error, name, arguments, texts)
        if name not in TOOLS["app"]:
            data = structured["tasks"] if name in ("get_tasks", "query_tasks") else structured
            check(json.loads(texts[0]) == data, name, "text and structured content are the same")
        return structured

    async def bad(self, name, arguments, code):
        is_error, structured, texts = await self.client.call(name, arguments)
        check(is_error, name, arguments, structured, texts)
        error = json.loads(texts[0])["error"]
        check(error["code"] == code, name, error)
        if name in TOOLS["app"]:
            check(structured["error"]["code"] == code and isinstance(structured["tasks"], list), structured)
        else:
            check(structured is None, name, "no structured content in errors")
        return error


async def tell_all(client):
    tools = await client.tools()
    names = {tool["name"] for tool in tools}
    check(names == set().union(*TOOLS.values()), "tools", names)
    check(all(tool.get("outputSchema") for tool in tools), "every tool has an output schema")
    teller = Teller(client)
    await tell_tasks(client, teller.good, teller.bad)
    await tell_todo(teller.good, teller.bad)
    await tell_sessions(teller.good, teller.bad)
    await tell_app(client, teller.good, teller.bad)


async def tell_tasks(client, good, bad):
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
    subtask = await good("add_subtask", {"parentId": server["id"], "title": "Read a line", "description": "of input"})
    subtask_id = subtask["subtasks"][0]["id"]
    check(subtask_id == server["id"] + ".1", subtask)
    subtask = await good("update_subtask", {"subtaskId": subtask_id, "status": "done"})
    check(subtask["subtasks"][0]["status"] == "done", subtask)
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
    check("Write the docs" in await client.read("todori://board"), "the board is readable")
    subtask = await good("delete_subtask", {"subtaskId": subtask_id})
    check(subtask["subtasks"] == [], subtask)
    gone = await good("delete_task", {"id": server["id"]})
    check(gone == {"success": True, "deletedId": server["id"]}, gone)
    check((await good("get_task", {"id": docs["id"]}))["dependencies"] == [], "freed")
    await good("delete_task", {"id": docs["id"]})
    await good("delete_task", {"id": task["id"]})


async def tell_todo(good, bad):
    listed = await good("todo_update", {"add": [{"content": "One", "priority": "high"}, {"content": "Two"}]})
    one, two = (todo["id"] for todo in listed["todos"])
    listed = await good("todo_update", {"update": [{"id": one, "status": "in_progress"}], "reorder": [two, one]})
    check([todo["content"] for todo in listed["todos"]] == ["Two", "One"], listed)
    check(listed["summary"] == {"total": 2, "pending": 1, "in_progress": 1, "done": 0}, listed)
    check(await good("todo_read", {}) == listed, "reading shows what was written")
    again = await good("todo_update", {"add": [{"content": "One"}]})
    check(len(again["todos"]) == 2 and again["notes"], again)
    await bad("todo_update", {"reorder": [one]}, "incomplete_reorder")
    await bad("todo_update", {"remove": ["ffffff"]}, "not_found")
    await bad("todo_update", {"add": [{"content": " "}]}, "invalid_arguments")
    check(await good("todo_update", {"remove": [one, two]})
          == {"todos": [], "summary": {"total": 0, "pending": 0, "in_progress": 0, "done": 0}}, "empty")


async def tell_sessions(good, bad):
    def todos(*states):
        names = ["Run build", "Fix errors", "Run tests"]
        return {"todos": [{"content": name, "status": state, "activeForm": name + "ing"}
                          for name, state in zip(names, states)]}

    summary = await good("todolist__set", todos("in_progress", "pending", "pending"))
    check(summary == {"summary": {"total": 3, "pending": 2, "in_progress": 1, "completed": 0}}, summary)
    check((await good("todolist__get", {}))["todos"] == todos("in_progress", "pending", "pending")["todos"], "kept")
    await bad("todolist__set", todos("in_progress", "in_progress", "pending"), "multiple_in_progress")
    await bad("todolist__set", todos("done", "pending", "pending"), "invalid_status")
    written = await good("TodoWrite", todos("completed", "in_progress", "pending"))
    check(written["stats"] == {"total": 3, "pending": 1, "in_progress": 1, "completed": 1}, written)
    check((await good("todolist__get", {}))["summary"]["completed"] == 1, "the same list")
    await bad("TodoWrite", {"todos": [{"content": "", "status": "pending", "activeForm": "x"}]}, "empty_content")
    written = await good("TodoWrite", todos("completed", "completed", "completed"))
    check(written["stats"]["completed"] == 3, written)
    check((await good("todolist__get", {}))["todos"] == [], "a finished list is removed")


async def tell_app(client, good, bad):
    await good("add_todo", {"title": "Buy groceries"})
    listed = await good("add_todo", {"title": "Call home"})
    first = listed["tasks"][0]
    check(first["id"].startswith("todo-") and not first["completed"], listed)
    listed = await good("complete_todo", {"id": first["id"]})
    check(listed["tasks"][0]["completed"], listed)
    await good("complete_todo", {"id": first["id"], "completed": False})
    await good("complete_todo_by_index", {"index": 1})
    await good("complete_todo_by_title", {"title": "HOME"})
    check(all(task["completed"] for task in (await good("list_todos", {}))["tasks"]), "all done")
    await bad("complete_todo_by_title", {"title": "nothing like it"}, "not_found")
    check((await good("delete_completed", {}))["tasks"] == [], "cleared")
    page = await client.read("ui://widget/todo.html")
    check(page.startswith("<!doctype html>"), "the widget")
