//! The part of JSON Schema that our schemas use, as a client checks it.

use serde_json::Value;

/// Says what is wrong with a value, if anything.
pub(crate) fn fault(schema: &Value, value: &Value) -> Option<String> {
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let fits = options.iter().any(|option| fault(option, value).is_none());
        return (!fits).then(|| format!("{value} fits none of {schema}"));
    }
    let known = [
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "minLength",
        "maxLength",
        "description",
        "additionalProperties",
    ];
    for key in schema.as_object().expect("an object").keys() {
        assert!(
            known.contains(&key.as_str()),
            "the checker does not know {key}"
        );
    }
    let fits = match schema["type"].as_str().expect("a type") {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    if !fits {
        return Some(format!("{value} is no {}", schema["type"]));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        return Some(format!("{value} is none of {words:?}"));
    }
    if let (Some(least), Some(number)) = (
        schema.get("minimum").and_then(Value::as_f64),
        value.as_f64(),
    ) && number < least
    {
        return Some(format!("{value} is less than {least}"));
    }
    if let (Some(items), Some(of)) = (value.as_array(), schema.get("items")) {
        return items.iter().find_map(|item| fault(of, item));
    }
    let map = value.as_object()?;
    let none = serde_json::Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    for name in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if !map.contains_key(name.as_str().expect("a name")) {
            return Some(format!("{name} is missing"));
        }
    }
    map.iter()
        .find_map(|(name, value)| fault(properties.get(name)?, value))
}
