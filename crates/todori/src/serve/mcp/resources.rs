//! What can be read beside calling tools: the widget, the board, single tasks.

use rmcp::model::{
    ClientCapabilities, ExtensionCapabilities, JsonObject, MetaObject, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;
use todori_dialects::{BOARD_URI, SESSIONS_URI, TASK_TEMPLATE, TASK_URI, WIDGET_URI};
use todori_domain::{Board, Task};

use super::definitions::Client;
use crate::dispatch::Dispatcher;
use crate::overview::Overview;
use crate::web;

/// What servers that have widgets and clients that show them say of themselves.
const WIDGETS: &str = "io.modelcontextprotocol/ui";
/// What hosts of widgets look for, to the letter.
const WIDGET_TYPE: &str = "text/html;profile=mcp-app";
const MARKDOWN: &str = "text/markdown";
/// How many ids are suggested.
const SUGGESTED: usize = 20;

/// What is listed.
pub(super) fn list(dispatcher: &Dispatcher) -> Vec<Resource> {
    let board = Resource::new(BOARD_URI, "board")
        .with_title("Board")
        .with_description("The project's tasks, one a line")
        .with_mime_type(MARKDOWN);
    let sessions = Resource::new(SESSIONS_URI, "sessions")
        .with_title("Sessions")
        .with_description("What each session is doing now, and its own list")
        .with_mime_type(MARKDOWN);
    let mut listed = vec![board, sessions];
    if dispatcher
        .toolsets()
        .iter()
        .any(|dialect| dialect.name == "app")
    {
        let widget = Resource::new(WIDGET_URI, "todo-widget")
            .with_title("Todo widget")
            .with_description("The todo list, to look at and to click")
            .with_mime_type(WIDGET_TYPE);
        listed.push(widget);
    }
    listed
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let task = ResourceTemplate::new(TASK_TEMPLATE, "task")
        .with_title("Task")
        .with_description("A task in full, as Markdown")
        .with_mime_type(MARKDOWN);
    vec![task]
}

/// What is the same whatever is on the board.
pub(super) fn fixed(uri: &str) -> Option<ResourceContents> {
    // A page that loads nothing from anywhere, which hosts want to be told.
    let meta = json!({"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": true}});
    let meta = MetaObject(meta.as_object().cloned().unwrap_or_default());
    let widget = || {
        ResourceContents::text(web::WIDGET, WIDGET_URI)
            .with_mime_type(WIDGET_TYPE)
            .with_meta(meta)
    };
    (uri == WIDGET_URI).then(widget)
}

/// What is made from the board; nothing if there is no such task.
pub(super) fn of_board(uri: &str, board: &Board) -> Option<ResourceContents> {
    let text = match uri.strip_prefix(TASK_URI) {
        Some(id) => todori_dialects::read_task(board, id).ok()?,
        None => todori_dialects::read_board(board),
    };
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// What is made from all that can be seen.
pub(super) fn of_sessions(overview: &Overview) -> ResourceContents {
    let lists: Vec<_> = overview
        .sessions
        .iter()
        .map(|list| (&list.name, list.snapshot.board.as_ref()))
        .collect();
    let project = overview.project.as_ref().ok();
    let project = project.map(|snapshot| snapshot.board.as_ref());
    let text = todori_dialects::read_sessions(project, &lists);
    ResourceContents::text(text, SESSIONS_URI).with_mime_type(MARKDOWN)
}

/// Ids that begin like this, or whose title contains it; open tasks first.
pub(super) fn complete_id(board: &Board, begun: &str) -> Vec<String> {
    let wanted = begun.trim().to_lowercase();
    let fits = |task: &&Task| {
        task.id.to_string().starts_with(&wanted)
            || task.title.as_str().to_lowercase().contains(&wanted)
    };
    let tasks = || board.in_order().map(AsRef::as_ref).filter(fits);
    let open = tasks().filter(|task| task.status.is_open());
    let closed = tasks().filter(|task| !task.status.is_open());
    open.chain(closed)
        .take(SUGGESTED)
        .map(|task| task.id.to_string())
        .collect()
}

/// Says that this server has widgets.
pub(super) fn ui_extension() -> ExtensionCapabilities {
    let types = json!({"mimeTypes": [WIDGET_TYPE]});
    let types: JsonObject = types.as_object().cloned().unwrap_or_default();
    std::iter::once((WIDGETS.to_owned(), types)).collect()
}

/// Whether a client said that it shows widgets, to know which tools it is told of.
pub(super) fn shows_widgets(able: Option<ClientCapabilities>) -> Client {
    let extensions = able.and_then(|able| able.extensions);
    if extensions.is_some_and(|extensions| extensions.contains_key(WIDGETS)) {
        Client::ShowsWidgets
    } else {
        Client::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widget_is_a_page_that_loads_nothing() {
        let contents = serde_json::to_value(fixed(WIDGET_URI).unwrap()).unwrap();
        assert_eq!(contents["mimeType"], WIDGET_TYPE);
        assert_eq!(contents["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
        let page = contents["text"].as_str().unwrap();
        assert!(page.starts_with("<!doctype html>"));
        assert!(page.len() < 60_000, "{} bytes", page.len());
        for forbidden in ["src=\"http", "href=\"http", "@import", "innerHTML", "eval("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }
}
