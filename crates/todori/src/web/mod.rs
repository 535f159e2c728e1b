//! The pages, as they are built into the program.

/// The todo list as a widget, for hosts of MCP Apps.
pub(crate) const WIDGET: &str = include_str!("../../../../web/dist/widget.html");
/// The dashboard, for browsers.
pub(crate) const DASHBOARD: &str = include_str!("../../../../web/dist/dashboard.html");
/// What the dashboard may do: a content security policy with the hashes of its script and style.
pub(crate) const DASHBOARD_POLICY: &str = include_str!("../../../../web/dist/dashboard.csp");
