//! What is said where no verb could be run: help and version, or that the arguments were not understood.

use super::Ended;
use super::output::{Output, is_unsafe};

/// Prints what the parser of the arguments has to say instead of a command.
pub(super) fn answer(said: &clap::Error) -> Ended {
    let mut output = Output::plain();
    if !said.use_stderr() {
        return match said.print() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                output.error("the output could not be written", None);
                Ended::StoreFailed
            }
            Ok(()) | Err(_) => Ended::Done,
        };
    }
    output.json = wants_json(std::env::args_os());
    let text = said.render().to_string();
    // Nothing that was typed is obeyed by the terminal, even if that costs the colours.
    if output.json || text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        let (message, hint) = take_apart(&text);
        output.error(&message, Some(hint));
    } else {
        // Where even errors can't be said, the exit code is all there is.
        drop(said.print());
    }
    Ended::Usage
}

/// Whether JSON was asked for, as far as that can be told from arguments that were not understood.
fn wants_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let mut options = arguments.take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

/// What was wrong, on one line, and what to do next.
fn take_apart(text: &str) -> (String, &str) {
    let text = text.trim_end();
    let (message, hint) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let words: Vec<&str> = message.split_whitespace().collect();
    (words.join(" "), hint.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_apart() {
        assert_eq!(
            take_apart("error: these are missing:\n  <TITLE>\n\nUsage: todori\n\nTry it.\n"),
            (
                "these are missing: <TITLE>".to_owned(),
                "Usage: todori\n\nTry it."
            )
        );
        assert_eq!(take_apart("odd"), ("odd".to_owned(), ""));
    }

    #[test]
    fn json_is_an_option_and_no_word() {
        let check = |words: &[&str], expected: bool| {
            assert_eq!(wants_json(words.iter().map(Into::into)), expected);
        };
        check(&["todori", "--json", "frob"], true);
        check(&["todori", "frob", "--json"], true);
        check(&["todori", "frob", "--", "--json"], false);
        check(&["todori", "frob"], false);
    }
}
