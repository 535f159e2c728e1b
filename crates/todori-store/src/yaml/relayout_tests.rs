//! Files in other layouts: no comment and no field is lost when they are converted to ours.

use proptest::prelude::*;
use todori_domain::testing::conformance::{add, set};
use todori_domain::testing::generate::{board, commands};
use todori_domain::testing::{letter, moment};
use todori_domain::{Board, NobodyElse, Status, decide};

use super::layout_tests::{A, B, read, written};
use super::{emit, lines};

#[test]
fn other_indentations_lose_nothing() {
    for indent in [1, 3, 4, 8] {
        let blanks = " ".repeat(indent);
        let text = format!(
            "# top
version: 1  # one
tasks:  # all
{blanks}# above b
{blanks}{B}:   # the second
{blanks}    title: b  # short
{blanks}    # below
{blanks}    description: |
{blanks}        one
{blanks}           \x20
{blanks}        two

{blanks}    x: [1,
{blanks}      010]  # mine
{blanks}    tags:
{blanks}    - a
{blanks}    # within
{blanks}    - b

# at the margin
{blanks}# above a
{blanks}{A}:
{blanks}  title: a
# the end
team: us
"
        );
        let loaded = read(&text);
        assert!(!loaded.is_ours());
        for (name, status) in [("a", Status::Done), ("b", Status::Done)] {
            let now = written(&text, &[set(name, status), add("c")]);
            for mark in [
                "# top\nversion: 1  # one\ntasks:  # all\n",
                "  # above b\n  62626262",
                ":   # the second\n",
                "    title: b  # short\n",
                "    # below\n",
                "  # at the margin\n",
                "# above a\n  61616161",
                "010]  # mine\n",
                "# within\n",
                "\n# the end\nteam: us\n",
            ] {
                let mark = mark.trim_start_matches("  # at the margin\n");
                assert!(now.contains(mark), "{mark} is lost in\n{now}");
            }
            assert!(now.contains("# at the margin"), "{now}");
            let b = read(&now).board.get(letter("b")).unwrap().clone();
            assert_eq!(b.description.as_ref().unwrap().as_str(), "one\n    \ntwo\n");
        }
    }
}

#[test]
fn comments_in_the_older_layout_stay() {
    for (dash, keys) in [("  - ", "    "), ("- ", "  "), ("  -\n    ", "    ")] {
        let above = if keys.len() == 4 { "  " } else { "" };
        let text = format!(
            "version: \"1.0\"  # old
tasks:  # all
  # above b
{dash}id: {B}  # its id
{keys}title: b
{keys}metadata:
{keys}  created: 2025-12-14T12:00:00Z  # when
{keys}  # in between
{keys}  estimate: 1.10  # days
{keys}# below b

{above}# above a
{dash}id: {A}
{keys}title: a
# the end
team: us  # all of us
"
        );
        let now = written(&text, &[set("b", Status::Done)]);
        for mark in [
            "version: 1  # old\ntasks:  # all\n",
            "  # above b\n  62626262",
            "# its id\n",
            "# when\n",
            "# in between\n",
            "estimate: 1.10",
            "# days\n",
            "# below b\n",
            "# above a\n  61616161",
            "# the end\nteam: us  # all of us\n",
        ] {
            assert!(now.contains(mark), "{mark} is lost in\n{now}");
        }
        assert!(now.find("# below b") > now.find("  62626262"), "{now}");
    }
}

#[test]
fn flow_style_loses_nothing() {
    let text = format!(
        "# top
{{version: 1,  # one
 team: us,  # we
 tasks: {{  # all
   {A}: {{title: a, x: [1, # first
      010], y}},
   {B}: {{title: b}} }} }}
# end
"
    );
    let now = written(&text, &[set("b", Status::Done)]);
    for mark in [
        "# top", "# one", "# we", "# all", "# first", "# end", "team: us", "010]", "    y:\n",
    ] {
        assert!(now.contains(mark), "{mark} is lost in\n{now}");
    }
}

/// A board of so many tasks, each with a field that is not ours, all on one line.
fn on_one_line(count: usize, listed: bool) -> String {
    let task = |number: usize| {
        let id = format!("01890000-0000-7000-8000-{number:012x}");
        if listed {
            format!("{{id: {id}, title: t{number}, mine: x}}")
        } else {
            format!("{id}: {{title: t{number}, mine: x}}")
        }
    };
    let tasks: Vec<String> = (1..=count).map(task).collect();
    let tasks = tasks.join(", ");
    if listed {
        format!("version: 1\ntasks: [{tasks}]\n")
    } else {
        format!("version: 1\ntasks: {{{tasks}}}\n")
    }
}

#[test]
fn a_line_with_all_tasks_is_not_searched_again_for_each_of_them() {
    for listed in [true, false] {
        let text = on_one_line(2_000, listed);
        let before = lines::SEARCHED.get();
        let loaded = written(&text, &[add("new")]);
        let searched = lines::SEARCHED.get() - before;
        assert_eq!(loaded.matches("mine: x").count(), 2_000);
        // All the texts that are made and searched on the way are a few times as long as this one.
        assert!(
            searched < 50 * text.len(),
            "{searched} bytes searched for {} bytes",
            text.len()
        );
    }
}

