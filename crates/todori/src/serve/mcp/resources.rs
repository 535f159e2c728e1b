//! The resources of the server: widgets, the board, the sessions, single tasks.

use rmcp::model::{
    ClientCapabilities, ExtensionCapabilities, JsonObject, MetaObject, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;
use todori_dialects::{ALL, BOARD_URI, SESSIONS_URI, TASK_TEMPLATE, TASK_URI};
use todori_domain::{Board, Task};

use super::definitions::Client;
use crate::dispatch::Dispatcher;
use crate::overview::Overview;
use crate::web;

/// The extension that servers with widgets, and clients that show them, declare.
const UI_EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The media type that hosts of widgets look for, to the letter.
const WIDGET_TYPE: &str = "text/html;profile=mcp-app";
const MARKDOWN: &str = "text/markdown";
/// How many ids a completion suggests at most.
const MAX_COMPLETIONS: usize = 20;

/// The resources that are listed: the board, the sessions, and the widgets of the toolsets that are served.
pub(super) fn list(dispatcher: &Dispatcher) -> Vec<Resource> {
    let board = Resource::new(BOARD_URI, "board")
        .with_title("Board")
        .with_description("The project's tasks, one a line")
        .with_mime_type(MARKDOWN);
    let sessions = Resource::new(SESSIONS_URI, "sessions")
        .with_title("Sessions")
        .with_description("What each session is doing now, and its own list")
        .with_mime_type(MARKDOWN);
    let toolsets = dispatcher.toolsets().iter();
    let widgets = toolsets.filter_map(|dialect| dialect.widget.as_ref());
    let widgets = widgets.map(|widget| {
        Resource::new(widget.uri, widget.name)
            .with_title(widget.title)
            .with_description(widget.description)
            .with_mime_type(WIDGET_TYPE)
    });
    [board, sessions].into_iter().chain(widgets).collect()
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let task = ResourceTemplate::new(TASK_TEMPLATE, "task")
        .with_title("Task")
        .with_description("A task in full, as Markdown")
        .with_mime_type(MARKDOWN);
    vec![task]
}

/// The page of a widget; `None` if this is not the address of one. It is the same whatever is on the board.
pub(super) fn fixed(uri: &str) -> Option<ResourceContents> {
    let widgets = ALL.iter().filter_map(|dialect| dialect.widget.as_ref());
    let widget = widgets.into_iter().find(|widget| widget.uri == uri)?;
    // The page loads nothing from anywhere; hosts want that to be declared.
    let meta = json!({"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": true}});
    let meta = MetaObject(meta.as_object().cloned().unwrap_or_default());
    let page = ResourceContents::text(web::WIDGET, widget.uri);
    Some(page.with_mime_type(WIDGET_TYPE).with_meta(meta))
}

/// The board or one of its tasks as Markdown; `None` if there is no such task.
pub(super) fn of_board(uri: &str, board: &Board) -> Option<ResourceContents> {
    let text = match uri.strip_prefix(TASK_URI) {
        Some(id) => todori_dialects::read_task(board, id).ok()?,
        None => todori_dialects::read_board(board),
    };
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// What each session is doing, as Markdown.
pub(super) fn of_sessions(overview: &Overview) -> ResourceContents {
    let lists: Vec<_> = overview
        .sessions
        .iter()
        .map(|list| (&list.name, list.board.as_ref()))
        .collect();
    let project = overview.project.as_ref().ok();
    let project = project.map(|snapshot| snapshot.board.as_ref());
    let text = todori_dialects::read_sessions(project, &lists);
    ResourceContents::text(text, SESSIONS_URI).with_mime_type(MARKDOWN)
}

/// The ids that begin with `typed`, and those of tasks whose title contains it; open tasks first.
pub(super) fn complete_id(board: &Board, typed: &str) -> Vec<String> {
    let wanted = typed.trim().to_lowercase();
    let fits = |task: &&Task| {
        task.id.to_string().starts_with(&wanted)
            || task.title.as_str().to_lowercase().contains(&wanted)
    };
    let tasks = || board.in_order().map(AsRef::as_ref).filter(fits);
    let open = tasks().filter(|task| task.status.is_open());
    let closed = tasks().filter(|task| !task.status.is_open());
    open.chain(closed)
        .take(MAX_COMPLETIONS)
        .map(|task| task.id.to_string())
        .collect()
}

/// Declares that this server has widgets.
pub(super) fn ui_extension() -> ExtensionCapabilities {
    let types = json!({"mimeTypes": [WIDGET_TYPE]});
    let types: JsonObject = types.as_object().cloned().unwrap_or_default();
    std::iter::once((UI_EXTENSION.to_owned(), types)).collect()
}

/// Whether a client declared that it shows widgets, which decides which tools are listed to it.
pub(super) fn shows_widgets(capabilities: Option<ClientCapabilities>) -> Client {
    let extensions = capabilities.and_then(|capabilities| capabilities.extensions);
    if extensions.is_some_and(|extensions| extensions.contains_key(UI_EXTENSION)) {
        Client::ShowsWidgets
    } else {
        Client::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_widget_is_a_page_that_loads_nothing() {
        let mut pages = 0;
        for widget in ALL.iter().filter_map(|dialect| dialect.widget.as_ref()) {
            let contents = serde_json::to_value(fixed(widget.uri).unwrap()).unwrap();
            assert_eq!(contents["uri"], widget.uri);
            assert_eq!(contents["mimeType"], WIDGET_TYPE);
            assert_eq!(contents["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
            let page = contents["text"].as_str().unwrap();
            assert!(page.starts_with("<!doctype html>"));
            assert!(page.len() < 60_000, "{} bytes", page.len());
            for forbidden in ["src=\"http", "href=\"http", "@import", "innerHTML", "eval("] {
                assert!(!page.contains(forbidden), "{forbidden}");
            }
            pages += 1;
        }
        assert!(pages > 0, "there is a widget");
    }
}
