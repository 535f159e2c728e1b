//! The tools that carry tasks, by name: Claude Code's own, and todori's under whatever name its server has.

/// What a call of a tool means for the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    /// Starts another agent.
    Spawn,
    /// Writes a whole list, of items without ids.
    WriteList,
    /// Shows such a list.
    ShowList,
    /// Claude Code's own tasks.
    TaskCreate,
    TaskUpdate,
    TaskList,
    TaskGet,
    /// Answers with a task of the board.
    Task,
    /// Answers with the task that is next, if any.
    NextTask,
    /// Answers with some tasks of the board.
    SomeTasks,
    /// Answers with all of the board, in three states.
    Board,
    /// Answers with all of the board, done or not.
    CheckList,
    DeleteTask,
    /// Says nothing about single tasks.
    Silent,
}

/// Claude Code's own.
const BUILT_IN: &[(&str, Tool)] = &[
    ("TodoWrite", Tool::WriteList),
    ("TaskCreate", Tool::TaskCreate),
    ("TaskUpdate", Tool::TaskUpdate),
    ("TaskList", Tool::TaskList),
    ("TaskGet", Tool::TaskGet),
    ("Agent", Tool::Spawn),
    ("Task", Tool::Spawn),
];

/// Ours.
const OURS: &[(&str, Tool)] = &[
    ("create_task", Tool::Task),
    ("update_task", Tool::Task),
    ("get_task", Tool::Task),
    ("add_subtask", Tool::Task),
    ("update_subtask", Tool::Task),
    ("delete_subtask", Tool::Task),
    ("delete_task", Tool::DeleteTask),
    ("get_tasks", Tool::SomeTasks),
    ("query_tasks", Tool::SomeTasks),
    ("get_next_task", Tool::NextTask),
    ("get_task_stats", Tool::Silent),
    ("todo_read", Tool::Board),
    ("todo_update", Tool::Board),
    ("todolist__set", Tool::WriteList),
    ("todolist__get", Tool::ShowList),
    ("TodoWrite", Tool::WriteList),
    ("add_todo", Tool::CheckList),
    ("list_todos", Tool::CheckList),
    ("complete_todo", Tool::CheckList),
    ("complete_todo_by_index", Tool::CheckList),
    ("complete_todo_by_title", Tool::CheckList),
    ("delete_completed", Tool::CheckList),
    ("move_todo", Tool::CheckList),
];

/// The tool of this name, if it carries tasks. Tools of servers are called `mcp__SERVER__TOOL`; either part may have
/// underscores of its own.
pub(super) fn find(name: &str) -> Option<Tool> {
    let is_ours = |tool: &str| {
        name.strip_prefix("mcp__")
            .and_then(|rest| rest.strip_suffix(tool))
            .and_then(|rest| rest.strip_suffix("__"))
            .is_some_and(|server| !server.is_empty())
    };
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
    let found = built_in.or_else(|| OURS.iter().find(|(tool, _)| is_ours(tool)));
    found.map(|(_, tool)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_that_is_served_is_known() {
        for dialect in todori_dialects::ALL {
            for tool in dialect.tools {
                for server in ["todori", "plugin_todori_todori", "my__board"] {
                    let name = format!("mcp__{server}__{}", tool.name);
                    assert!(find(&name).is_some(), "{name}");
                }
            }
        }
    }

    #[test]
    fn names_are_taken_apart_where_they_are_joined() {
        let check = |name: &str, expected: Option<Tool>| assert_eq!(find(name), expected, "{name}");
        check("mcp__todori__todolist__set", Some(Tool::WriteList));
        check("mcp__todori__complete_todo", Some(Tool::CheckList));
        check("mcp__todori__TodoWrite", Some(Tool::WriteList));
        check("TodoWrite", Some(Tool::WriteList));
        check("create_task", None);
        check("mcp__create_task", None);
        check("mcp____create_task", None);
        check("mcp__other__recreate_task", None);
        check("TaskStop", None);
    }
}
