//! What holds for every row of every table.

use std::collections::HashSet;

use serde_json::{Value, json};
use todori_dialects::{ALL, Dialect, Effect, about_tokens, seen_by_model};

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
        let (visible, total) = if dialect.name == "tasks" {
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
fn models_are_told_of_the_tools_of_the_specifications_and_no_others() {
    let count = |name: &str| todori_dialects::find(name).unwrap().for_models().count();
    let counts = ["tasks", "todo", "todolist", "todowrite", "app"].map(count);
    assert_eq!(counts, [11, 2, 2, 1, 6]);
}
