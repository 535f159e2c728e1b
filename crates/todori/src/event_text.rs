//! What happened, in a few words for people: the same in the terminal and on the page.

use todori_domain::{Event, Happening, SessionName};

/// Who it was, as people say it: a person by name, a session by its own.
pub(crate) fn who(name: &SessionName) -> &str {
    let text = name.as_str();
    if name.is_person() {
        text.split_once(':').map_or(text, |(_, name)| name)
    } else {
        text
    }
}

/// What an event comes down to, in words.
pub(crate) fn describe_event(event: &Event) -> String {
    match event.happening() {
        Happening::Created => "created".to_owned(),
        Happening::Deleted => "deleted".to_owned(),
        Happening::StatusChanged(status) => format!("now {}", status.as_str()),
        Happening::SubtasksChanged => "subtasks changed".to_owned(),
        Happening::DependenciesChanged => "dependencies changed".to_owned(),
        Happening::Moved => "moved".to_owned(),
        Happening::Edited => "edited".to_owned(),
    }
}
