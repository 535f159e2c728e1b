//! How a run ended, as its result message says.

use serde_json::Value;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ending {
    /// `success`, or the kind of error.
    pub(crate) subtype: String,
    pub(crate) is_error: bool,
    pub(crate) turns: Option<u64>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) cost: Option<f64>,
    /// What went wrong, as the run says it.
    pub(crate) reason: Option<String>,
}

impl Ending {
    pub(super) fn read(message: &Value) -> Self {
        let subtype = message
            .get("subtype")
            .and_then(Value::as_str)
            .unwrap_or("unknown");
        let marked = message.get("is_error").and_then(Value::as_bool);
        let is_error = marked.unwrap_or(subtype != "success") || subtype.starts_with("error");
        let errors = message.get("errors").and_then(Value::as_array);
        let first = errors
            .and_then(|errors| errors.first())
            .and_then(Value::as_str);
        let result = || message.get("result").and_then(Value::as_str);
        let reason = is_error.then(|| first.or_else(result)).flatten();
        Self {
            subtype: subtype.to_owned(),
            is_error,
            turns: message.get("num_turns").and_then(Value::as_u64),
            duration_ms: message.get("duration_ms").and_then(Value::as_u64),
            cost: message.get("total_cost_usd").and_then(Value::as_f64),
            reason: reason.map(|reason| reason.chars().take(300).collect()),
        }
    }

    /// The ending as one line of text.
    pub(crate) fn text(&self) -> String {
        let mut text = match (self.is_error, &self.reason) {
            (false, _) => "The run succeeded".to_owned(),
            (true, None) => format!("The run ended in an error ({})", self.subtype),
            (true, Some(reason)) => {
                format!("The run ended in an error ({}): {reason}", self.subtype)
            }
        };
        let turns = self.turns.map(|turns| match turns {
            1 => "1 turn".to_owned(),
            more => format!("{more} turns"),
        });
        let figures = [
            turns,
            self.duration_ms.map(duration),
            self.cost.map(|cost| format!("${cost:.2}")),
        ];
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        if !figures.is_empty() {
            text += &format!(" ({})", figures.join(", "));
        }
        text
    }
}

fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(message: &Value, is_error: bool, words: &str) {
        let ending = Ending::read(message);
        assert_eq!((ending.is_error, ending.text().as_str()), (is_error, words));
    }

    #[test]
    fn an_ending_is_told_in_a_line_with_the_figures_there_are() {
        check(
            &json!({"subtype": "success", "is_error": false, "num_turns": 13, "duration_ms": 1246, "total_cost_usd": 0.055}),
            false,
            "The run succeeded (13 turns, 1.2 s, $0.06)",
        );
        check(
            &json!({"subtype": "success", "is_error": false, "num_turns": 1, "duration_ms": 3_725_000}),
            false,
            "The run succeeded (1 turn, 1 h 2 min)",
        );
        check(
            &json!({"subtype": "error_max_turns", "is_error": true, "errors": ["Reached maximum"], "duration_ms": 61_000}),
            true,
            "The run ended in an error (error_max_turns): Reached maximum (1 min 1 s)",
        );
        // An error of the service comes as a success that is none.
        check(
            &json!({"subtype": "success", "is_error": true, "result": "API Error: 529"}),
            true,
            "The run ended in an error (success): API Error: 529",
        );
        check(
            &json!({"subtype": "error_during_execution"}),
            true,
            "The run ended in an error (error_during_execution)",
        );
        check(&json!({}), true, "The run ended in an error (unknown)");
    }
}
