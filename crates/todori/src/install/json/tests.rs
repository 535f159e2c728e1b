//! JSON is changed in place, and looks as if its owner had done it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::error::SyntaxError;
use super::{get, push, remove, remove_element, set};

const PATH: &[&str] = &["mcpServers", "todori"];

fn entry() -> Value {
    json!({"command": "todori", "args": ["serve"]})
}

/// What comes of adding the entry; and taking it out again by its name gives the same values as before.
fn check(before: &str, after: &str) {
    let added = set(before, PATH, &entry()).unwrap();
    assert_eq!(added, after, "{before:?}");
    assert_eq!(get(&added, PATH).unwrap(), Some(entry()));
    let gone = remove(&added, PATH).unwrap();
    assert_eq!(get(&gone, PATH).unwrap(), None, "{gone}");
}

#[test]
fn an_entry_is_laid_out_like_its_neighbours() {
    check(
        "",
        "{\n  \"mcpServers\": {\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    );
    check(
        "{\n\t\"mcpServers\": {\n\t\t\"a\": 1\n\t}\n}",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": 1,\n\t\t\"todori\": {\n\t\t\t\"command\": \"todori\",\n\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}",
    );
    check(
        "{\r\n    \"a\": [1, 2]\r\n}\r\n",
        "{\r\n    \"a\": [1, 2],\r\n    \"mcpServers\": {\r\n        \"todori\": {\r\n            \"command\": \"todori\",\r\n            \"args\": [\"serve\"]\r\n        }\r\n    }\r\n}\r\n",
    );
    check(
        r#"{"a":1}"#,
        r#"{"a":1,"mcpServers":{"todori":{"command":"todori","args":["serve"]}}}"#,
    );
    check(
        r#"{"mcpServers":{}}"#,
        r#"{"mcpServers":{"todori":{"command":"todori","args":["serve"]}}}"#,
    );
    check(
        r#"{ "mcpServers": { "a": 1 } }"#,
        r#"{ "mcpServers": { "a": 1, "todori": {"command": "todori", "args": ["serve"]} } }"#,
    );
}

#[test]
fn comments_stay_with_what_they_are_about() {
    check(
        "// mine\n{\n  \"mcpServers\": {\n    \"a\": 1 // the first\n    // the end\n  }, /* and */\n}\n",
        "// mine\n{\n  \"mcpServers\": {\n    \"a\": 1, // the first\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n    // the end\n  }, /* and */\n}\n",
    );
    check(
        "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n  },\n}",
        "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"],\n    },\n  },\n}",
    );
    check(
        "{\n  // nothing yet\n}",
        "{\n  // nothing yet\n  \"mcpServers\": {\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}",
    );
    check(
        "// only a comment",
        "// only a comment\n{\n  \"mcpServers\": {\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    );
    check(
        "\u{feff}{\"a\": \"/* no comment */ // none\"}",
        "\u{feff}{\"a\": \"/* no comment */ // none\", \"mcpServers\": {\"todori\": {\"command\": \"todori\", \"args\": [\"serve\"]}}}",
    );
}

fn check_removed(before: &str, after: &str) {
    assert_eq!(remove(before, PATH).unwrap(), after, "{before:?}");
}

