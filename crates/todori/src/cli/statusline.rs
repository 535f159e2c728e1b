//! `todori statusline`: one line for the status line of Claude Code: how far things are, what this session is doing,
//! what is next.

use clap::Args;
use serde_json::json;
use todori_domain::{Answer, NextFilter, Request, SessionName, Status, Want, recommend};

use super::Ended;
use super::host::HookInput;
use super::output::{Output, Style, width};
use super::project::Project;
use crate::config::env;

/// How wide the line is where nobody says.
const USUAL_COLUMNS: usize = 120;
/// A text in fewer columns says nothing.
const LEAST: usize = 12;

#[derive(Args)]
#[command(
    after_help = "Example, in .claude/settings.json (`todori install claude-code --statusline` writes it):
  {\"statusLine\": {\"type\": \"command\", \"command\": \"todori statusline\"}}

Reads what Claude Code tells on standard input; prints nothing where there are no tasks."
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let input = HookInput::read();
    let columns = env::COLUMNS.text().and_then(|columns| columns.parse().ok());
    let mut line = Output::for_host(
        &project.settings,
        output.json,
        columns.unwrap_or(USUAL_COLUMNS),
    );
    let settings = input.apply_to(project.settings.clone());
    let actor = input.actor(&settings);
    let want = Want {
        presence: true,
        ..Want::default()
    };
    match project
        .with(settings)
        .ask_quietly(actor, Request::Read(want))
    {
        Ok(Some(answer)) if !answer.board.is_empty() => show(&answer, &mut line),
        Ok(_) => {}
        Err(why) => line.error(&why, None),
    }
    Ended::Done
}

/// What there is to say, in words.
struct Shown {
    done: usize,
    wanted: usize,
    /// What this session does.
    doing: Option<String>,
    /// How many tasks others have in progress.
    elsewhere: usize,
    next: Option<String>,
}

impl Shown {
    fn of(answer: &Answer, asking: &SessionName) -> Self {
        let board = &answer.board;
        let progress = board.progress();
        let busy = || {
            let tasks = board.in_order();
            tasks.filter(|task| task.status == Status::InProgress)
        };
        let is_own = |name: &Option<SessionName>| name.as_ref() == Some(asking);
        let mut own = busy().filter(|task| is_own(&task.assignee));
        let pending = NextFilter {
            statuses: vec![Status::Pending],
            priorities: Vec::new(),
        };
        let next = recommend(board, &pending, asking, &answer.live).task;
        Self {
            done: progress.with_status(Status::Done),
            wanted: progress.wanted(),
            doing: own.next().map(|task| task.label().as_str().to_owned()),
            elsewhere: busy().filter(|task| !is_own(&task.assignee)).count(),
            next: next.map(|task| task.title.as_str().to_owned()),
        }
    }
}

fn show(answer: &Answer, output: &mut Output) {
    let shown = Shown::of(answer, &answer.moment.actor.session);
    if output.json {
        output.json_line(&json!({
            "completed": shown.done, "total": shown.wanted, "doing": shown.doing,
            "inProgressElsewhere": shown.elsewhere, "next": shown.next,
        }));
        return;
    }
    let line = words(&shown, output);
    output.line(&line);
}

fn words(shown: &Shown, output: &Output) -> String {
    let Shown {
        done,
        wanted,
        doing,
        elsewhere,
        next,
    } = shown;
    let columns = output.columns().unwrap_or(USUAL_COLUMNS);
    let head = format!("{done}/{wanted} done");
    let mut room = columns.saturating_sub(head.len());
    let gap = output.separator();
    let mut parts = vec![output.style(Style::Good, &output.clip(&head, columns))];
    if let Some(doing) = doing {
        // What is next may take what this leaves, and up to a third if it needs that and says something in it.
        let after = next.as_ref().map_or(0, |next| {
            let needed = width(next) + "next: ".len() + width(gap);
            needed.min(room / 3)
        });
        let says_something = after >= LEAST + "next: ".len() + width(gap);
        let after = if says_something { after } else { 0 };
        let most = room.saturating_sub(width(gap) + after);
        if most >= LEAST {
            let text = output.clip(doing, most);
            room = room.saturating_sub(width(gap) + width(&text));
            parts.push(output.style(Style::Busy, &text));
        }
    }
    if *elsewhere > 0 {
        let text = if doing.is_some() {
            format!("+{elsewhere}")
        } else {
            format!("{elsewhere} in progress elsewhere")
        };
        if room >= width(gap) + width(&text) {
            room -= width(gap) + width(&text);
            parts.push(output.style(Style::Faint, &text));
        }
    }
    if let Some(next) = next {
        let most = room.saturating_sub(width(gap) + "next: ".len());
        if most >= LEAST {
            let text = format!("next: {}", output.clip(next, most));
            parts.push(output.style(Style::Faint, &text));
        }
    }
    parts.join(gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(columns: usize, doing: Option<&str>, elsewhere: usize, next: &str, expected: &str) {
        let output = Output::plain_with(columns);
        let shown = Shown {
            done: 2,
            wanted: 5,
            doing: doing.map(str::to_owned),
            elsewhere,
            next: Some(next.to_owned()),
        };
        let line = words(&shown, &output);
        assert_eq!(line, expected);
        assert!(width(&line) <= columns, "{line}");
    }

    #[test]
    fn the_line_fits_whatever_there_is_room_for() {
        let (doing, next) = ("Writing the parser", "Run the tests");
        check(
            80,
            Some(doing),
            1,
            next,
            "2/5 done · Writing the parser · +1 · next: Run the tests",
        );
        check(
            50,
            Some(doing),
            0,
            next,
            "2/5 done · Writing the parser · next: Run the tes…",
        );
        check(40, Some(doing), 0, next, "2/5 done · Writing the parser");
        check(26, Some(doing), 0, next, "2/5 done · Writing the pa…");
        check(20, Some(doing), 0, next, "2/5 done");
        check(
            80,
            None,
            2,
            next,
            "2/5 done · 2 in progress elsewhere · next: Run the tests",
        );
        check(5, None, 0, next, "2/5 …");
        check(
            60,
            Some("\u{1b}[31mred"),
            0,
            "日本語のタスク",
            "2/5 done · \\u{1b}[31mred · next: 日本語のタスク",
        );
    }
}
