//! The pages, as they are built into the program.

/// The todo list as a widget, for hosts of MCP Apps.
pub(crate) const WIDGET: &str = include_str!("../../../../web/dist/widget.html");