#[test]
fn many_comments_below_the_tasks_are_each_looked_at_once() {
    let comments = "# still open\n".repeat(20_000);
    let text = format!("version: 1\ntasks:\n   {A}:\n      title: a\n{comments}");
    let before = lines::SEARCHED.get();
    let after = written(&text, &[add("new")]);
    let searched = lines::SEARCHED.get() - before;
    assert!(after.ends_with(&comments));
    assert!(searched < 50 * text.len(), "{searched} bytes searched");
}

/// How a board is written by somebody else.
#[derive(Debug, Clone, Copy)]
enum Dress {
    Indented(usize),
    Listed,
    Dashed,
}

/// A file in another layout, with remarks wherever they may stand; each names the task that it belongs to, if any.
fn dressed(
    board: &Board,
    dress: Dress,
    remarks: &[prop::sample::Index],
) -> (String, Vec<(String, String)>) {
    let mut lines = vec![(String::new(), "tasks:\n".to_owned())];
    for task in board.by_id() {
        let id = task.id.to_string();
        let mut text = String::new();
        emit::task(&mut text, task);
        let fields = text.split_once('\n').unwrap().1;
        let (head, fields) = match dress {
            Dress::Indented(indent) => {
                let blanks = " ".repeat(indent);
                let moved = fields.split_inclusive('\n');
                let moved = moved.map(|line| {
                    if line == "\n" {
                        line.to_owned()
                    } else {
                        format!("{blanks}{}", &line[2..])
                    }
                });
                (format!("{blanks}{id}:\n"), moved.collect::<String>())
            }
            Dress::Listed => (format!("  - id: {id}\n"), fields.to_owned()),
            Dress::Dashed => (format!("  -\n    id: {id}\n"), fields.to_owned()),
        };
        lines.push((id.clone(), head));
        lines.extend(
            fields
                .split_inclusive('\n')
                .map(|line| (id.clone(), line.to_owned())),
        );
    }
    let field = match dress {
        Dress::Indented(indent) => indent + 2,
        Dress::Listed | Dress::Dashed => 4,
    };
    let mut kept = Vec::new();
    for (number, remark) in remarks.iter().enumerate() {
        // Only at fields of one line: elsewhere it would be part of a text.
        let keys = ["created: ", "status: ", "priority: ", "updated: "];
        let places: Vec<usize> = (1..lines.len())
            .filter(|&at| {
                let line = &lines[at].1;
                let blanks = line.len() - line.trim_start_matches(' ').len();
                blanks == field && keys.iter().any(|key| line[blanks..].starts_with(key))
            })
            .collect();
        let at = places[remark.index(places.len())];
        let owner = lines[at].0.clone();
        let mark = format!("# remark {number}.");
        match number % 3 {
            0 => lines[at].1 = format!("{}  {mark}\n", lines[at].1.trim_end()),
            1 => lines.insert(
                at,
                (owner.clone(), format!("{}{mark}\n", " ".repeat(field))),
            ),
            _ => lines.insert(
                at,
                (
                    owner.clone(),
                    format!("{}x_{number}: 010  {mark}\n", " ".repeat(field)),
                ),
            ),
        }
        kept.push((owner, mark));
    }
    let text = lines.into_iter().map(|(_, line)| line).collect();
    (text, kept)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_board_in_another_layout_loses_nothing(
        start in board(1..5),
        dress in prop_oneof![
            Just(Dress::Indented(1)), Just(Dress::Indented(4)), Just(Dress::Indented(5)),
            Just(Dress::Listed), Just(Dress::Dashed),
        ],
        remarks in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        commands in commands(1..6),
    ) {
        let (text, kept) = dressed(&start, dress, &remarks);
        let mut loaded = read(&text);
        prop_assert_eq!(&*loaded.board, &start, "{}", text);
        for (at, command) in (0..).zip(commands) {
            let Ok(decision) = decide(&loaded.board, &[command], &moment(at), &NobodyElse) else { continue };
            let before = loaded.text.clone();
            let plan = loaded.plan(&decision.change, &decision.board, &std::collections::BTreeMap::new());
            let plan = plan.unwrap_or_else(|id| panic!("{id} can't be written in\n{before}"));
            loaded.apply(plan, decision.board);
            let again = read(&loaded.text);
            prop_assert_eq!(&again.board, &loaded.board);
            let has = |id: &str| loaded.board.by_id().any(|task| task.id.to_string() == *id);
            for (_, mark) in kept.iter().filter(|(id, _)| has(id)) {
                prop_assert!(loaded.text.contains(mark.as_str()), "{mark} is lost from\n{before}\nto\n{}", loaded.text);
            }
        }
    }
}
