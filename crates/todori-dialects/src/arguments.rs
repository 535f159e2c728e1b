//! Checks arguments, as real clients send them, against the shape of the tool. Lenient about how a value is written,
//! strict about what it is: the result is as declared, so that tools need no checks of their own.

use serde_json::{Map, Value};
use todori_domain::{
    Description, MAX_DESCRIPTION_BYTES, Priority, Status, TaskRef, TextError, Timestamp, Title,
};

use crate::budget;
use crate::schema::{Field, Shape};

/// Arguments that some clients add to every call; they mean nothing here.
const ADDED_BY_CLIENTS: [&str; 1] = ["wait_for_previous"];

/// What is wrong with an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is.
    pub(crate) kind: ProblemKind,
    /// Where, such as `filters.status[1]`.
    pub path: String,
    /// What was expected, and what was given.
    pub expected: String,
}

/// The kinds of problems for which some dialects have error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    Blank,
    NotAChoice,
    Other,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            kind: ProblemKind::Other,
            path: path.into(),
            expected: expected.into(),
        }
    }

    fn of(self, kind: ProblemKind) -> Self {
        Self { kind, ..self }
    }
}

/// Checked arguments, or the arguments of an object inside them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks what a client sent. All problems are reported at once, so that they can be corrected at once.
    pub(crate) fn check(sent: Map<String, Value>, fields: &[Field]) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let sent = sent
            .into_iter()
            .filter(|(name, _)| !ADDED_BY_CLIENTS.contains(&name.as_str()));
        let values = check_object(sent.collect(), fields, "", &mut problems);
        if problems.is_empty() {
            Ok(Self { values })
        } else {
            Err(problems)
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        usize::try_from(self.values.get(name)?.as_u64()?).ok()
    }

    pub(crate) fn boolean(&self, name: &str) -> Option<bool> {
        self.values.get(name)?.as_bool()
    }

    /// A list of objects.
    pub(crate) fn objects(&self, name: &str) -> Vec<Self> {
        let items = self
            .values
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        items
            .filter_map(Value::as_object)
            .map(|values| Self {
                values: values.clone(),
            })
            .collect()
    }

    pub(crate) fn object(&self, name: &str) -> Self {
        let values = self
            .values
            .get(name)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        Self { values }
    }

    /// A list of texts, or one text as a list of one.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        match self.values.get(name)? {
            Value::String(text) => Some(vec![text]),
            Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
    }

    pub(crate) fn task(&self, name: &str) -> TaskRef {
        TaskRef::new(self.text(name).unwrap_or_default())
    }

    pub(crate) fn tasks(&self, name: &str) -> Option<Vec<TaskRef>> {
        Some(self.texts(name)?.into_iter().map(TaskRef::new).collect())
    }

    pub(crate) fn time(&self, name: &str) -> Option<Timestamp> {
        Timestamp::parse(self.text(name)?)
    }

    pub(crate) fn status(&self, name: &str) -> Option<Status> {
        Status::parse(self.text(name)?)
    }

    pub(crate) fn priority(&self, name: &str) -> Option<Priority> {
        Priority::parse(self.text(name)?)
    }

    pub(crate) fn statuses(&self, name: &str) -> Vec<Status> {
        let words = self.texts(name).unwrap_or_default();
        words.into_iter().filter_map(Status::parse).collect()
    }

    pub(crate) fn priorities(&self, name: &str) -> Vec<Priority> {
        let words = self.texts(name).unwrap_or_default();
        words.into_iter().filter_map(Priority::parse).collect()
    }

    /// A required title.
    pub(crate) fn title(&self, name: &str) -> Result<Title, Vec<Problem>> {
        parse_text(name, self.text(name).unwrap_or_default(), Title::parse)
    }

    /// An optional title.
    pub(crate) fn optional_title(&self, name: &str) -> Result<Option<Title>, Vec<Problem>> {
        self.text(name)
            .map(|text| parse_text(name, text, Title::parse))
            .transpose()
    }

    /// A description, which may be left out (`None`) or removed (`Some(None)`).
    pub(crate) fn description(
        &self,
        name: &str,
    ) -> Result<Option<Option<Description>>, Vec<Problem>> {
        self.text(name)
            .map(|text| parse_text(name, text, Description::parse))
            .transpose()
    }
}

fn parse_text<T>(
    name: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, TextError>,
) -> Result<T, Vec<Problem>> {
    parse(text).map_err(|error| vec![Problem::new(name, error.to_string())])
}

fn check_object(
    sent: Map<String, Value>,
    fields: &[Field],
    path: &str,
    problems: &mut Vec<Problem>,
) -> Map<String, Value> {
    // OpenAI's strict mode fills in every property: only then does an empty value mean that there is none.
    let filled_in = fields.iter().all(|field| sent.contains_key(field.name));
    let mut values = Map::new();
    for (name, value) in sent {
        let here = join(path, &name);
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            problems.push(Problem::new(
                here,
                format!("unknown argument; known: {known}"),
            ));
            continue;
        };
        if is_absent(&value, field, filled_in) {
            continue;
        }
        if let Some(value) = check(value, &field.shape, &here, problems) {
            values.insert(name, value);
        }
    }
    for field in fields.iter().filter(|field| field.required) {
        let here = join(path, field.name);
        // A value that is there but wrong is reported already, at whatever depth.
        let known_problem = problems
            .iter()
            .any(|problem| problem.path.starts_with(&here));
        if !values.contains_key(field.name) && !known_problem {
            problems.push(Problem::new(
                here,
                format!("required, {}", describe(&field.shape)),
            ));
        }
    }
    values
}

