//! Reads check lists in Markdown: `- [ ]` is a task, what is indented below it are its subtasks and its description.

use std::collections::HashMap;

use todori_domain::{Priority, Status, TaskId};

use super::Unreadable;
use super::draft::{Draft, DraftSubtask, Read, status};
use super::front_matter;
use super::source::Source;

/// What marks the lines that `todori export` wrote.
pub(super) const MARK: &str = "<!-- todori ";

/// How many lines that are left out are listed one by one.
const LISTED: usize = 10;

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut list = List::default();
    for file in &source.files {
        let body = front_matter::split(&file.text).map_or(file.text.as_str(), |(_, body)| body);
        let head = file.text.lines().count() - body.lines().count();
        if head > 0 {
            let item = format!("the first {head} lines");
            list.read.note(item, "they are a head; left out");
        }
        list.headings.clear();
        for (number, line) in (head + 1..).zip(body.lines()) {
            list.line(number, line);
        }
    }
    let List {
        mut read, prose, ..
    } = list;
    if read.drafts.is_empty() {
        let message = format!("there is no check list in {}", source.name);
        return Err(
            Unreadable::new(message).with_hint("a task is a line such as: - [ ] Fix the login")
        );
    }
    for (number, line) in prose.iter().take(LISTED) {
        let line: String = line.chars().take(60).collect();
        read.note(
            format!("line {number}"),
            format!("{line:?} is no part of a check list; left out"),
        );
    }
    if let Some(more @ 1..) = prose.len().checked_sub(LISTED) {
        read.note(
            format!("{more} more lines"),
            "they are no part of a check list; left out",
        );
    }
    Ok(read)
}

/// Whether a text has a check list in it.
pub(super) fn is_like(text: &str) -> bool {
    text.lines().any(|line| item(line).is_some())
}

/// One line of a check list, taken apart.
struct Item<'a> {
    indent: usize,
    /// Where its text begins: what goes on there belongs to it.
    inside: usize,
    mark: char,
    text: &'a str,
}

/// Reads `- [x] text`, with any bullet or number before the box.
fn item(line: &str) -> Option<Item<'_>> {
    let rest = line.trim_start();
    let indent = columns(line, line.len() - rest.len());
    let bullet = match rest.chars().next()? {
        '-' | '*' | '+' => 1,
        '0'..='9' => {
            rest.find(['.', ')']).filter(|&end| {
                rest.get(..end)
                    .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
            })? + 1
        }
        _ => return None,
    };
    let boxed = rest.get(bullet..)?.strip_prefix(' ')?.trim_start();
    let mut box_marks = boxed.strip_prefix('[')?.chars();
    let mark = box_marks.next()?;
    let text = box_marks.as_str().strip_prefix(']')?;
    // `[x](link)` is a link, not a box.
    if !text.is_empty() && !text.starts_with([' ', '\t']) {
        return None;
    }
    Some(Item {
        indent,
        inside: indent + bullet + 1,
        mark,
        text: text.trim(),
    })
}

