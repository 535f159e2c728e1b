//! What a dialect costs an agent: what a model sees of it before the first call, and about how many tokens a text is.

use serde_json::{Value, json};

use crate::dialect::Dialect;

/// What a model sees of the tools: their names, descriptions and arguments.
pub fn seen_by_model(dialect: &Dialect) -> String {
    let tools = dialect.for_models().map(|tool| {
        json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": (tool.input)().input_schema(),
        })
    });
    Value::Array(tools.collect()).to_string()
}

/// About how many tokens a text is. No tokenizer is built in, for it would be larger than the program; a test holds
/// this against a real one.
pub fn about_tokens(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let words = text.split(|c| !is_part(c));
    let odd: usize = words
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::len)
        .sum();
    ((text.len() - odd) * 10 / BYTES_IN_TEN_TOKENS) + odd * 10 / ODD_BYTES_IN_TEN_TOKENS
}

/// How many bytes ten tokens are in JSON with words in it.
const BYTES_IN_TEN_TOKENS: usize = 43;
/// The same in ids and times, which no model has learnt by heart.
const ODD_BYTES_IN_TEN_TOKENS: usize = 11;
