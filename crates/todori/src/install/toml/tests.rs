//! TOML is changed in place: one table, and nothing else.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::error::SyntaxError;
use super::{get, remove, set};

const PATH: &[&str] = &["mcp_servers", "todori"];

fn table() -> Map<String, Value> {
    let table = json!({"command": "todori", "args": ["serve"]});
    table.as_object().unwrap().clone()
}

const BLOCK: &str = "[mcp_servers.todori]\ncommand = \"todori\"\nargs = [\"serve\"]\n";

fn check(before: &str, after: &str) {
    let added = set(before, PATH, &table()).unwrap();
    assert_eq!(added, after, "{before:?}");
    assert_eq!(get(&added, PATH).unwrap(), Some(Value::Object(table())));
    assert_eq!(get(&remove(&added, PATH).unwrap(), PATH).unwrap(), None);
}

#[test]
fn a_table_goes_to_the_end_or_to_where_it_was() {
    check("", BLOCK);
    check("model = \"x\"\n", &format!("model = \"x\"\n\n{BLOCK}"));
    check("# only this\n\n", &format!("# only this\n\n{BLOCK}"));
    check("a = 1", &format!("a = 1\n\n{}", BLOCK.trim_end()));
    check(
        "a = 1\r\n",
        &format!("a = 1\r\n\r\n{}", BLOCK.replace('\n', "\r\n")),
    );
    check(
        "[mcp_servers.todori]\ncommand = \"old\" # mine\n\n[mcp_servers.todori.env]\nA = \"1\"\n\n# others\n[x]\ny = 1\n",
        &format!("{BLOCK}\n\n# others\n[x]\ny = 1\n"),
    );
    check(
        "mcp_servers.todori.command = \"old\"\nmcp_servers.b.command = \"b\"\n",
        &format!("mcp_servers.b.command = \"b\"\n\n{BLOCK}"),
    );
    check(
        "[mcp_servers]\ntodori = { command = \"old\" }\n",
        &format!("[mcp_servers]\n\n{BLOCK}"),
    );
    check(
        "[\"mcp_servers\".'todori']\nurl = 'x'\n[z]\n",
        &format!("{BLOCK}[z]\n"),
    );
}

#[test]
fn a_table_is_taken_out_and_everything_else_stays() {
    let check = |before: &str, after: &str| assert_eq!(remove(before, PATH).unwrap(), after);
    check(BLOCK, "");
    check(&format!("a = 1\n\n{BLOCK}"), "a = 1\n");
    check(
        &format!("a = 1\n\n{BLOCK}\n# b\n[b]\n"),
        "a = 1\n\n# b\n[b]\n",
    );
    check(&format!("{BLOCK}# kept\n[b]\n"), "# kept\n[b]\n");
    check("\u{feff}[mcp_servers.todori]\nurl = 'x'\n", "\u{feff}");
    check("[mcp_servers.todori2]\n", "[mcp_servers.todori2]\n");
}

#[test]
fn all_of_toml_is_read() {
    let text = "\u{feff}# c\ntitle = \"a \\\"b\\\" # no\" # c\nlong = \"\"\"\n[x]\n\\\"\"\"\"\"\nraw = '''\n[y] ''''\n\
        list = [ 1, # c\n  \"]\", [2], ]\ntable = { a.b = 1, \"c d\" = [ { e = 2 } ] }\nwhen = 1979-05-27 07:32:00Z\n\
        f = -1.5e3\nn = +nan\nb = true\n\"quoted key\".'x' = 0xf\n[a.b]\n[[l]]\nk = 1\n[[l]]\nk = 2\n";
    assert_eq!(
        get(text, &["table"]).unwrap(),
        Some(json!({"a": {"b": 1}, "c d": [{"e": 2}]}))
    );
    assert_eq!(get(text, &["list"]).unwrap(), Some(json!([1, "]", [2]])));
    assert_eq!(get(text, &["a", "b"]).unwrap(), Some(json!({})));
    assert_eq!(get(text, &["x"]).unwrap(), None);
    assert_eq!(get(text, &["y"]).unwrap(), None);
}

