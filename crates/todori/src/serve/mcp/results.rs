//! Converts the replies and faults of the dialects into results and errors of the SDK.

use rmcp::model::{
    Annotations, CallToolResult, ContentBlock, ErrorCode, ErrorData, MetaObject, Role, TextContent,
};
use serde_json::{Map, Value, json};
use todori_dialects::{Block, Code, Fault, Reply};

/// A success: data for programs, text for models.
pub(super) fn success(reply: Reply) -> CallToolResult {
    let blocks = reply.blocks.into_iter().map(|block| match block {
        Block::Text(text) => ContentBlock::text(text),
        Block::Reminder(text) => {
            let mut content = TextContent::new(text);
            let audience = Annotations::default().with_audience(vec![Role::Assistant]);
            content.annotations = Some(audience);
            ContentBlock::Text(content)
        }
    });
    let mut result = CallToolResult::success(blocks.collect());
    result.structured_content = Some(reply.structured);
    result.with_meta(meta(reply.meta))
}

/// A failure that the model can read and correct. It has structured content only where the dialect provides some, which
/// matches the schema of successes: clients validate it and throw otherwise.
pub(super) fn failure(fault: &Fault) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(fault.to_json().to_string())]);
    result.structured_content.clone_from(&fault.structured);
    let mut all = (*fault.meta).clone();
    let error = json!({"code": fault.code()});
    all.insert("dev.todori/error".to_owned(), error);
    result.with_meta(meta(all))
}

fn meta(map: Map<String, Value>) -> Option<MetaObject> {
    (!map.is_empty()).then_some(MetaObject(map))
}

/// An error of the protocol.
pub(super) fn error_data(fault: &Fault) -> ErrorData {
    let mut data = fault.data.clone();
    let code = match &fault.code {
        Code::Number(number) => i32::try_from(*number).unwrap_or(-32603),
        Code::Word(word) => {
            // JSON-RPC needs a number; the word goes into the data.
            data.insert("code".to_owned(), json!(word));
            match *word {
                "invalid_arguments"
                | "empty_content"
                | "empty_active_form"
                | "invalid_status"
                | "multiple_in_progress"
                | "incomplete_reorder" => -32602,
                "no_project" => -32002,
                _ => -32000,
            }
        }
    };
    let data = (!data.is_empty()).then_some(Value::Object(data));
    ErrorData::new(ErrorCode(code), fault.message.clone(), data)
}

/// The error of a prompt about a task that does not exist: its argument is wrong.
pub(super) fn not_found(refusal: &todori_domain::Refusal) -> ErrorData {
    let board = todori_domain::Board::default();
    let fault = error_data(&todori_dialects::DEFAULT.refusal_fault(refusal, &board));
    ErrorData::new(ErrorCode::INVALID_PARAMS, fault.message, fault.data)
}
