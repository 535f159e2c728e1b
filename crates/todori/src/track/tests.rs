//! Streams that are not in the recordings: sub-agents, pieces of messages, and todori's own tools in all dialects.

#![expect(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use serde_json::{Value, json};

use super::Run;

/// A run under test, and the number of the next call.
#[derive(Default)]
struct Stream {
    run: Run,
    calls: usize,
}

impl Stream {
    fn send(&mut self, message: &Value) -> bool {
        self.run.line(message.to_string().as_bytes())
    }

    /// A call by an agent; its id.
    fn call(&mut self, agent: Option<&str>, name: &str, input: Value) -> String {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        let changed = self.send(&json!({
            "type": "assistant", "message": {"content": [block]}, "parent_tool_use_id": agent,
        }));
        assert!(!changed, "nothing is believed before the result is there");
        id
    }

    fn answer(&mut self, id: &str, block: Value, told: Value) -> bool {
        let mut block = block;
        block["type"] = json!("tool_result");
        block["tool_use_id"] = json!(id);
        self.send(
            &json!({"type": "user", "message": {"content": [block]}, "tool_use_result": told}),
        )
    }

    /// A call of a tool of todori, and what it answers.
    fn tool(&mut self, agent: Option<&str>, name: &str, input: Value, data: Value) -> bool {
        let id = self.call(agent, &format!("mcp__todori__{name}"), input);
        let text = data.to_string();
        let told = json!({"content": text, "structuredContent": data});
        self.answer(&id, json!({"content": text}), told)
    }

    /// All lists in one line: `x` done, `~` in progress, `-` pending, and others by their first letter.
    fn shown(&self) -> String {
        let lists = self.run.lists().shown().map(|list| {
            let items: Vec<String> = list
                .items
                .iter()
                .map(|item| {
                    let status = match item.status.as_str() {
                        "done" => "x",
                        "in-progress" => "~",
                        "pending" => "-",
                        other => &other[..1],
                    };
                    format!("{status} {}", item.label())
                })
                .collect();
            let items = items.join(", ");
            match &list.agent {
                None => items,
                Some(agent) if agent.finished => format!("{} (finished): {items}", agent.name),
                Some(agent) => format!("{}: {items}", agent.name),
            }
        });
        lists.collect::<Vec<_>>().join(" | ")
    }

    fn check(&self, expected: &str) {
        assert_eq!(self.shown(), expected);
    }
}

fn todo(content: &str, status: &str) -> Value {
    json!({"content": content, "status": status, "activeForm": format!("{content}ing")})
}

#[test]
fn the_tasks_dialect_is_followed_by_full_ids_and_prefixes() {
    let mut stream = Stream::default();
    let (a, b) = (
        "3f2b8c1e-7a4d-4e0b-9c55-0d1f6a2b7e90",
        "9a0c5d2e-0000-4000-8000-000000000001",
    );
    let task = |id: &str, title: &str, status: &str| json!({"id": id, "title": title, "status": status, "priority": "medium", "subtasks": []});
    stream.tool(
        None,
        "create_task",
        json!({"title": "Read"}),
        task(a, "Read", "pending"),
    );
    stream.tool(
        None,
        "create_task",
        json!({"title": "Write"}),
        task(b, "Write", "pending"),
    );
    let mut begun = task(a, "Read", "in-progress");
    begun["activeForm"] = json!("Reading");
    stream.tool(
        None,
        "update_task",
        json!({"id": "3f2b", "status": "in-progress"}),
        begun,
    );
    stream.check("~ Reading, - Write");
    let rows =
        json!({"tasks": [task(a, "Read", "done"), task("61616161", "Old", "blocked")], "total": 9});
    stream.tool(None, "get_tasks", json!({}), rows);
    stream.check("x Read, - Write, b Old");
    // Without structured data the text has it: an array in the first block, words in the second.
    let id = stream.call(None, "mcp__plugin_todori_todori__query_tasks", json!({}));
    let text = json!([{"id": b, "title": "Write it"}]).to_string();
    let blocks =
        json!([{"type": "text", "text": text}, {"type": "text", "text": "3 more from 20"}]);
    stream.answer(&id, json!({"content": blocks}), blocks.clone());
    stream.check("x Read, - Write it, b Old");
    stream.tool(
        None,
        "get_next_task",
        json!({}),
        json!({"task": null, "rationale": "none"}),
    );
    let next = json!({"task": task("77777777", "Next", "deferred"), "rationale": "r"});
    stream.tool(None, "get_next_task", json!({}), next);
    let subtask = json!({"id": format!("{b}.1"), "title": "a subtask", "status": "done"});
    stream.tool(None, "get_task", json!({"id": "9a0c.1"}), subtask);
    stream.tool(
        None,
        "delete_task",
        json!({"id": "6161"}),
        json!({"success": true, "deletedId": "61616161"}),
    );
    stream.check("x Read, - Write it, d Next");
    let mut with_subtasks = task(b, "Write it", "pending");
    with_subtasks["subtasks"] =
        json!([{"id": "1", "status": "done"}, {"id": "2", "status": "pending"}]);
    assert!(stream.tool(
        None,
        "add_subtask",
        json!({"parentId": "9a0c", "title": "s"}),
        with_subtasks
    ));
    let subtasks: Vec<_> = stream
        .run
        .lists()
        .shown()
        .flat_map(|list| &list.items)
        .map(|item| item.subtasks)
        .collect();
    assert_eq!(subtasks[1], Some((1, 2)));
    assert!(!stream.tool(None, "get_task_stats", json!({}), json!({"total": 3})));
}

