//! Converts the tools and prompts of the dialects into those of the SDK.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Prompt, PromptArgument, Tool, ToolAnnotations};
use serde_json::{Value, json};
use todori_dialects::Audience;

/// A tool as clients see it, and who is told about it.
pub(super) struct Listed {
    audience: Audience,
    pub(super) tool: Tool,
}

impl Listed {
    pub(super) fn new(entry: &todori_dialects::Tool) -> Self {
        Self {
            audience: entry.audience,
            tool: tool(entry),
        }
    }

    /// Whether it is listed to this kind of client.
    pub(super) fn is_for(&self, client: Client) -> bool {
        match self.audience {
            Audience::Everybody => true,
            Audience::Widget => client == Client::ShowsWidgets,
        }
    }
}

/// The kinds of clients that get different lists of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    ShowsWidgets,
    Plain,
}

fn tool(tool: &todori_dialects::Tool) -> Tool {
    let effect = tool.effect;
    let annotations = ToolAnnotations::new()
        .read_only(effect.is_read_only())
        .destructive(effect.is_destructive())
        .idempotent(effect.is_idempotent())
        .open_world(false);
    let definition = Tool::new(
        tool.name,
        tool.description,
        object((tool.input)().input_schema()),
    )
    .with_title(tool.title)
    .with_raw_output_schema(object((tool.output)().schema()))
    .with_annotations(annotations);
    let mut meta = tool
        .meta
        .map(|meta| meta())
        .and_then(|meta| meta.as_object().cloned())
        .unwrap_or_default();
    if let (Audience::Widget, Some(ui)) = (
        tool.audience,
        meta.get_mut("ui").and_then(Value::as_object_mut),
    ) {
        // Hosts hide it from the model and let the widget call it.
        ui.insert("visibility".to_owned(), json!(["app"]));
    }
    if tool.always_load {
        // Claude Code shows a model only the names of tools, except for those with this mark.
        meta.insert("anthropic/alwaysLoad".to_owned(), Value::Bool(true));
    }
    if meta.is_empty() {
        definition
    } else {
        definition.with_meta(MetaObject(meta))
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    let Value::Object(map) = schema else {
        return Arc::default();
    };
    Arc::new(map)
}

/// A prompt as clients see it.
pub(super) fn prompt(prompt: &todori_dialects::Prompt) -> Prompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    Prompt::new(prompt.name, Some(prompt.description), arguments).with_title(prompt.title)
}
