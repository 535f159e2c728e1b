//! What holds for every row of every table.

use std::collections::HashSet;

use serde_json::{Value, json};
use todori_dialects::{
    ALL, BoardKind, Code, DEFAULT, Dialect, Effect, ErrorCodes, Field, Shape, Tool, Transcript,
    about_tokens, find, names, seen_by_model, select,
};
use todori_domain::testing::letter;
use todori_domain::{Board, IdPrefix, Refusal, StoreError, TaskRef};

fn whole(dialect: &Dialect) -> String {
    let tools: Vec<Value> = dialect
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "inputSchema": (tool.input)().input_schema(), "outputSchema": (tool.output)().schema(),
                "annotations": {"readOnlyHint": true, "destructiveHint": true,
                    "idempotentHint": true, "openWorldHint": false},
                "_meta": tool.meta.map_or_else(|| json!({"anthropic/alwaysLoad": true}), |meta| meta()),
            })
        })
        .collect();
    json!(tools).to_string()
}

#[test]
fn definitions_cost_little_context() {
    let encoding = tiktoken_rs::o200k_base().unwrap();
    let count = |text: &str| encoding.encode_ordinary(text).len();
    for dialect in ALL {
        let (visible, total) = if dialect.is_default() {
            (1_500, 3_000)
        } else {
            (600, 1_200)
        };
        let (seen, all) = (count(&seen_by_model(dialect)), count(&whole(dialect)));
        println!(
            "{}: {seen} tokens seen by a model, {all} in all",
            dialect.name
        );
        assert!(
            seen <= visible,
            "{}: {seen} tokens, at most {visible}",
            dialect.name
        );
        assert!(
            all <= total,
            "{}: {all} tokens in all, at most {total}",
            dialect.name
        );
        assert!(dialect.instructions.len() <= 1_000);
    }
}

/// A reply as it comes from a real board: full of ids and times.
const REPLY: &str = r#"{"tasks":[{"id":"3f2b8c1e-7a4d-4e0b-9c55-0d1f6a2b7e90","title":"Fix the login","status":"pending","priority":"high","dependencies":["9a0c5d27-18fe-4b63-8f0a-6b1d4c9e2a75"]},{"id":"9a0c5d27-18fe-4b63-8f0a-6b1d4c9e2a75","title":"Write the documentation of the store","status":"in-progress","priority":"medium","created":"2026-11-15T07:12:13.123Z"}],"total":2}"#;

#[test]
fn tokens_are_told_about_right_without_a_tokenizer() {
    let encoding = tiktoken_rs::o200k_base().unwrap();
    let mut texts = vec![("a reply", REPLY.to_owned())];
    for dialect in ALL {
        texts.push((dialect.name, seen_by_model(dialect)));
        texts.push((dialect.name, dialect.instructions.to_owned()));
    }
    for (name, text) in texts {
        let (counted, told) = (encoding.encode_ordinary(&text).len(), about_tokens(&text));
        println!(
            "{name}: {} bytes, {counted} tokens, told {told}",
            text.len()
        );
        assert!(
            told.abs_diff(counted) * 100 <= counted * 15,
            "{name}: {counted} tokens, told {told}"
        );
    }
}

#[test]
fn names_are_unique_and_short_enough_for_every_client() {
    let mut names = HashSet::new();
    for tool in ALL.iter().flat_map(|dialect| dialect.tools) {
        assert!(names.insert(tool.name), "{} is there twice", tool.name);
        assert!(
            tool.name.len() <= 53
                && tool
                    .name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_')
        );
        assert!(!tool.title.is_empty() && !tool.description.is_empty());
    }
}

#[test]
fn schemas_are_what_every_client_takes() {
    for tool in ALL.iter().flat_map(|dialect| dialect.tools) {
        for schema in [(tool.input)().input_schema(), (tool.output)().schema()] {
            assert_eq!(
                schema["type"], "object",
                "{}: an object at the top, no combinator",
                tool.name
            );
            let text = schema.to_string();
            assert!(
                !text.contains("$ref") && !text.contains("$defs"),
                "{}",
                tool.name
            );
        }
        let input = (tool.input)().input_schema();
        assert!(
            !input.to_string().contains("\"null\""),
            "{}: nothing is nullable",
            tool.name
        );
        assert_eq!(input["additionalProperties"], false);
    }
}

#[test]
fn effects_are_as_the_names_say() {
    for tool in ALL.iter().flat_map(|dialect| dialect.tools) {
        let expected = match tool.name.split('_').next() {
            Some("get" | "query" | "list") => Effect::Reads,
            Some("create" | "add") => Effect::Adds,
            Some("update" | "complete" | "move") => Effect::Changes,
            Some("delete") => Effect::Destroys,
            _ => match tool.name {
                "todo_read" | "todolist__get" => Effect::Reads,
                "todolist__set" | "TodoWrite" => Effect::Changes,
                "todo_update" => Effect::Destroys,
                other => panic!("what does {other} do?"),
            },
        };
        assert_eq!(tool.effect, expected, "{}", tool.name);
    }
}