#[test]
fn lists_that_are_read_whole_replace_what_was_known() {
    let mut stream = Stream::default();
    let item = |id: &str, content: &str, status: &str| json!({"id": id, "content": content, "status": status});
    let todos = json!({"todos": [item("3f2b8c", "Read", "in_progress"), item("9a0c5d", "Write", "pending")]});
    stream.tool(None, "todo_read", json!({}), todos);
    stream.check("~ Read, - Write");
    let long = json!({"id": "9a0c5d2e-0000-4000-8000-000000000001", "title": "Write", "status": "blocked"});
    stream.tool(None, "get_task", json!({}), long);
    stream.check("~ Read, b Write");
    // Three states say no more about what is blocked; the order is the list's.
    let todos =
        json!({"todos": [item("9a0c5d", "Write", "pending"), item("3f2b8c", "Read", "done")]});
    stream.tool(None, "todo_update", json!({"update": []}), todos);
    stream.check("b Write, x Read");
    // A check list knows only what is done.
    let tasks = json!({"tasks": [
        {"id": "todo-9a0c5d", "title": "Write", "completed": false}, {"id": "todo-555555", "title": "Mail", "completed": true},
    ]});
    stream.tool(None, "add_todo", json!({"title": "Mail"}), tasks.clone());
    stream.check("b Write, x Mail");
    // The sentence is the text here; the list is in the structured part only.
    let id = stream.call(None, "mcp__todori__delete_completed", json!({}));
    let left = json!({"tasks": [{"id": "todo-9a0c5d", "title": "Write", "completed": true}]});
    let told = json!({"content": "Removed 1 completed task.", "structuredContent": left});
    stream.answer(&id, json!({"content": "Removed 1 completed task."}), told);
    stream.check("x Write");
}

#[test]
fn whole_lists_come_from_the_call_and_survive_being_cleared() {
    for (write, name) in [
        ("TodoWrite", "TodoWrite"),
        ("todolist__set", "todolist__set"),
    ] {
        let mut stream = Stream::default();
        let todos = json!({"todos": [todo("Read", "in_progress"), todo("Write", "pending")]});
        stream.tool(None, write, todos, json!({"summary": {}}));
        stream.check("~ Reading, - Write");
        let todos = json!({"todos": [todo("Read", "completed"), todo("Write", "completed")]});
        stream.tool(None, name, todos, json!({"summary": {}}));
        stream.tool(
            None,
            "todolist__get",
            json!({}),
            json!({"todos": [], "summary": {}}),
        );
        stream.check("x Read, x Write");
        let todos = json!({"todos": [todo("More", "pending")]});
        stream.tool(None, "todolist__get", json!({}), todos);
        stream.check("- More");
        stream.tool(None, write, json!({"todos": []}), json!({"summary": {}}));
        stream.check("");
    }
}

