//! Tasks that come from other programs, and that go to them. Pure, but for `source` and `out_file`: a reader takes text
//! and gives drafts, and says what does not fit; nothing here knows the command line or a store.

mod backlog_md;
mod beads;
mod check_list;
mod check_list_out;
mod claude_code;
mod csv_out;
mod draft;
mod front_matter;
mod json;
mod json_out;
mod origin;
mod out_file;
mod own;
mod plan;
mod recognise;
mod source;
mod task_master;
mod todo_txt;

pub(crate) use check_list_out::check_list;
pub(crate) use csv_out::csv;
pub(crate) use json_out::json_file;
pub(crate) use origin::place;
pub(crate) use out_file::{OutFile, write_file};
pub(crate) use plan::{Again, Plan, SourceId, plan};
pub(crate) use source::Source;

/// A way to write tasks down that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Todori,
    TaskMaster,
    Beads,
    BacklogMd,
    TodoTxt,
    Markdown,
    ClaudeCode,
}

impl Format {
    pub(crate) const ALL: [Self; 7] = [
        Self::Todori,
        Self::TaskMaster,
        Self::Beads,
        Self::BacklogMd,
        Self::TodoTxt,
        Self::Markdown,
        Self::ClaudeCode,
    ];

    /// What `--from` calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Todori => "todori",
            Self::TaskMaster => "task-master",
            Self::Beads => "beads",
            Self::BacklogMd => "backlog-md",
            Self::TodoTxt => "todo-txt",
            Self::Markdown => "markdown",
            Self::ClaudeCode => "claude-code",
        }
    }

    /// Reads exactly such a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Why a source can't be read as tasks. Nothing of it is taken then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Unreadable {
    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

/// Reads a source, in the format that was said or else in the one that it looks like.
pub(crate) fn read(
    source: &Source,
    said: Option<Format>,
) -> Result<(Format, draft::Read), Unreadable> {
    let format = match said {
        Some(format) => format,
        None => recognise::recognise(source)?,
    };
    let read = match format {
        Format::Todori => own::read(source),
        Format::TaskMaster => task_master::read(source),
        Format::Beads => beads::read(source),
        Format::BacklogMd => backlog_md::read(source),
        Format::TodoTxt => todo_txt::read(source),
        Format::Markdown => check_list::read(source),
        Format::ClaudeCode => claude_code::read(source),
    }?;
    Ok((format, read))
}
