//! What the SDK asks of a server, answered from the desk.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::ServerHandler;
use rmcp::model::{
    Annotations, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ResourceTemplate, Role,
    ServerCapabilities, ServerConfig, SubscriptionFilter, TextContent, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use todori_dialects::{Block, Code, Fault, Reply, TASK_TEMPLATE, TASK_URI};
use todori_domain::Actor;

use super::definitions;
use crate::desk::{Desk, PromptError};
use crate::serve::session::Session;

/// Answers one client.
pub(super) struct Handler {
    desk: Arc<Desk>,
    session: Arc<Session>,
    tools: Vec<Tool>,
}

type Context = RequestContext<RoleServer>;

impl Handler {
    pub(super) fn new(desk: Arc<Desk>, session: Arc<Session>) -> Self {
        let tools = desk.tools().map(definitions::tool).collect();
        Self {
            desk,
            session,
            tools,
        }
    }

    fn actor(&self, context: &Context) -> Actor {
        let client = context.client_info();
        let client = client
            .as_ref()
            .map(|info| (info.name.as_str(), info.version.as_str()));
        self.session.actor(client)
    }

    /// Calls a tool; a panic in it is answered like any other failure, and the server lives on.
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &Context,
    ) -> Result<Option<Result<Reply, Fault>>, ErrorData> {
        let call = self.desk.call(name, arguments, self.actor(context));
        guarded(call).await
    }
}

/// Waits for an answer; a panic becomes an internal error that tells nothing of the inside.
async fn guarded<T>(answer: impl Future<Output = T>) -> Result<T, ErrorData> {
    AssertUnwindSafe(answer).catch_unwind().await.map_err(|_| {
        tracing::error!("a call panicked; this is a bug");
        ErrorData::internal_error("Internal error", None)
    })
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        let instructions: Vec<&str> = self
            .desk
            .toolsets()
            .iter()
            .map(|dialect| dialect.instructions)
            .collect();
        let server = Implementation::new("todori", env!("CARGO_PKG_VERSION")).with_title("todori");
        let mut info =
            InitializeResult::new(capabilities).with_instructions(instructions.join("\n\n"));
        info.server_info = server;
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // What is remembered of the client is the version that was agreed on, not the one it asked for.
        let mut info = request;
        info.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(info);
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.call(&request.name, arguments, &context).await? {
            Some(Ok(reply)) => success(reply),
            Some(Err(fault)) => failure(&fault),
            None => {
                let name: String = request.name.chars().take(80).collect();
                return Err(ErrorData::invalid_params(
                    format!("Unknown tool: {name}"),
                    None,
                ));
            }
        };
        Ok(CallToolResponse::Complete(result))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.desk.prompts().map(definitions::prompt).collect();
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = self
            .desk
            .prompts()
            .find(|prompt| prompt.name == request.name)
        else {
            let name: String = request.name.chars().take(80).collect();
            return Err(ErrorData::invalid_params(
                format!("Unknown prompt: {name}"),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let text = guarded(self.desk.prompt(prompt, &arguments, self.actor(&context))).await?;
        let text = text.map_err(|error| match error {
            PromptError::Missing(name) => {
                ErrorData::invalid_params(format!("{name}: required"), Some(json!({"path": name})))
            }
            PromptError::Refused(refusal) => not_found(&refusal),
            PromptError::Failed(fault) => error_data(&fault),
        })?;
        let message = PromptMessage::new_text(Role::User, text);
        let result = GetPromptResult::new(vec![message]).with_description(prompt.description);
        Ok(GetPromptResponse::Complete(result))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let task = ResourceTemplate::new(TASK_TEMPLATE, "task")
            .with_title("Task")
            .with_description("A task in full, as Markdown")
            .with_mime_type("text/markdown");
        Ok(ListResourceTemplatesResult::with_all_items(vec![task]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let unknown = || {
            let uri: String = uri.chars().take(200).collect();
            ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})))
        };
        let id = uri.strip_prefix(TASK_URI).ok_or_else(unknown)?;
        let answer = guarded(self.desk.read(self.actor(&context))).await?;
        let answer = answer.map_err(|fault| error_data(&fault))?;
        let text = todori_dialects::read_task(&answer.board, id).map_err(|_| unknown())?;
        let contents = ResourceContents::text(text, &uri).with_mime_type("text/markdown");
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(
            vec![contents],
        )))
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // Lists never change while a server runs: such a subscription is taken, and stays silent.
        Some(SubscriptionFilter::default())
    }

    /// The direct methods: a request whose method is the name of a tool.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // A standard request whose parameters can't be read ends up here too.
        if is_standard(&method, context.protocol_version().as_ref()) {
            return Err(ErrorData::invalid_params(
                format!("Invalid params for {method}"),
                None,
            ));
        }
        let mut arguments = request
            .params
            .and_then(|params| params.as_object().cloned())
            .unwrap_or_default();
        arguments.remove("_meta");
        match self.call(&method, arguments, &context).await? {
            Some(Ok(reply)) => Ok(CustomResult::new(reply.bare)),
            Some(Err(fault)) => Err(error_data(&fault)),
            None => {
                let method: String = method.chars().take(80).collect();
                let message = format!("Method not found: {method}");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }
}

/// The methods of the protocol, which differ between its eras.
fn is_standard(method: &str, version: Option<&ProtocolVersion>) -> bool {
    const BOTH: [&str; 9] = [
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        "server/discover",
    ];
    const OLD: [&str; 5] = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ];
    let modern =
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    BOTH.contains(&method)
        || (modern && method == "subscriptions/listen")
        || (!modern && OLD.contains(&method))
}

fn success(reply: Reply) -> CallToolResult {
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
    result
}

/// A failure that the model can read and mend. Never with structured content: clients check that against the schema of
/// successes, and throw.
fn failure(fault: &Fault) -> CallToolResult {
    let result = CallToolResult::error(vec![ContentBlock::text(fault.to_json().to_string())]);
    let meta = json!({"dev.todori/error": {"code": fault.code()}});
    result.with_meta(meta.as_object().cloned().map(MetaObject))
}

fn error_data(fault: &Fault) -> ErrorData {
    let code = match fault.code {
        Code::Number(number) => i32::try_from(number).unwrap_or(-32603),
        Code::Word(_) => -32000,
    };
    let data = (!fault.data.is_empty()).then(|| Value::Object(fault.data.clone()));
    ErrorData::new(ErrorCode(code), fault.message.clone(), data)
}

/// A prompt about a task that is not there: the argument is wrong.
fn not_found(refusal: &todori_domain::Refusal) -> ErrorData {
    let fault = todori_dialects::ALL
        .first()
        .map(|dialect| dialect.refusal_fault(refusal));
    let fault = fault.map_or_else(
        || ErrorData::invalid_params("Task not found", None),
        |fault| error_data(&fault),
    );
    ErrorData::new(ErrorCode::INVALID_PARAMS, fault.message, fault.data)
}