#[test]
fn calls_that_failed_change_nothing() {
    let mut stream = Stream::default();
    stream.tool(
        None,
        "create_task",
        json!({}),
        json!({"id": "3f2b8c1e", "title": "Read", "status": "pending"}),
    );
    let fail = |stream: &mut Stream, name: &str, input: Value, block: Value, told: Value| {
        let id = stream.call(None, name, input);
        assert!(!stream.answer(&id, block, told));
        stream.check("- Read");
    };
    let input = json!({"id": "3f2b8c1e", "status": "done"});
    let error = json!({"is_error": true, "content": "{\"error\":{\"code\":-32000}}"});
    fail(
        &mut stream,
        "mcp__todori__update_task",
        input.clone(),
        error,
        json!("Error: x"),
    );
    let error = json!({"content": "{\"error\":{\"code\":-32000,\"message\":\"no\"}}"});
    fail(
        &mut stream,
        "mcp__todori__update_task",
        input.clone(),
        error,
        json!(null),
    );
    fail(
        &mut stream,
        "mcp__todori__delete_task",
        input,
        json!({"is_error": true, "content": "denied"}),
        json!("Error: denied"),
    );
    let todos = json!({"todos": [todo("Other", "pending")]});
    fail(
        &mut stream,
        "TodoWrite",
        todos,
        json!({"is_error": true, "content": "denied"}),
        json!(null),
    );
    let update = json!({"taskId": "1", "status": "completed", "subject": "Ghost"});
    fail(
        &mut stream,
        "TaskUpdate",
        update,
        json!({"content": "Task not found"}),
        json!({"success": false}),
    );
}

#[test]
fn claude_codes_own_tasks_are_read_in_every_spelling() {
    let mut stream = Stream::default();
    // Without a structured result the id stands in the words.
    let id = stream.call(
        None,
        "TaskCreate",
        json!({"subject": "Read", "active_form": "Reading"}),
    );
    stream.answer(
        &id,
        json!({"content": "Task #7 created successfully: Read"}),
        json!(null),
    );
    let id = stream.call(
        None,
        "TaskUpdate",
        json!({"task_id": 7, "status": "in_progress"}),
    );
    stream.answer(
        &id,
        json!({"content": "Updated task #7 status"}),
        json!(null),
    );
    stream.check("~ Reading");
    // One of an earlier session, whose words were never told.
    let id = stream.call(
        None,
        "TaskUpdate",
        json!({"id": "3", "status": "completed"}),
    );
    stream.answer(
        &id,
        json!({"content": "x"}),
        json!({"success": true, "taskId": "3"}),
    );
    stream.check("~ Reading, x Task #3");
    let id = stream.call(None, "TaskList", json!({}));
    let tasks = json!({"tasks": [{"id": "3", "subject": "Plan", "status": "completed"}]});
    stream.answer(&id, json!({"content": "#3 [completed] Plan"}), tasks);
    stream.check("x Plan");
    let id = stream.call(None, "TaskGet", json!({"taskId": "4"}));
    stream.answer(&id, json!({"content": "x"}), json!({"task": null}));
    stream.check("x Plan");
}

#[test]
fn agents_have_lists_of_their_own_under_what_they_were_told() {
    let mut stream = Stream::default();
    let todos = json!({"todos": [todo("Lead", "in_progress")]});
    let id = stream.call(None, "TodoWrite", todos);
    stream.answer(&id, json!({"content": "ok"}), json!(null));
    let one = stream.call(
        None,
        "Task",
        json!({"description": "Look for usages", "prompt": "..."}),
    );
    let two = stream.call(
        None,
        "Agent",
        json!({"description": "Write docs", "subagent_type": "general"}),
    );
    let id = stream.call(
        Some(&one),
        "TodoWrite",
        json!({"todos": [todo("Grep", "in_progress")]}),
    );
    assert!(stream.answer(&id, json!({"content": "ok"}), json!(null)));
    stream.check("~ Leading | Look for usages: ~ Greping");
    // An agent in the background is answered at once, and works later.
    assert!(!stream.answer(
        &two,
        json!({"content": "launched"}),
        json!({"isAsync": true})
    ));
    let task = json!({"id": "3f2b8c1e", "title": "Docs", "status": "in-progress"});
    stream.tool(Some(&two), "create_task", json!({}), task);
    stream.check("~ Leading | Look for usages: ~ Greping | Write docs: ~ Docs");
    assert!(stream.answer(&one, json!({"content": "found"}), json!(null)));
    // A task of the board is one task, whoever changes it.
    let task = json!({"id": "3f2b8c1e-7a4d", "title": "Docs", "status": "done"});
    stream.tool(None, "update_task", json!({}), task);
    stream.check("~ Leading | Look for usages (finished): ~ Greping | Write docs: x Docs");
    let ended = json!({"type": "system", "subtype": "task_notification", "tool_use_id": two, "status": "completed"});
    assert!(stream.send(&ended));
    stream
        .check("~ Leading | Look for usages (finished): ~ Greping | Write docs (finished): x Docs");
}