#[test]
fn every_dialect_is_found_by_its_name_and_the_default_is_the_first() {
    for dialect in ALL {
        assert!(std::ptr::eq(find(dialect.name).unwrap(), *dialect));
        let selected = select(dialect.name).unwrap();
        assert_eq!(selected.len(), 1, "/mcp/{}", dialect.name);
        assert!(
            dialect.name.bytes().all(|byte| byte.is_ascii_lowercase()) && dialect.name != "all",
            "{} is part of a URL",
            dialect.name
        );
        assert!(names().split(", ").any(|name| name == dialect.name));
        assert!(!dialect.help.is_empty() && !dialect.help.contains(['\n', '|']));
    }
    assert_eq!(ALL[0].name, DEFAULT.name);
    assert_eq!(select("all").unwrap().len(), ALL.len());
}

/// Whether an object has a field of this name and, in the lists, a list there.
fn has(shape: &Shape, name: &str, expected: fn(&Shape) -> bool) -> bool {
    let Shape::Object(fields) = shape else {
        return false;
    };
    let has = |field: &Field| field.name == name && expected(&field.shape);
    fields.iter().any(has)
}

#[test]
fn transcripts_hold_what_the_tables_say() {
    let list: fn(&Shape) -> bool = |shape| matches!(shape, Shape::List(..));
    let id: fn(&Shape) -> bool = |shape| matches!(shape, Shape::Id);
    let any: fn(&Shape) -> bool = |_| true;
    for tool in ALL.iter().flat_map(|dialect| dialect.tools) {
        let Tool { input, output, .. } = tool;
        let (input, output) = (input(), output());
        let held = match tool.transcript {
            Transcript::Nothing => tool.effect == Effect::Reads,
            Transcript::ListWritten => has(&input, "todos", list),
            Transcript::ListRead | Transcript::AllByStage => has(&output, "todos", list),
            Transcript::Task => has(&output, "id", id) && has(&output, "title", any),
            Transcript::OptionalTask => has(&output, "task", any),
            Transcript::SomeTasks | Transcript::AllAsCheckList => has(&output, "tasks", list),
            Transcript::DeletedTask => has(&output, "deletedId", id),
        };
        assert!(held, "{}: {:?}", tool.name, tool.transcript);
    }
}

#[test]
fn errors_are_called_what_the_tables_say() {
    let refusal = Refusal::TaskNotFound {
        given: "3f2b".to_owned(),
    };
    for dialect in ALL {
        let faults = [
            dialect.refusal_fault(&refusal, &Board::default()),
            dialect.store_fault(&StoreError::Busy { seconds: 10 }),
        ];
        for fault in faults {
            let is = match fault.code {
                Code::Number(_) => ErrorCodes::Numbers,
                Code::Word(_) => ErrorCodes::Words,
            };
            assert_eq!(is, dialect.error_codes, "{}", dialect.name);
        }
    }
}

#[test]
fn ids_are_understood_with_the_prefix_of_every_dialect() {
    for dialect in ALL {
        let id = letter("a");
        let shown = TaskRef::new(format!("{}{id}", dialect.id_prefix));
        assert_eq!(shown.meaning(), IdPrefix::Whole(id), "{}", dialect.name);
    }
}

#[test]
fn widgets_are_named_by_the_tools_that_they_belong_to() {
    for dialect in ALL {
        let uri = dialect.widget.as_ref().map(|widget| widget.uri);
        for tool in dialect.tools {
            let meta = tool.meta.map(|meta| meta()).unwrap_or_default();
            assert_eq!(meta["ui"]["resourceUri"].as_str(), uri, "{}", tool.name);
        }
    }
}

#[test]
fn a_session_that_starts_is_told_by_a_prompt_without_arguments() {
    let mut prompts = ALL.iter().filter_map(|dialect| dialect.session_start);
    assert!(prompts.clone().next().is_some(), "there is one");
    assert!(prompts.all(|prompt| prompt.arguments.is_empty()));
}

#[test]
fn the_readme_has_a_row_for_every_dialect_and_the_guide_a_link() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/README.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    for dialect in ALL {
        let begin = format!("| `{}`", dialect.name);
        let row = readme.lines().find(|line| line.starts_with(&begin));
        let row = row.unwrap_or_else(|| panic!("README.md has no row for {}", dialect.name));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let tools: Vec<String> = dialect
            .for_models()
            .map(|tool| format!("`{}`", tool.name))
            .collect();
        assert_eq!(cells[1].ends_with("(default)"), dialect.is_default());
        assert!(cells[2].starts_with(&tools.join(" ")), "{row}");
        assert_eq!(cells[2].contains("widget"), dialect.widget.is_some());
        let board = match dialect.board {
            BoardKind::Project => "project",
            BoardKind::Session => "session",
        };
        assert!(cells[3].starts_with(board), "{row}");
        assert_eq!(cells[4], dialect.help);
        let link = format!("(../reference/toolsets/{}.md)", dialect.name);
        assert!(guide.contains(&link), "docs/guide/README.md: {link}");
    }
}

#[test]
fn models_are_told_of_the_tools_of_the_specifications_and_no_others() {
    let count = |name: &str| find(name).unwrap().for_models().count();
    let counts = ["tasks", "todo", "todolist", "todowrite", "app"].map(count);
    assert_eq!(counts, [11, 2, 2, 1, 6]);
}
