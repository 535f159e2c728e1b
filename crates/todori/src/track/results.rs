//! Finds what a call returned. Versions of Claude Code put it in different places: beside the message, in its structured
//! part, or as JSON in its text.

use serde_json::Value;

/// What a call returned that did not fail.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Success {
    /// The data that it returned; null if there is none.
    pub(super) data: Value,
    /// The text that the model got; empty if it was not plain text.
    pub(super) text: String,
}

/// What a call returned; `None` if it failed. `structured` is the result that stands beside the message.
pub(super) fn success(block: &Value, structured: Option<&Value>) -> Option<Success> {
    if block.get("is_error").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let content = block.get("content");
    let data = structured
        .and_then(data)
        .or_else(|| content.and_then(data))
        .unwrap_or_default();
    let refused = data.get("success").and_then(Value::as_bool) == Some(false);
    let fault = data.get("error").is_some_and(|error| !error.is_null());
    // A call that could not be made at all is reported as a text.
    let reported = structured.or(content).and_then(text_of);
    let failed = reported.is_some_and(|text| text.trim_start().starts_with("Error:"));
    let text = content.and_then(text_of).unwrap_or_default().to_owned();
    (!refused && !fault && !failed).then_some(Success { data, text })
}

/// The data in a value: itself, its structured part, or the JSON in its text.
fn data(value: &Value) -> Option<Value> {
    if let Some(text) = value.as_str() {
        return parse(text);
    }
    if let Some(blocks) = value.as_array() {
        return blocks
            .iter()
            .filter_map(|block| block.get("text").and_then(Value::as_str))
            .find_map(parse);
    }
    let map = value.as_object()?;
    match (map.get("structuredContent"), map.get("content")) {
        (Some(structured @ Value::Object(_)), _) => Some(structured.clone()),
        (_, Some(content)) => data(content),
        (_, None) => Some(value.clone()),
    }
}

/// The text in a value, if it is one.
fn text_of(value: &Value) -> Option<&str> {
    let block = || value.get(0)?.get("text");
    let inner = || value.get("content");
    let places = [Some(value), inner(), block()];
    places.into_iter().flatten().find_map(Value::as_str)
}

/// The JSON in a text; a single word or number is not data.
fn parse(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "values are written where they are used"
    )]
    fn check(block: Value, told: Option<Value>, expected: Option<Value>) {
        let data = success(&block, told.as_ref()).map(|success| success.data);
        assert_eq!(data, expected, "{block} {told:?}");
    }

    #[test]
    fn the_data_is_found_wherever_it_is() {
        let task = json!({"id": "1"});
        let text = r#"{"id":"1"}"#;
        let plain = json!({"content": text});
        let structured = json!({"content": "words", "structuredContent": {"id": "1"}});
        check(plain.clone(), Some(structured), Some(task.clone()));
        check(
            plain.clone(),
            Some(json!({"content": text})),
            Some(task.clone()),
        );
        check(plain.clone(), Some(json!(text)), Some(task.clone()));
        let blocks = json!([{"type": "text", "text": "words"}, {"type": "text", "text": text}]);
        check(json!({}), Some(blocks.clone()), Some(task.clone()));
        check(json!({"content": blocks}), None, Some(task.clone()));
        check(plain, None, Some(task.clone()));
        check(json!({}), Some(task.clone()), Some(task));
        check(json!({"content": "Done."}), None, Some(Value::Null));
        check(json!({}), None, Some(Value::Null));
    }

    #[test]
    fn a_call_that_failed_gives_nothing() {
        let done = json!({"id": "1"});
        check(json!({"is_error": true, "content": "x"}), Some(done), None);
        check(json!({}), Some(json!({"success": false})), None);
        check(json!({}), Some(json!("Error: no such task")), None);
        check(
            json!({}),
            Some(json!({"content": "Error: no task 99"})),
            None,
        );
        check(
            json!({"content": r#"{"error":{"code":-32000}}"#}),
            None,
            None,
        );
        let app = json!({"structuredContent": {"tasks": [], "error": {"code": "not_found"}}});
        check(json!({}), Some(app), None);
    }
}