#[test]
fn an_agent_that_was_started_before_the_stream_began_has_a_heading_too() {
    let mut stream = Stream::default();
    let id = stream.call(
        Some("toolu_unknown"),
        "TodoWrite",
        json!({"todos": [todo("Grep", "pending")]}),
    );
    stream.answer(&id, json!({"content": "ok"}), json!(null));
    stream.check("agent: - Grep");
}

#[test]
fn pieces_of_messages_and_unknown_lines_are_borne() {
    let mut stream = Stream::default();
    for line in [
        json!({"type": "stream_event", "event": {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "TodoWrite"}}}),
        json!({"type": "keep_alive"}),
        json!({"kind": "no type"}),
        json!({"type": 7}),
        json!(["text", 3, {"type": "assistant"}, {"type": "user", "message": {"content": "words"}}]),
        json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "TodoWrite"}, {"type": "text"}]}}),
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "unknown"}]}}),
        json!({"type": "system", "subtype": "task_started", "tool_use_id": "x"}),
        json!(null),
    ] {
        assert!(!stream.send(&line), "{line}");
    }
    assert!(!stream.run.line(b""));
    assert!(!stream.run.line(b"\xff\x00{"));
    assert_eq!(stream.run.invalid_lines(), Some((1, 11)));
    assert!(stream.run.is_stream());
    // The same call told twice, and answered once: it is one call.
    let input = json!({"todos": [todo("Read", "pending")]});
    let block = json!({"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": input});
    let call = json!({"type": "assistant", "message": {"content": [block]}});
    stream.send(&call);
    stream.send(&call);
    assert!(stream.answer("t1", json!({"content": "ok"}), json!(null)));
    assert!(!stream.answer("t1", json!({"content": "ok"}), json!(null)));
    stream.check("- Read");
}

#[test]
fn the_last_of_several_results_counts() {
    let mut stream = Stream::default();
    stream.send(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true}));
    stream.send(&json!({"type": "system", "subtype": "init"}));
    stream
        .send(&json!({"is_error": false, "num_turns": 2, "subtype": "success", "type": "result"}));
    assert_eq!(
        stream.run.ending().unwrap().text(),
        "The run succeeded (2 turns)"
    );
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut stream = Stream::default();
    for number in 0..300 {
        let agent = format!("agent-{number}");
        let id = stream.call(
            Some(&agent),
            "TodoWrite",
            json!({"todos": [todo("Read", "pending")]}),
        );
        stream.answer(&id, json!({"content": "ok"}), json!(null));
    }
    assert!(stream.run.lists().shown().count() <= 201);
    let many: Vec<Value> = (0..6_000)
        .map(|number| todo(&format!("{number}"), "pending"))
        .collect();
    let id = stream.call(None, "TodoWrite", json!({"todos": many}));
    stream.answer(&id, json!({"content": "ok"}), json!(null));
    let main = stream.run.lists().shown().next().unwrap();
    assert_eq!((main.agent.is_none(), main.items.len()), (true, 5_000));
    let long = json!({"todos": [todo(&"x".repeat(100_000), "pending")]});
    let id = stream.call(None, "TodoWrite", long);
    stream.answer(&id, json!({"content": "ok"}), json!(null));
    assert_eq!(
        stream.run.lists().shown().next().unwrap().items[0]
            .title
            .len(),
        2_000
    );
    for _ in 0..3_000 {
        stream.call(None, "TodoWrite", json!({}));
    }
}
