//! The tools that carry tasks, by name: Claude Code's own, which are a table here, and todori's, whose tables say what a
//! transcript of them holds. A server of todori may have any name.

use todori_dialects::Transcript;

/// What a call of a tool means for the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    /// Starts another agent.
    Spawn,
    /// Claude Code's own tasks.
    TaskCreate,
    TaskUpdate,
    TaskList,
    TaskGet,
    /// A tool of todori, or one whose calls look the same.
    Todori(Transcript),
}

/// Claude Code's own.
const BUILT_IN: &[(&str, Tool)] = &[
    ("TodoWrite", Tool::Todori(Transcript::ListWritten)),
    ("TaskCreate", Tool::TaskCreate),
    ("TaskUpdate", Tool::TaskUpdate),
    ("TaskList", Tool::TaskList),
    ("TaskGet", Tool::TaskGet),
    ("Agent", Tool::Spawn),
    ("Task", Tool::Spawn),
];

/// The tool of this name, if it carries tasks. Claude Code calls the tools of servers `mcp__SERVER__TOOL`, and either
/// part may contain underscores, so the name is matched from its end.
pub(super) fn find(name: &str) -> Option<Tool> {
    if let Some((_, tool)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return Some(*tool);
    }
    let is_called = |tool: &str| {
        name.strip_prefix("mcp__")
            .and_then(|rest| rest.strip_suffix(tool))
            .and_then(|rest| rest.strip_suffix("__"))
            .is_some_and(|server| !server.is_empty())
    };
    let mut tools = todori_dialects::ALL
        .iter()
        .flat_map(|dialect| dialect.tools);
    let tool = tools.find(|tool| is_called(tool.name))?;
    Some(Tool::Todori(tool.transcript))
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
                    assert_eq!(find(&name), Some(Tool::Todori(tool.transcript)), "{name}");
                }
            }
        }
    }

    #[test]
    fn names_are_taken_apart_where_they_are_joined() {
        let check = |name: &str, expected: Option<Tool>| assert_eq!(find(name), expected, "{name}");
        check(
            "mcp__todori__todolist__set",
            Some(Tool::Todori(Transcript::ListWritten)),
        );
        check(
            "mcp__todori__complete_todo",
            Some(Tool::Todori(Transcript::AllAsCheckList)),
        );
        check(
            "mcp__todori__TodoWrite",
            Some(Tool::Todori(Transcript::ListWritten)),
        );
        check("TodoWrite", Some(Tool::Todori(Transcript::ListWritten)));
        check("create_task", None);
        check("mcp__create_task", None);
        check("mcp____create_task", None);
        check("mcp__other__recreate_task", None);
        check("TaskStop", None);
    }
}