/// How many columns the first bytes of a line take.
fn columns(line: &str, bytes: usize) -> usize {
    let start = line.get(..bytes).unwrap_or_default();
    start.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

#[derive(Default)]
struct List {
    read: Read,
    headings: Vec<(usize, String)>,
    /// The open items that the next one may be below: how far each is indented.
    open: Vec<usize>,
    /// Where the text of the last item begins; none if text belongs to nobody.
    inside: Option<usize>,
    /// Whether the last item was written by us: its description is quoted.
    own: bool,
    /// Whether its description has begun, and how many empty lines were met since.
    described: bool,
    blank: usize,
    in_code: bool,
    /// The lines that are no part of it, with their numbers.
    prose: Vec<(usize, String)>,
}

impl List {
    fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim_start();
        let indent = columns(line, line.len() - trimmed.len());
        let belongs = self
            .inside
            .is_some_and(|inside| indent >= inside.clamp(1, 2));
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.in_code = !self.in_code;
        } else if !self.in_code {
            if let Some(item) = item(line) {
                return self.item(&item);
            }
            let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
            let heading = trimmed.get(level..).and_then(|rest| rest.strip_prefix(' '));
            if let (1..=6, Some(heading), false) = (level, heading, belongs) {
                self.headings.retain(|(other, _)| *other < level);
                self.headings.push((level, heading.trim().to_owned()));
                self.inside = None;
                self.open.clear();
                return;
            }
        }
        if trimmed.is_empty() {
            if self.inside.is_some() && !self.own {
                self.describe("");
            }
        } else if belongs {
            let text = if self.own {
                let quoted = trimmed.strip_prefix('>').unwrap_or(trimmed);
                spelt_back(quoted.strip_prefix(' ').unwrap_or(quoted))
            } else {
                dedent(line, self.inside.unwrap_or_default())
            };
            self.describe(&text);
        } else {
            self.inside = None;
            self.open.clear();
            if !trimmed.starts_with("<!--") {
                self.prose.push((number, trimmed.trim_end().to_owned()));
            }
        }
    }

    /// Adds a line to the description of the last item. Empty lines count between two others only, unless we wrote
    /// them.
    fn describe(&mut self, line: &str) {
        if line.is_empty() && !self.own {
            self.blank += 1;
            return;
        }
        let Some(draft) = self.read.drafts.last_mut() else {
            return;
        };
        let description = match draft.subtasks.last_mut() {
            Some(subtask) if self.open.len() > 1 => &mut subtask.description,
            _ => &mut draft.description,
        };
        if self.own && self.described {
            description.push('\n');
        } else if !self.own && !description.is_empty() {
            description.push_str(&"\n".repeat(self.blank + 1));
        }
        description.push_str(line);
        (self.blank, self.described) = (0, true);
    }

    fn item(&mut self, item: &Item<'_>) {
        while self
            .open
            .last()
            .is_some_and(|&indent| indent >= item.indent)
        {
            self.open.pop();
        }
        self.open.push(item.indent);
        self.inside = Some(item.inside);
        (self.blank, self.described) = (0, false);
        let (text, facts) = own_facts(item.text);
        self.own = facts.is_some();
        let facts = facts.unwrap_or_default();
        let (status, text) = self.state(item.mark, text, &facts);
        if self.open.len() > 1 && !self.read.drafts.is_empty() {
            self.subtask(&text, status, &facts);
        } else {
            self.task(&text, status, &facts);
        }
    }

    /// Where an item stands: as we wrote it, by its box, or by the heading that it is under.
    fn state(&mut self, mark: char, text: &str, facts: &Facts<'_>) -> (Status, String) {
        if let Some(status) = facts.get("status").and_then(|word| Status::parse(word)) {
            let struck = unstruck(text).filter(|_| status == Status::Cancelled);
            return (status, struck.unwrap_or(text).to_owned());
        }
        if let Some(text) = unstruck(text) {
            return (Status::Cancelled, text.to_owned());
        }
        let under = self
            .headings
            .last()
            .and_then(|(_, heading)| status(heading));
        let status = match mark {
            ' ' => under
                .filter(|status| *status != Status::Done)
                .unwrap_or(Status::Pending),
            'x' | 'X' => under
                .filter(|status| *status == Status::Cancelled)
                .unwrap_or(Status::Done),
            '/' | '~' => Status::InProgress,
            '-' => Status::Cancelled,
            '>' | '<' => Status::Deferred,
            other => {
                let what = format!("the mark [{other}] is not known here: it is pending now");
                self.read.note(text, what);
                Status::Pending
            }
        };
        (status, text.to_owned())
    }

    fn task(&mut self, text: &str, status: Status, facts: &Facts<'_>) {
        let id = facts.get("id").and_then(|id| TaskId::parse(id));
        let mut draft = Draft::new(id.map(|id| id.to_string()).unwrap_or_default(), "");
        draft.id = id;
        draft.status = status;
        text.clone_into(&mut draft.title);
        if let Some(priority) = facts.get("priority").and_then(|word| Priority::parse(word)) {
            draft.priority = priority;
            let shown = format!("**{}** ", priority.as_str());
            text.strip_prefix(&shown)
                .unwrap_or(text)
                .clone_into(&mut draft.title);
        }
        if self.own {
            draft.title = spelt_back(&draft.title);
            let after = facts.get("after").copied().unwrap_or_default();
            draft.waits_for = after
                .split(',')
                .filter(|id| !id.is_empty())
                .map(str::to_owned)
                .collect();
        } else {
            let path: Vec<&str> = self
                .headings
                .iter()
                .map(|(_, heading)| heading.as_str())
                .collect();
            let path = path
                .into_iter()
                .filter(|heading| super::draft::status(heading).is_none());
            let path: Vec<&str> = path.collect();
            let mut description = String::new();
            let path = path.join(" / ");
            self.read.fact(&mut description, "Section", &path);
            (draft.description, draft.section) = (description, path);
        }
        self.read.push(draft);
    }

    fn subtask(&mut self, text: &str, status: Status, facts: &Facts<'_>) {
        let mut subtask = DraftSubtask::new(if self.own {
            spelt_back(text)
        } else {
            text.to_owned()
        });
        subtask.status = status;
        subtask.number = facts.get("n").and_then(|number| number.parse().ok());
        if self.open.len() > 2 {
            self.read.note(
                text,
                "it was a subtask of a subtask: now a subtask of the task itself",
            );
        }
        if let Some(draft) = self.read.drafts.last_mut() {
            draft.subtasks.push(subtask);
        }
    }
}