#[test]
fn an_entry_is_taken_out_and_its_neighbours_stay_as_they_are() {
    check_removed(
        r#"{"mcpServers": {"todori": 1, "a": 2}}"#,
        r#"{"mcpServers": {"a": 2}}"#,
    );
    check_removed(
        r#"{"mcpServers": {"a": 2, "todori": 1}}"#,
        r#"{"mcpServers": {"a": 2}}"#,
    );
    check_removed(
        r#"{"mcpServers": {"a": 2, "todori": 1, "b": 3}}"#,
        r#"{"mcpServers": {"a": 2, "b": 3}}"#,
    );
    check_removed(r#"{"x": 0, "mcpServers": {"todori": 1}}"#, r#"{"x": 0}"#);
    check_removed(
        "{\n  \"mcpServers\": {\n    \"todori\": {}\n  }\n}\n",
        "{}\n",
    );
    check_removed(
        "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"todori\": {}\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"a\": 1 // one\n  }\n}",
    );
    check_removed(
        "{\n  \"mcpServers\": {\n    \"todori\": {},  \n    \"a\": 1,\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"a\": 1,\n  }\n}",
    );
    check_removed(
        "{\r\n  \"mcpServers\": {\r\n    \"a\": 1,\r\n    \"todori\": {},\r\n    \"b\": 2\r\n  }\r\n}",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": 1,\r\n    \"b\": 2\r\n  }\r\n}",
    );
    // A comment beside it goes with it; one on a line of its own stays.
    check_removed(
        "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"todori\": {} // mine\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"a\": 1 // one\n  }\n}",
    );
    check_removed(
        "{\n  \"mcpServers\": {\n    // mine\n    \"todori\": {}\n  }\n}",
        "{\n  \"mcpServers\": {\n    // mine\n  }\n}",
    );
    check_removed(r#"{"a": 1}"#, r#"{"a": 1}"#);
    check_removed("", "");
}

#[test]
fn an_entry_that_is_there_is_replaced_where_it_stands() {
    let check = |before: &str, after: &str| {
        assert_eq!(set(before, PATH, &json!({"url": "x"})).unwrap(), after);
    };
    check(
        "{\n  \"mcpServers\": {\n    \"todori\": {\"command\": \"old\"}, // mine\n    \"b\": 1\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"todori\": {\n      \"url\": \"x\"\n    }, // mine\n    \"b\": 1\n  }\n}",
    );
    check(
        r#"{"mcpServers":{"todori":{"command":"old"}}}"#,
        r#"{"mcpServers":{"todori":{"url":"x"}}}"#,
    );
}

#[test]
fn lists_grow_at_the_end() {
    let hooks = &["hooks", "SessionStart"];
    let check = |before: &str, after: &str| {
        let added = push(before, hooks, &json!({"m": 1})).unwrap();
        assert_eq!(added, after);
        let count = get(&added, hooks)
            .unwrap()
            .unwrap()
            .as_array()
            .unwrap()
            .len();
        let gone = remove_element(&added, hooks, count - 1).unwrap();
        assert!(get(&gone, hooks).is_ok(), "{gone}");
    };
    check(
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"m\": 0}\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"m\": 0},\n      {\n        \"m\": 1\n      }\n    ]\n  }\n}\n",
    );
    check(
        r#"{"hooks": {"SessionStart": []}}"#,
        r#"{"hooks": {"SessionStart": [{"m": 1}]}}"#,
    );
    check(
        "{}",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"m\": 1\n      }\n    ]\n  }\n}",
    );
}

#[test]
fn what_can_not_be_changed_is_said() {
    let broken = |line, column, what: &str| SyntaxError::Broken {
        line,
        column,
        what: what.to_owned(),
    };
    let check =
        |text: &str, flaw: SyntaxError| assert_eq!(set(text, PATH, &entry()), Err(flaw), "{text}");
    check("{", broken(1, 1, "unterminated object"));
    check(
        "\u{feff}{\n  \"é\": }",
        broken(2, 8, "unexpected close brace"),
    );
    check(
        "{\"a\" 1}",
        broken(
            1,
            6,
            "expected colon after the string or word in object property",
        ),
    );
    check("{\"a\": 1 \"b\": 2}", broken(1, 8, "expected comma"));
    check("{\"a\": \"x}", broken(1, 7, "unterminated string literal"));
    check(
        "{} x",
        broken(1, 4, "text cannot contain more than one JSON value"),
    );
    check("{ /* x }", broken(1, 3, "unterminated comment block"));
    check(
        "{a: 1}",
        broken(1, 2, "expected string for object property"),
    );
    check("{\"a\": 01}", broken(1, 8, "expected comma"));
    check("{\"a\": \"\\x\"}", broken(1, 8, "invalid escape"));
    let deep = "[".repeat(100_000);
    assert!(matches!(get(&deep, PATH), Err(SyntaxError::Broken { .. })));
    let twice = r#"{"mcpServers": {}, "mcpServers": {}}"#;
    check(twice, SyntaxError::Duplicate("mcpServers".to_owned()));
    let twice = r#"{"mcpServers": {"todori": 1, "todori": 2}}"#;
    check(twice, SyntaxError::Duplicate("todori".to_owned()));
    let not = |path: &str| SyntaxError::WrongType {
        path: path.to_owned(),
        wanted: "an object",
    };
    check("[]", not("the file"));
    check(r#"{"mcpServers": []}"#, not("mcpServers"));
}

/// JSON as different people and programs lay it out.
fn laid_out() -> impl Strategy<Value = (Value, String)> {
    let scalar = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        any::<i32>().prop_map(|number| json!(number)),
        "[a-zé日\"\\\\/{}\\[\\]:, \n]{0,8}".prop_map(|text| json!(text)),
    ];
    let value = scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-z]{1,4}|mcpServers", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let object = prop::collection::btree_map("[a-z]{1,4}", value, 0..4);
    let style = (0..5_usize, any::<bool>(), any::<bool>(), any::<bool>());
    (object, style).prop_map(|(map, (unit, crlf, trailing, comments))| {
        let value = Value::Object(map.into_iter().collect());
        let unit = ["", "  ", "    ", "\t", " "][unit];
        let text = write(&value, unit, "", trailing, comments && !unit.is_empty());
        let text = if crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        };
        (value, text)
    })
}