#[test]
fn each_element_of_a_list_of_tables_may_have_a_table_of_the_same_name() {
    let text = "[[profiles]]\nname = \"a\"\n[profiles.env]\nA = \"1\"\n\n[[profiles]]\n[profiles.env]\nA = \"2\"\n";
    check(text, &format!("{text}\n{BLOCK}"));
}

#[test]
fn what_can_not_be_changed_is_said() {
    let broken = |line, column, what: &str| SyntaxError::Broken {
        line,
        column,
        what: what.to_owned(),
    };
    let check =
        |text: &str, flaw: SyntaxError| assert_eq!(set(text, PATH, &table()), Err(flaw), "{text}");
    check(
        "a =\n",
        broken(
            1,
            4,
            "string values must be quoted, expected literal string",
        ),
    );
    check(
        "a = 1\nb\n",
        broken(2, 2, "key with no value, expected `=`"),
    );
    check("[a\n", broken(1, 3, "unclosed table, expected `]`"));
    check(
        "\u{feff}a = \"é\n",
        broken(1, 7, "invalid basic string, expected `\"`"),
    );
    check(
        "a = {b = 1\n",
        broken(1, 11, "unclosed inline table, expected `}`"),
    );
    check(
        "{\"json\": 1}\n",
        broken(1, 1, "invalid key-value pair, expected key"),
    );
    check("a = 1\na = 2\n", broken(2, 1, "duplicate key"));
    check(
        "[mcp_servers.todori]\n[mcp_servers.todori]\n",
        broken(2, 14, "duplicate key"),
    );
    check(
        "[[mcp_servers]]\na = 1\n",
        SyntaxError::WrongType {
            path: "mcp_servers".to_owned(),
            wanted: "a table",
        },
    );
    check(
        "mcp_servers = { a = { command = \"b\" } }\n",
        SyntaxError::InlineTable("mcp_servers".to_owned()),
    );
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(matches!(get(&deep, PATH), Err(SyntaxError::Broken { .. })));
}

/// Lines of a file, in any order that is valid.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "# a comment",
        "  # [mcp_servers.todori]",
        "long = \"\"\"\n[mcp_servers.todori]\n\"\"\"",
        "list = [\n  1, # x\n]",
        "é = 1",
    ]);
    let names = prop::collection::btree_set("[a-z]{1,5}", 0..6);
    (
        prop::collection::vec(line, 0..6),
        names,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, names, end, crlf)| {
            let mut text = String::new();
            for (place, line) in lines.iter().enumerate() {
                text += &line
                    .replace("long", &format!("long{place}"))
                    .replace("list", &format!("list{place}"))
                    .replace('é', &format!("key{place}"));
                text.push('\n');
            }
            for name in names {
                text += &format!("\n[{name}x]\n  key = 'value' # {name}\n");
            }
            let text = if end {
                text
            } else {
                text.trim_end().to_owned()
            };
            if crlf {
                text.replace('\n', "\r\n")
            } else {
                text
            }
        })
}

proptest! {
    #[test]
    fn whatever_else_is_there_stays_byte_for_byte(text in lines()) {
        let added = set(&text, PATH, &table()).unwrap();
        prop_assert!(added.starts_with(&text), "{}", added);
        prop_assert_eq!(get(&added, PATH).unwrap(), Some(Value::Object(table())));
        let gone = remove(&added, PATH).unwrap();
        prop_assert_eq!(gone.trim_end(), text.trim_end());
    }
}

proptest! {
    #[test]
    fn whatever_is_in_a_file_it_is_changed_soundly_or_refused(
        text in "\u{feff}?([\\[\\]{}=.,#'\"1 \n\r\té]|\n\\[|\\]\n|a = 1\n|\n\\[\\[|mcp_servers|todori|\\.|\"\"\"|'''|\n#|\\[mcp_servers\\]\n|\\[mcp_servers.todori\\]\n| = \\{|\r\n){0,24}",
    ) {
        if let Ok(added) = set(&text, PATH, &table()) {
            prop_assert_eq!(get(&added, PATH), Ok(Some(Value::Object(table()))), "{}", added);
            let gone = remove(&added, PATH).unwrap();
            prop_assert_eq!(get(&gone, PATH), Ok(None), "{}", gone);
        }
    }
}
