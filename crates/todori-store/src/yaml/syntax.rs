//! Text to a tree of nodes, each with its place. The only file that names the YAML library.
//!
//! Everything is refused that could make a small file large or two readers disagree: anchors and aliases, tags,
//! several documents, the same key twice, deep nesting.

use std::ops::Range;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, StructureStyle};
use todori_domain::Position;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: Position,
    pub(crate) reason: String,
}

impl Fault {
    pub(crate) fn new(at: Position, reason: impl Into<String>) -> Self {
        Self {
            at,
            reason: reason.into(),
        }
    }
}

/// One node of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) at: Position,
    /// Where it stands in the text, in bytes: up to the end of its last value, without comments that follow.
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar { text: String, quoted: bool },
    List(Vec<Node>),
    Map { entries: Vec<Entry>, flow: bool },
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: Position,
    /// Where the key begins, in bytes.
    pub(crate) start: usize,
    pub(crate) value: Node,
}

impl Node {
    /// Whether this is YAML's way of saying that there is nothing.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, quoted: false } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The entries of a mapping; none of anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map { entries, .. } => entries,
            Kind::List(_) | Kind::Scalar { .. } => &[],
        }
    }

    /// Whether both say the same, wherever they stand.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (
                Kind::Scalar { text, quoted },
                Kind::Scalar {
                    text: other_text,
                    quoted: other_quoted,
                },
            ) => text == other_text && quoted == other_quoted,
            (Kind::List(items), Kind::List(others)) => {
                items.len() == others.len()
                    && items
                        .iter()
                        .zip(others)
                        .all(|(item, other)| item.says_the_same(other))
            }
            (
                Kind::Map { entries, .. },
                Kind::Map {
                    entries: others, ..
                },
            ) => {
                entries.len() == others.len()
                    && entries.iter().zip(others).all(|(entry, other)| {
                        entry.key == other.key && entry.value.says_the_same(&other.value)
                    })
            }
            (Kind::Scalar { .. } | Kind::List(_) | Kind::Map { .. }, _) => false,
        }
    }
}

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 5_000_000;

/// Reads one document; `None` where there is nothing but white space and comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let mut options = options();
    options.set_emit_comments(false);
    let mut reader = Reader {
        events: Parser::new_from_str_with_options(text, options),
        nodes: 0,
        text,
    };
    reader.document()
}

/// Finds the comments of a text that can be parsed, each from its `#` to the end of its line.
pub(crate) fn comments(text: &str) -> Vec<&str> {
    if !text.contains('#') {
        return Vec::new();
    }
    let mut options = options();
    options.set_emit_comments(true);
    options.max_buffered_comment_events = usize::MAX;
    let events = Parser::new_from_str_with_options(text, options).map_while(Result::ok);
    let mut found: Vec<Range<usize>> = events
        .filter(|(event, _)| matches!(event, Event::Comment(..)))
        .filter_map(|(_, span)| Some(span.start.byte_offset()?..span.end.byte_offset()?))
        .collect();
    // A comment beside the mark of a block of text is reported behind that text.
    found.sort_by_key(|span| span.start);
    let lines = found.into_iter().filter_map(|span| text.get(span));
    lines.map(str::trim_end).collect()
}

fn options() -> Options {
    let mut options = Options::default();
    options.strict_indentation = true;
    options.disallow_directives = true;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    options
}

struct Reader<'a, I> {
    events: I,
    nodes: usize,
    text: &'a str,
}

