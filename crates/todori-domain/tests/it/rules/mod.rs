//! Each rule and each refusal, a file for each idea. Boards, commands and outcomes are written in a few letters, which
//! are read and shown here.

mod adding;
mod changing;
mod lists;
mod naming;
mod next;
mod waiting;

use std::sync::Arc;

use todori_domain::testing::{letter, moment, name_of, task};
use todori_domain::{
    Board, Command, NewTask, NobodyElse, Priority, Refusal, Status, Task, TaskEdit, TaskId, Title,
    decide,
};

/// Reads `a>b,c b+ c#`: a waits for b and c; `+` marks done, `*` in progress, `#` blocked, `-` cancelled, and `!` high
/// priority.
fn board(text: &str) -> Arc<Board> {
    let tasks = text.split_whitespace().map(|word| {
        let (name, targets) = word.split_once('>').unwrap_or((word, ""));
        let mut made = task(&name[..1]);
        for mark in name[1..].chars() {
            match mark {
                '+' => made.status = Status::Done,
                '*' => made.status = Status::InProgress,
                '-' => made.status = Status::Cancelled,
                '#' => made.status = Status::Blocked,
                '!' => made.priority = Priority::High,
                other => panic!("unknown mark {other}"),
            }
        }
        made.waits_for = targets
            .split(',')
            .filter(|t| !t.is_empty())
            .map(letter)
            .collect();
        Arc::new(made)
    });
    Arc::new(Board::from_tasks(tasks))
}

fn show(board: &Board) -> String {
    let word = |task: &Arc<Task>| {
        let mark = match task.status {
            Status::Pending => "",
            Status::InProgress => "*",
            Status::Blocked => "#",
            Status::Done => "+",
            Status::Deferred => "=",
            Status::Cancelled => "-",
        };
        let targets: Vec<String> = task.waits_for.iter().map(|&id| name_of(id)).collect();
        let waits = if targets.is_empty() {
            String::new()
        } else {
            format!(">{}", targets.join(","))
        };
        format!("{}{mark}{waits}", name_of(task.id))
    };
    board.in_order().map(word).collect::<Vec<_>>().join(" ")
}

fn words(refusal: &Refusal) -> String {
    let names = |ids: &[TaskId]| {
        ids.iter()
            .map(|&id| name_of(id))
            .collect::<Vec<_>>()
            .join(" ")
    };
    match refusal {
        Refusal::TaskNotFound { given } => format!("no task {given}"),
        Refusal::AmbiguousId {
            given,
            candidates,
            total,
        } => {
            format!("{given} means {total}: {}", names(candidates))
        }
        Refusal::SubtaskNotFound { subtask, known } => {
            format!("no subtask {} in {known:?}", subtask.number)
        }
        Refusal::DependencyNotFound { given } => format!("no dependency {given}"),
        Refusal::Cycle { path } => format!("cycle {}", names(path)),
        Refusal::NoSuchPlace { place, count } => format!("place {place} of {count}"),
        Refusal::TitleNotFound { given } => format!("no title {given}"),
        Refusal::AmbiguousTitle {
            given,
            candidates,
            total,
        } => {
            format!("{given} could be {total}: {}", names(candidates))
        }
        Refusal::IncompleteOrder { missing, repeated } => {
            format!("order lacks {} repeats {}", names(missing), names(repeated))
        }
        Refusal::SeveralInProgress { count } => format!("{count} in progress"),
        Refusal::ChangedSince { tasks } => format!("changed since {}", names(tasks)),
    }
}

/// Reads `c>a,b` (wait for), `a+` (set done), `a*` (start), `~a` (delete), `?x` (add).
fn command(text: &str) -> Command {
    if let Some(name) = text.strip_prefix('~') {
        return Command::Delete {
            task: letter(name).into(),
        };
    }
    if let Some(name) = text.strip_prefix('?') {
        return Command::Add(NewTask::titled(letter(name), Title::parse(name).unwrap()));
    }
    let mut edit = TaskEdit::default();
    if let Some((_, targets)) = text.split_once('>') {
        let targets = targets.split(',').filter(|t| !t.is_empty());
        edit.waits_for = Some(targets.map(|name| letter(name).into()).collect());
    } else {
        edit.status = Some(match &text[1..] {
            "+" => Status::Done,
            "*" => Status::InProgress,
            "-" => Status::Cancelled,
            "" => Status::Pending,
            other => panic!("unknown mark {other}"),
        });
    }
    Command::Edit {
        task: letter(&text[..1]).into(),
        edit,
    }
}

fn check(before: &str, commands: &str, expected: &str) {
    let before = board(before);
    let commands: Vec<Command> = commands.split_whitespace().map(command).collect();
    let told = match decide(&before, &commands, &moment(9), &NobodyElse) {
        Ok(decision) => show(&decision.board),
        Err(refusal) => format!("refused: {}", words(&refusal)),
    };
    assert_eq!(told, expected);
}

fn told(before: &str, command: Command) -> String {
    match decide(&board(before), &[command], &moment(9), &NobodyElse) {
        Ok(decision) => show(&decision.board),
        Err(refusal) => format!("refused: {}", words(&refusal)),
    }
}
