//! The reference of each toolset, made from its table: docs/reference/toolsets. Set `TODORI_UPDATE_GOLDEN=1` to write
//! the pages anew, then read the difference.

use std::fmt::Write as _;

use serde_json::json;
use todori_dialects::{
    ALL, Audience, BoardKind, Context, Dialect, Effect, Fault, Field, Shape, Tool,
};
use todori_domain::testing::{CountedIds, letter};
use todori_domain::{Board, Position, Refusal, StoreError, SubtaskId};

use crate::kept;

fn check(name: &str, now: &str) {
    let otherwise = format!(
        "docs/reference/toolsets/{name} is out of date: TODORI_UPDATE_GOLDEN=1 cargo test -p todori-dialects reference"
    );
    kept::check(
        &format!("../../docs/reference/toolsets/{name}"),
        now,
        &otherwise,
    );
}

#[test]
fn every_toolset_has_its_page() {
    for dialect in ALL {
        check(&format!("{}.md", dialect.name), &page(dialect));
    }
}

fn page(dialect: &Dialect) -> String {
    let mut page = String::from(
        "<!-- Generated from the tables by `TODORI_UPDATE_GOLDEN=1 cargo test -p todori-dialects reference`. Do not edit. -->\n\n",
    );
    let board = match dialect.board {
        BoardKind::Project => "the board of the project",
        BoardKind::Session => "the list of the session that asks, gone with it",
    };
    let name = dialect.name;
    writeln!(
        page,
        "# Toolset `{name}`\n\n`todori serve --toolsets {name}`. Works on {board}. Agents are told:\n\n> {}\n",
        dialect.instructions
    )
    .unwrap();
    writeln!(page, "| tool | does | effect |\n|---|---|---|").unwrap();
    for tool in dialect.tools {
        let effect = effect(tool.effect);
        writeln!(
            page,
            "| [`{}`](#{}) | {} | {effect} |",
            tool.name,
            tool.name.to_lowercase(),
            cell(tool.title)
        )
        .unwrap();
    }
    for tool in dialect.tools {
        describe(&mut page, tool);
    }
    if !dialect.prompts.is_empty() {
        writeln!(page, "\n## Prompts").unwrap();
    }
    for prompt in dialect.prompts {
        writeln!(
            page,
            "\n### `{}`\n\n{}: {}",
            prompt.name, prompt.title, prompt.description
        )
        .unwrap();
        for argument in prompt.arguments {
            let needed = if argument.required {
                "required"
            } else {
                "optional"
            };
            writeln!(
                page,
                "\n- `{}` ({needed}): {}",
                argument.name, argument.description
            )
            .unwrap();
        }
    }
    errors(&mut page, dialect);
    page
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "reads",
        Effect::Adds => "adds",
        Effect::Changes => "changes",
        Effect::Destroys => "takes away",
    }
}

fn describe(page: &mut String, tool: &Tool) {
    let Tool {
        name,
        title,
        description,
        ..
    } = tool;
    writeln!(page, "\n## `{name}`\n\n**{title}.** {description}\n").unwrap();
    match tool.audience {
        Audience::Everybody => {}
        Audience::Widget => writeln!(
            page,
            "For the widget: listed only to clients that show widgets, which keep it from their models (`visibility` \
            `app`).\n"
        )
        .unwrap(),
    }
    let hints = [
        ("readOnlyHint", tool.effect.is_read_only()),
        ("destructiveHint", tool.effect.is_destructive()),
        ("idempotentHint", tool.effect.is_idempotent()),
        ("openWorldHint", false),
    ];
    let hints: Vec<String> = hints
        .iter()
        .map(|(name, is)| format!("`{name}` {is}"))
        .collect();
    let always = if tool.always_load {
        ", in the first request (`anthropic/alwaysLoad`)"
    } else {
        ""
    };
    writeln!(page, "Annotations: {}{always}.\n", hints.join(", ")).unwrap();
    table(page, "argument", &(tool.input)());
    writeln!(page).unwrap();
    table(page, "result", &(tool.output)());
}

fn table(page: &mut String, what: &str, shape: &Shape) {
    let Shape::Object(fields) = shape else {
        panic!("an object")
    };
    if fields.is_empty() {
        writeln!(page, "No {what}s.").unwrap();
        return;
    }
    writeln!(page, "| {what} | is | says |\n|---|---|---|").unwrap();
    rows(page, "", fields);
}

fn rows(page: &mut String, prefix: &str, fields: &[Field]) {
    for field in fields {
        let needed = if field.required { "" } else { " (optional)" };
        let name = format!("{prefix}{}", field.name);
        writeln!(
            page,
            "| `{name}`{needed} | {} | {} |",
            kind(&field.shape),
            cell(field.description)
        )
        .unwrap();
        below(page, &name, &field.shape);
    }
}

