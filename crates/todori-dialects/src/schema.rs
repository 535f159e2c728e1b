//! The shapes of arguments and replies. Both the JSON schema that clients see and the check of what they send are made
//! from them, so that the two can't differ. Not derived from Rust types: clients differ in how they write values, and
//! every byte of a schema costs models context.

use serde_json::{Map, Value, json};

/// What a value may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A text of at least `least` and at most `most` characters.
    Text {
        /// The fewest characters.
        least: usize,
        /// The most characters, if there is a limit.
        most: Option<usize>,
    },
    /// The id of a task or subtask.
    Id,
    /// An ISO 8601 time.
    Time,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a list of them.
    Choices(&'static [&'static str]),
    /// A whole number, at least this.
    Integer(i64),
    /// Any number; only in replies.
    Number,
    /// True or false.
    Boolean,
    /// A list of at most this many items.
    List(Box<Self>, usize),
    /// Named values.
    Object(Vec<Field>),
    /// An object or nothing; only in replies.
    Nullable(Box<Self>),
}

/// One named value of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// The description that clients and models see; empty if the name is enough.
    pub description: &'static str,
}

/// The most items of a list in one call.
pub(crate) const MAX_ITEMS: usize = 1_000;

impl Field {
    /// A required value.
    pub(crate) fn required(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            name,
            shape,
            required: true,
            description,
        }
    }

    /// An optional value.
    pub(crate) fn optional(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            name,
            shape,
            required: false,
            description,
        }
    }
}

impl Shape {
    /// Any text that is not empty.
    pub(crate) const fn text(most: usize) -> Self {
        Self::Text {
            least: 1,
            most: Some(most),
        }
    }

    /// Any text, even an empty one.
    pub(crate) const fn any_text() -> Self {
        Self::Text {
            least: 0,
            most: None,
        }
    }

    pub(crate) fn list(of: Self) -> Self {
        Self::List(Box::new(of), MAX_ITEMS)
    }

    /// The JSON schema of arguments: closed at every level, because unknown arguments are refused.
    pub fn input_schema(&self) -> Value {
        let mut schema = self.schema();
        close(&mut schema);
        schema
    }

    /// The JSON schema.
    pub fn schema(&self) -> Value {
        match self {
            Self::Text { least, most } => {
                let mut map = typed("string");
                if *least > 0 {
                    map.insert("minLength".to_owned(), json!(least));
                }
                if let Some(most) = most {
                    map.insert("maxLength".to_owned(), json!(most));
                }
                Value::Object(map)
            }
            Self::Id | Self::Time => json!({"type": "string"}),
            Self::Choice(words) => json!({"type": "string", "enum": words}),
            Self::Choices(words) => {
                let one = json!({"type": "string", "enum": words});
                json!({"anyOf": [one, {"type": "array", "items": one}]})
            }
            Self::Integer(least) => json!({"type": "integer", "minimum": least}),
            Self::Number => json!({"type": "number"}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::List(of, _) => json!({"type": "array", "items": of.schema()}),
            Self::Object(fields) => object(fields),
            Self::Nullable(of) => json!({"anyOf": [of.schema(), {"type": "null"}]}),
        }
    }
}

fn close(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    if map.get("type").and_then(Value::as_str) == Some("object") {
        // Some clients need to see the properties even if there are none.
        map.entry("properties").or_insert_with(|| json!({}));
        map.insert("additionalProperties".to_owned(), json!(false));
    }
    if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(close);
    }
    if let Some(items) = map.get_mut("items") {
        close(items);
    }
}

fn typed(name: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!(name))])
}

fn object(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = field.shape.schema();
        if let Some(map) = schema.as_object_mut()
            && !field.description.is_empty()
        {
            map.insert("description".to_owned(), json!(field.description));
        }
        properties.insert(field.name.to_owned(), schema);
        if field.required {
            required.push(field.name);
        }
    }
    let mut map = typed("object");
    if !properties.is_empty() {
        map.insert("properties".to_owned(), Value::Object(properties));
    }
    if !required.is_empty() {
        map.insert("required".to_owned(), json!(required));
    }
    Value::Object(map)
}
