//! What a dialect costs an agent: what a model sees of it before the first call, and an estimate of its tokens.

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

/// Estimates the number of tokens of a text. No tokenizer is built in, because it would be larger than the program; a
/// test compares this with a real one.
pub fn about_tokens(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let words = text.split(|c| !is_part(c));
    let odd: usize = words
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::len)
        .sum();
    ((text.len() - odd) * 10 / BYTES_IN_TEN_TOKENS) + odd * 10 / ODD_BYTES_IN_TEN_TOKENS
}

/// How many bytes ten tokens take in JSON with words.
const BYTES_IN_TEN_TOKENS: usize = 43;
/// The same in ids and times, which tokenizers split into short pieces.
const ODD_BYTES_IN_TEN_TOKENS: usize = 11;