/// The fields of an object, and of the objects of a list.
fn below(page: &mut String, name: &str, shape: &Shape) {
    match shape {
        Shape::Object(fields) => rows(page, &format!("{name}."), fields),
        Shape::List(of, _) => below(page, &format!("{name}[]"), of),
        Shape::Nullable(of) => below(page, name, of),
        Shape::Text { .. }
        | Shape::Id
        | Shape::Time
        | Shape::Choice(_)
        | Shape::Choices(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean => {}
    }
}

fn kind(shape: &Shape) -> String {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match shape {
        Shape::Text {
            least: 0,
            most: None,
        } => "text".to_owned(),
        Shape::Text {
            least: 0,
            most: Some(most),
        } => format!("text, at most {most} characters"),
        Shape::Text { most: None, .. } => "text, not empty".to_owned(),
        Shape::Text {
            least,
            most: Some(most),
        } => format!("text, {least} to {most} characters"),
        Shape::Id => "id".to_owned(),
        Shape::Time => "time".to_owned(),
        Shape::Choice(choice) => words(choice),
        Shape::Choices(choice) => format!("one of, or a list of: {}", words(choice)),
        Shape::Integer(least) => format!("integer, at least {least}"),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::List(of, _) => match kind(of).as_str() {
            "object" => "list of objects".to_owned(),
            other => format!("list of: {other}"),
        },
        Shape::Object(_) => "object".to_owned(),
        Shape::Nullable(of) => format!("{} or null", kind(of)),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// One of each thing that can go wrong.
fn errors(page: &mut String, dialect: &Dialect) {
    let board = Board::default();
    let mut found: Vec<(String, Fault)> = Vec::new();
    let tool = dialect.tools.first().unwrap();
    let unknown = json!({"no_such_argument": 1});
    let ids = CountedIds::default();
    let invalid = dialect.decode(
        tool,
        unknown.as_object().unwrap().clone(),
        &Context { ids: &ids },
    );
    found.push((
        "an argument is not as the table says".to_owned(),
        invalid.unwrap_err(),
    ));
    for (when, refusal) in refusals() {
        found.push((when.to_owned(), dialect.refusal_fault(&refusal, &board)));
    }
    for (when, error) in failures() {
        found.push((when.to_owned(), dialect.store_fault(&error)));
    }
    writeln!(
        page,
        "\n## Errors\n\nNothing is changed by a call that fails. As this toolset words what any toolset may meet:\n\n\
        | when | code | message |\n|---|---|---|"
    )
    .unwrap();
    for (when, fault) in found {
        let code = fault.code();
        let code = code
            .as_str()
            .map_or_else(|| code.to_string(), str::to_owned);
        writeln!(page, "| {when} | `{code}` | {} |", cell(&fault.message)).unwrap();
    }
}

fn refusals() -> Vec<(&'static str, Refusal)> {
    let given = || "3f2b".to_owned();
    let two = || vec![letter("a"), letter("b")];
    let subtask = SubtaskId {
        task: letter("a"),
        number: 7,
    };
    vec![
        (
            "no task has this id",
            Refusal::TaskNotFound { given: given() },
        ),
        (
            "several ids begin so",
            Refusal::AmbiguousId {
                given: given(),
                candidates: two(),
                total: 2,
            },
        ),
        (
            "there is no such subtask",
            Refusal::SubtaskNotFound {
                subtask,
                known: vec![1],
            },
        ),
        (
            "a dependency is not there",
            Refusal::DependencyNotFound { given: given() },
        ),
        (
            "tasks would wait for each other",
            Refusal::Cycle { path: two() },
        ),
        (
            "there is no task at this place",
            Refusal::NoSuchPlace { place: 7, count: 2 },
        ),
        (
            "no title contains this",
            Refusal::TitleNotFound { given: given() },
        ),
        (
            "several titles contain this",
            Refusal::AmbiguousTitle {
                given: given(),
                candidates: two(),
                total: 2,
            },
        ),
        (
            "an order leaves tasks out",
            Refusal::IncompleteOrder {
                missing: two(),
                repeated: Vec::new(),
            },
        ),
        (
            "two items are in progress",
            Refusal::SeveralInProgress { count: 2 },
        ),
    ]
}

fn failures() -> Vec<(&'static str, StoreError)> {
    let (what, reason) = (
        ".todori/tasks.yaml".to_owned(),
        "the disk is full".to_owned(),
    );
    let at = Position { line: 3, column: 5 };
    vec![
        (
            "there is no project",
            StoreError::NoBoard {
                reason: "there is no folder /somewhere".to_owned(),
                advice: "some advice".to_owned(),
            },
        ),
        (
            "the file is broken",
            StoreError::Broken {
                what: what.clone(),
                at: Some(at),
                reason: "a reason".to_owned(),
                advice: "some advice".to_owned(),
            },
        ),
        (
            "the file is gone",
            StoreError::Vanished {
                what,
                advice: "some advice".to_owned(),
            },
        ),
        ("others are writing", StoreError::Busy { seconds: 10 }),
        (
            "the file can't be read",
            StoreError::Unreadable {
                reason: reason.clone(),
            },
        ),
        (
            "the file can't be written",
            StoreError::NotApplied {
                reason: reason.clone(),
            },
        ),
        (
            "it may or may not be written",
            StoreError::OutcomeUnknown { reason },
        ),
        (
            "the store can't be reached",
            StoreError::Unreachable {
                reason: "a reason".to_owned(),
            },
        ),
        (
            "the store does not allow it",
            StoreError::Denied {
                reason: "a reason".to_owned(),
            },
        ),
    ]
}