fn write(value: &Value, unit: &str, indent: &str, trailing: bool, comments: bool) -> String {
    let inner = format!("{indent}{unit}");
    let (open, close, items): (&str, &str, Vec<String>) = match value {
        Value::Object(map) => {
            let item = |(name, value): (&String, &Value)| {
                let value = write(value, unit, &inner, trailing, comments);
                format!(
                    "{}:{}{value}",
                    json!(name),
                    if unit.is_empty() { "" } else { " " }
                )
            };
            ("{", "}", map.iter().map(item).collect())
        }
        Value::Array(list) => {
            let item = |item| write(item, unit, &inner, trailing, comments);
            ("[", "]", list.iter().map(item).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return value.to_string();
        }
    };
    if items.is_empty() {
        return format!("{open}{close}");
    }
    let end = if trailing { "," } else { "" };
    if unit.is_empty() {
        return format!("{open}{}{end}{close}", items.join(","));
    }
    let comment = if comments { " // \"x\": {, /* [" } else { "" };
    let items = items.join(&format!(",{comment}\n{inner}"));
    format!("{open}{comment}\n{inner}{items}{end}{comment}\n{indent}{close}")
}

proptest! {
    #[test]
    fn however_a_file_is_laid_out_only_the_entry_changes((value, text) in laid_out()) {
        prop_assert_eq!(get(&text, &[]).unwrap(), Some(value.clone()));
        let added = set(&text, PATH, &entry()).unwrap();
        let mut expected = value.clone();
        expected["mcpServers"]["todori"] = entry();
        prop_assert_eq!(get(&added, &[]).unwrap(), Some(expected));
        // Nothing is lost: with the new characters taken out, the old text is left.
        let mut rest = added.chars();
        prop_assert!(text.chars().all(|c| rest.any(|there| there == c)), "{}", added);
        let gone = remove(&added, PATH).unwrap();
        prop_assert_eq!(get(&gone, &[]).unwrap(), Some(value));
    }
}

proptest! {
    #[test]
    fn whatever_is_in_a_file_it_is_changed_soundly_or_refused(
        text in "\u{feff}?([{}\\[\\],:/*x1 \n\r\té]|//|/\\*|\\*/|\"|\"a\":|\"mcpServers\": ?\\{|\"todori\":|\"hooks\":|\"SessionStart\": ?\\[|\\\\u12|,\n  ){0,24}",
        opened in any::<bool>(),
    ) {
        let text = if opened { format!("{{{text}}}") } else { text };
        if let Ok(added) = set(&text, PATH, &entry()) {
            prop_assert_eq!(get(&added, PATH), Ok(Some(entry())));
            let gone = remove(&added, PATH).unwrap();
            prop_assert_eq!(get(&gone, PATH), Ok(None), "{}", gone);
        }
        let hooks = &["hooks", "SessionStart"];
        if let Ok(added) = push(&text, hooks, &entry()) {
            let list = get(&added, hooks).unwrap().unwrap();
            let last = list.as_array().unwrap().len() - 1;
            prop_assert_eq!(&list[last], &entry());
            let gone = remove_element(&added, hooks, last).unwrap();
            prop_assert!(get(&gone, hooks).is_ok(), "{}", gone);
        }
    }
}

/// The tokens of a value.
fn tokens(value: &Value, found: &mut Vec<String>) {
    let (open, close, items): (&str, &str, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(map) => {
            let items = map.iter().map(|(name, value)| (Some(name), value));
            ("{", "}", items.collect())
        }
        Value::Array(list) => ("[", "]", list.iter().map(|value| (None, value)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push(value.to_string());
            return;
        }
    };
    found.push(open.to_owned());
    for (place, (name, value)) in items.into_iter().enumerate() {
        if place > 0 {
            found.push(",".to_owned());
        }
        if let Some(name) = name {
            found.push(json!(name).to_string());
            found.push(":".to_owned());
        }
        tokens(value, found);
    }
    found.push(close.to_owned());
}

proptest! {
    #[test]
    fn wherever_blanks_and_comments_stand_they_stay_there(
        (mut value, _) in laid_out(),
        others in prop::sample::subsequence(vec!["a", "b", "c"], 0..3),
        gaps in prop::collection::vec(
            prop::sample::select(vec!["", "", " ", "\n", "\r\n", "\n\t", "/* c */", " // c\n"]),
            1..20,
        ),
    ) {
        for other in others {
            value["mcpServers"][other] = json!({ "x": [] });
        }
        let mut found = Vec::new();
        tokens(&value, &mut found);
        let mut text = String::new();
        for (token, gap) in found.iter().zip(gaps.iter().cycle()) {
            text += token;
            text += gap;
        }
        prop_assert_eq!(get(&text, &[]).unwrap(), Some(value.clone()), "{}", text);
        let added = set(&text, PATH, &entry()).unwrap();
        let mut expected = value.clone();
        expected["mcpServers"]["todori"] = entry();
        prop_assert_eq!(get(&added, &[]).unwrap(), Some(expected), "{:?} {:?}", text, added);
        let comments = |text: &str| (text.matches("/* c */").count(), text.matches("// c").count());
        prop_assert_eq!(comments(&added), comments(&text), "{:?} {:?}", text, added);
        let gone = remove(&added, PATH).unwrap();
        prop_assert_eq!(get(&gone, &[]).unwrap(), Some(value), "{:?} {:?}", added, gone);
    }
}