fn is_absent(value: &Value, field: &Field, filled_in: bool) -> bool {
    let empty_text = value.as_str().is_some_and(str::is_empty);
    let empty_list = value.as_array().is_some_and(Vec::is_empty);
    let means_none = match field.shape {
        Shape::Id | Shape::Time | Shape::Choice(_) | Shape::Choices(_) => empty_text,
        Shape::Text { .. }
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::List(..)
        | Shape::Object(_)
        | Shape::Nullable(_) => false,
    };
    value.is_null()
        || (!field.required && (means_none || (filled_in && (empty_text || empty_list))))
}

/// Returns the value as declared, or adds what is wrong with it to the problems.
fn check(value: Value, shape: &Shape, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    let mut wrong = |value: &Value| {
        let expected = format!("expected {}, got {}", describe(shape), show(value));
        let named = matches!(shape, Shape::Choice(_));
        let kind = if named {
            ProblemKind::NotAChoice
        } else {
            ProblemKind::Other
        };
        problems.push(Problem::new(path, expected).of(kind));
        None
    };
    match shape {
        Shape::Text { least, most } => {
            let Some(text) = value.as_str() else {
                return wrong(&value);
            };
            let length = text.chars().count();
            if text.contains(budget::CUT_MARK) {
                let reason = "contains text that was cut when it was read; read all of it first";
                problems.push(Problem::new(path, reason));
                return None;
            }
            if *least > 0 && text.trim().is_empty() {
                problems.push(Problem::new(path, "must not be blank").of(ProblemKind::Blank));
                return None;
            }
            if let Some(most) = most
                && length > *most
            {
                let reason = format!("must be at most {most} characters, got {length}");
                problems.push(Problem::new(path, reason));
                return None;
            }
            if text.len() > MAX_DESCRIPTION_BYTES {
                let reason = format!(
                    "must be at most {MAX_DESCRIPTION_BYTES} bytes, got {}",
                    text.len()
                );
                problems.push(Problem::new(path, reason));
                return None;
            }
            Some(value)
        }
        Shape::Id => match value.as_str() {
            Some(text) if text.contains(budget::CUT_MARK) => {
                let reason = "is the mark of a list that was cut; read all of it first";
                problems.push(Problem::new(path, reason));
                None
            }
            Some(text) if !text.trim().is_empty() => Some(value),
            _ => wrong(&value),
        },
        Shape::Time => match value.as_str().and_then(Timestamp::parse) {
            Some(_) => Some(value),
            None => wrong(&value),
        },
        Shape::Choice(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Some(value),
            _ => wrong(&value),
        },
        Shape::Choices(words) => match &value {
            Value::Array(items) => {
                let items = items.clone();
                check_items(items, &Shape::Choice(words), path, problems)
            }
            Value::String(word) if words.contains(&word.as_str()) => Some(value),
            Value::String(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Object(_) => wrong(&value),
        },
        Shape::Integer(least) => match whole_number(&value) {
            Some(number) if number >= *least => Some(Value::from(number)),
            _ => wrong(&value),
        },
        Shape::Number => {
            if value.is_number() {
                Some(value)
            } else {
                wrong(&value)
            }
        }
        Shape::Boolean => match (&value, value.as_str()) {
            (Value::Bool(_), _) => Some(value),
            (_, Some("true")) => Some(Value::Bool(true)),
            (_, Some("false")) => Some(Value::Bool(false)),
            _ => wrong(&value),
        },
        Shape::List(of, most) => {
            let Value::Array(items) = value else {
                return wrong(&value);
            };
            if items.len() > *most {
                let reason = format!("must have at most {most} items, got {}", items.len());
                problems.push(Problem::new(path, reason));
                return None;
            }
            check_items(items, of, path, problems)
        }
        Shape::Object(fields) => {
            let Value::Object(map) = value else {
                return wrong(&value);
            };
            Some(Value::Object(check_object(map, fields, path, problems)))
        }
        Shape::Nullable(of) => {
            if value.is_null() {
                Some(value)
            } else {
                check(value, of, path, problems)
            }
        }
    }
}

fn check_items(
    items: Vec<Value>,
    of: &Shape,
    path: &str,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let before = problems.len();
    let checked = items
        .into_iter()
        .enumerate()
        .filter_map(|(place, item)| check(item, of, &format!("{path}[{place}]"), problems))
        .collect();
    (problems.len() == before).then_some(Value::Array(checked))
}

/// A whole number, however it is written: `3`, `3.0`, `"3"`.
fn whole_number(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    if let Some(number) = value.as_f64() {
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be a whole number of 53 bits"
        )]
        return whole.then_some(number as i64);
    }
    value.as_str()?.trim().parse().ok()
}

fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Text { least: 0, .. } => "a string".to_owned(),
        Shape::Text { .. } => "a string that is not blank".to_owned(),
        Shape::Id => "a task id, or the first characters of one".to_owned(),
        Shape::Time => "an ISO 8601 time such as 2026-11-15T07:00:00Z".to_owned(),
        Shape::Choice(words) => format!("one of {}", words.join(", ")),
        Shape::Choices(words) => format!("one or a list of {}", words.join(", ")),
        Shape::Integer(least) => format!("an integer, at least {least}"),
        Shape::Number => "a number".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::List(of, _) => format!("a list, each item {}", describe(of)),
        Shape::Object(_) => "an object".to_owned(),
        Shape::Nullable(of) => format!("{} or null", describe(of)),
    }
}

/// A value in an error message: short, whatever it was.
fn show(value: &Value) -> String {
    budget::shorten(&value.to_string(), 60)
}

fn join(path: &str, name: &str) -> String {
    let name = budget::shorten(name, 60);
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}