/// What we wrote about an item, by name.
type Facts<'a> = HashMap<&'a str, &'a str>;

/// Takes the comment off that we put behind an item.
fn own_facts(text: &str) -> (&str, Option<Facts<'_>>) {
    let Some((before, comment)) = text.rsplit_once(MARK) else {
        return (text, None);
    };
    let Some(comment) = comment.strip_suffix("-->") else {
        return (text, None);
    };
    let facts = comment
        .split_whitespace()
        .filter_map(|word| word.split_once(':'));
    (before.trim_end(), Some(facts.collect()))
}

/// The text of something that was struck out.
fn unstruck(text: &str) -> Option<&str> {
    let text = text.strip_prefix("~~")?.strip_suffix("~~")?;
    (!text.trim().is_empty()).then_some(text)
}

/// A line without its first columns, if they are blank.
fn dedent(line: &str, most: usize) -> String {
    let blank = line.len() - line.trim_start().len();
    line.get(blank.min(most)..).unwrap_or(line).to_owned()
}

/// Turns `&#x2e;` back into the character that it stands for.
fn spelt_back(text: &str) -> String {
    let mut parts = text.split("&#x");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let found = part.split_once(';').and_then(|(code, rest)| {
            let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
            Some((c, rest))
        });
        if let Some((c, rest)) = found {
            whole.push(c);
            whole.push_str(rest);
        } else {
            whole.push_str("&#x");
            whole.push_str(part);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let read = read(&Source::of("x.md", text)).unwrap();
        let mut told = String::new();
        for draft in &read.drafts {
            told.push_str(&format!(
                "{} [{}] {:?}\n",
                draft.status.as_str(),
                draft.title,
                draft.description
            ));
            for subtask in &draft.subtasks {
                told.push_str(&format!(
                    "  {} [{}] {:?}\n",
                    subtask.status.as_str(),
                    subtask.title,
                    subtask.description
                ));
            }
        }
        for note in &read.notes {
            told.push_str(&format!("! {}: {}\n", note.item, note.what));
        }
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn boxes_headings_and_what_is_below_them() {
        check(
            "- [ ] one\n* [x] two\n  - [X] a\n  - [ ] b\n    more about b\n1. [-] three\n",
            "pending [one] \"\"\ndone [two] \"\"\n  done [a] \"\"\n  pending [b] \"more about b\"\ncancelled [three] \"\"\n",
        );
        check(
            "# Plan\n\nWords.\n\n## Phase 1\n- [ ] one\n\n  A description.\n\n  - a point\n\n## Doing\n- [ ] two\n## Done\n- [x] ~~three~~\n",
            "pending [one] \"Section: Plan / Phase 1\\n\\nA description.\\n\\n- a point\"\n\
            in-progress [two] \"Section: Plan\"\ncancelled [three] \"Section: Plan\"\n\
            ! line 3: \"Words.\" is no part of a check list; left out\n",
        );
        check(
            "- [ ] one\n\t- [ ] a\n\t\t- [ ] deep\n- [?] odd\n",
            "pending [one] \"\"\n  pending [a] \"\"\n  pending [deep] \"\"\npending [odd] \"\"\n\
            ! deep: it was a subtask of a subtask: now a subtask of the task itself\n\
            ! odd: the mark [?] is not known here: it is pending now\n",
        );
    }

    #[test]
    fn links_and_code_are_no_boxes() {
        check(
            "- [x](a.md) a link\n```\n- [ ] code\n```\n- [ ] real\n",
            "pending [real] \"\"\n\
            ! line 1: \"- [x](a.md) a link\" is no part of a check list; left out\n\
            ! line 2: \"```\" is no part of a check list; left out\n\
            ! line 3: \"- [ ] code\" is no part of a check list; left out\n\
            ! line 4: \"```\" is no part of a check list; left out\n",
        );
        let read = read(&Source::of(
            "x.md",
            &format!("- [ ] a\n{}", "word\n".repeat(13)),
        ))
        .unwrap();
        let told: Vec<&str> = read.notes.iter().map(|note| note.item.as_str()).collect();
        assert_eq!(
            (told.len(), told[0], told[10]),
            (11, "line 2", "3 more lines")
        );
    }

    #[test]
    fn an_empty_line_in_code_does_not_end_a_description() {
        check(
            "- [ ] one\n  ```\n  a\n\n  b\n  ```\n\n- [ ] two\n",
            "pending [one] \"```\\na\\n\\nb\\n```\"\npending [two] \"\"\n",
        );
    }

    #[test]
    fn a_text_without_a_list_is_refused() {
        assert!(read(&Source::of("x.md", "# Plan\n- a\n")).is_err());
    }
}