type Scanned<'a> = Result<(Event<'a>, granit_parser::Span), granit_parser::ScanError>;

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the events are the library's; those that are not named can't stand where they are matched"
)]
impl<'a, I: Iterator<Item = Scanned<'a>>> Reader<'a, I> {
    fn next(&mut self) -> Result<(Event<'a>, granit_parser::Span), Fault> {
        match self.events.next() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(Fault::new(position(error.marker()), error.info())),
            None => Err(Fault::new(end_of(self.text), "the file ends too early")),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, Fault> {
        let mut found = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(found),
                Event::DocumentStart(..) if found.is_some() => {
                    return Err(Fault::new(position(&span.start), "a second document"));
                }
                Event::DocumentStart(..) => {
                    let (event, span) = self.next()?;
                    found = Some(self.node(event, &span, 0)?);
                }
                _ => return Err(Fault::new(position(&span.start), "unexpected")),
            }
        }
    }

    fn node(
        &mut self,
        event: Event<'a>,
        span: &granit_parser::Span,
        depth: usize,
    ) -> Result<Node, Fault> {
        let at = position(&span.start);
        let start = span.start.byte_offset().unwrap_or(0);
        self.nodes += 1;
        if depth > MAX_DEPTH {
            return Err(Fault::new(at, "nested too deeply"));
        }
        if self.nodes > MAX_NODES {
            return Err(Fault::new(at, "too many values"));
        }
        let refused = |anchor: usize, tagged: bool| match (anchor, tagged) {
            (0, false) => Ok(()),
            (0, true) => Err(Fault::new(at, "a tag (!), which is not allowed here")),
            _ => Err(Fault::new(at, "an anchor (&), which is not allowed here")),
        };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                refused(anchor, tag.is_some())?;
                let quoted = style != ScalarStyle::Plain;
                let kind = Kind::Scalar {
                    text: text.into_owned(),
                    quoted,
                };
                Ok(Node {
                    at,
                    span: start..span.end.byte_offset().unwrap_or(start),
                    kind,
                })
            }
            Event::SequenceStart(style, anchor, tag) => {
                refused(anchor, tag.is_some())?;
                let (items, closed) = self.items(depth)?;
                let last = items.last().map(|item| item.span.end);
                Ok(Node {
                    at,
                    span: start..end_of_collection(style, start, last, closed),
                    kind: Kind::List(items),
                })
            }
            Event::MappingStart(style, anchor, tag) => {
                refused(anchor, tag.is_some())?;
                let (entries, closed) = self.entries(depth)?;
                let last = entries.last().map(|entry| entry.value.span.end);
                let flow = style == StructureStyle::Flow;
                Ok(Node {
                    at,
                    span: start..end_of_collection(style, start, last, closed),
                    kind: Kind::Map { entries, flow },
                })
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                Err(Fault::new(at, "an alias (*), which is not allowed here"))
            }
            _ => Err(Fault::new(at, "unexpected")),
        }
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Node>, usize), Fault> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((items, span.end.byte_offset().unwrap_or(0)));
            }
            items.push(self.node(event, &span, depth + 1)?);
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<Entry>, usize), Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok((entries, span.end.byte_offset().unwrap_or(0)));
            }
            let node = self.node(event, &span, depth + 1)?;
            let (at, start) = (node.at, node.span.start);
            let Kind::Scalar { text: key, .. } = node.kind else {
                return Err(Fault::new(at, "a key that is not a plain word"));
            };
            if !keys.insert(key.clone()) {
                let shown: String = key.chars().take(60).collect();
                return Err(Fault::new(at, format!("the key {shown} stands here twice")));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, &span, depth + 1)?;
            entries.push(Entry {
                key,
                at,
                start,
                value,
            });
        }
    }
}

/// A collection in flow style ends with its bracket, one in block style with its last value: what the parser reports
/// for that one is where the next thing begins.
fn end_of_collection(
    style: StructureStyle,
    start: usize,
    last: Option<usize>,
    closed: usize,
) -> usize {
    match style {
        StructureStyle::Flow => closed.max(start),
        StructureStyle::Block => last.unwrap_or(start).max(start),
    }
}

fn position(marker: &Marker) -> Position {
    Position {
        line: marker.line(),
        column: marker.col() + 1,
    }
}

/// The place behind the last character.
fn end_of(text: &str) -> Position {
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Position { line, column }
}
