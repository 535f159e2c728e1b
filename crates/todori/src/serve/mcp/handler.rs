//! What the SDK asks of a server, answered from the dispatcher.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::SessionRestoreMarker;
use serde_json::json;
use todori_dialects::{Block, Channel, Fault, Reply, SESSIONS_URI};
use todori_domain::Want;

use super::definitions::Listed;
use super::live::Live;
use super::results::{error_data, failure, not_found, success};
use super::session_files::SessionFiles;
use super::traces::{session_in_header, session_in_request, session_in_url};
use super::{definitions, resources};
use crate::dispatch::{Dispatcher, PromptError};
use crate::overview::Overview;
use crate::serve::http::Authenticated;
use crate::serve::session::{self, Caller, Ownership, Session, Traces};

/// Answers one client.
pub(super) struct Handler {
    dispatcher: Arc<Dispatcher>,
    identity: Identity,
    tools: Arc<[Listed]>,
    live: Arc<Live>,
}

/// How the one who asks is known.
#[derive(Debug, Clone)]
pub(super) enum Identity {
    /// The process is the session.
    Process(Arc<Session>),
    /// Each request tells. What a session subscribes to is kept with it.
    Http(Arc<SessionFiles>),
}

/// Told to a model whose list is not its own.
const SHARED: &str = "This list is named `default` and shared by every client that connects without a session. Add \
    ?session=NAME to the server's URL for one of your own.";

type Context = RequestContext<RoleServer>;

impl Handler {
    pub(super) fn new(
        dispatcher: Arc<Dispatcher>,
        identity: Identity,
        tools: Arc<[Listed]>,
    ) -> Self {
        let live = Arc::new(Live::new(dispatcher.tracker().clone()));
        Self {
            dispatcher,
            identity,
            tools,
            live,
        }
    }

    /// All tools of a dispatcher as clients see them.
    pub(super) fn definitions(dispatcher: &Dispatcher) -> Arc<[Listed]> {
        dispatcher.tools().map(Listed::new).collect()
    }

    fn caller(&self, context: &Context) -> Caller {
        let client = context.client_info();
        let client = client
            .as_ref()
            .map(|info| (info.name.as_str(), info.version.as_str()));
        match &self.identity {
            Identity::Process(session) => Caller::of(session.actor(client)),
            Identity::Http(_) => {
                // The SDK's own name stands in for clients that did not introduce themselves.
                let client = client.filter(|(name, _)| *name != "rmcp");
                let parts = context.extensions.get::<http::request::Parts>();
                let in_request = session_in_request(&context.meta);
                let in_url = parts.and_then(session_in_url);
                let traces = parts.map_or_else(Traces::default, |parts| Traces {
                    in_url: in_url.as_deref(),
                    in_header: session_in_header(parts),
                    in_request: in_request.as_deref(),
                    has_token: parts.extensions.get::<Authenticated>().is_some(),
                });
                session::http_caller(traces, client)
            }
        }
    }

    /// The session of older revisions that a request belongs to, and where it is kept.
    fn kept_session<'a>(&'a self, context: &'a Context) -> Option<(&'a SessionFiles, &'a str)> {
        let Identity::Http(files) = &self.identity else {
            return None;
        };
        let parts = context.extensions.get::<http::request::Parts>()?;
        Some((files, session_in_header(parts)?))
    }

    /// Subscribes to what a session was subscribed to before it left memory, or the server was started again.
    async fn subscribe_again(&self, context: &Context) {
        let restored = context.extensions.get::<SessionRestoreMarker>();
        if let (Some(restored), Identity::Http(files)) = (restored, &self.identity) {
            let uris = files.subscriptions(&restored.id).await;
            self.live.subscribe_again(uris, &context.peer);
        }
    }

    /// Calls a tool; a panic in it is answered like any other failure, and the server lives on.
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &Context,
    ) -> Result<Option<Result<Reply, Fault>>, ErrorData> {
        let caller = self.caller(context);
        let shared = caller.ownership == Ownership::Shared && self.dispatcher.is_for_sessions(name);
        let called = guarded(
            self.dispatcher
                .call(name, arguments, caller.actor, &caller.list),
        )
        .await?;
        for notice in self.dispatcher.tracker().store().notices() {
            tracing::warn!("{notice}");
        }
        Ok(called.map(|answer| {
            answer.map(|mut reply| {
                reply
                    .blocks
                    .extend(shared.then(|| Block::Reminder(SHARED.to_owned())));
                reply
            })
        }))
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
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        if self
            .dispatcher
            .toolsets()
            .iter()
            .any(|dialect| dialect.widget.is_some())
        {
            capabilities.extensions = Some(resources::ui_extension());
        }
        let instructions: Vec<&str> = self
            .dispatcher
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
        self.subscribe_again(&context).await;
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = resources::shows_widgets(context.client_capabilities());
        let listed = self.tools.iter().filter(|listed| listed.is_for(client));
        let tools = listed.map(|listed| listed.tool.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.tools.iter().map(|listed| &listed.tool);
        tools.find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.call(&request.name, arguments, &context).await? {
            Some(Ok(reply)) => success(reply),
            Some(Err(fault)) if fault.channel == Channel::Protocol => {
                return Err(error_data(&fault));
            }
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
        let prompts = self.dispatcher.prompts().map(definitions::prompt).collect();
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = self
            .dispatcher
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
        let text = guarded(
            self.dispatcher
                .prompt(prompt, &arguments, self.caller(&context).actor),
        )
        .await?;
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

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(
            &self.dispatcher,
        )))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        if let Some(contents) = resources::fixed(&uri) {
            return Ok(ReadResourceResponse::Complete(ReadResourceResult::new(
                vec![contents],
            )));
        }
        let unknown = || {
            let uri: String = uri.chars().take(200).collect();
            ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})))
        };
        if !Live::knows(&uri) {
            return Err(unknown());
        }
        let contents = if uri == SESSIONS_URI {
            let store = self.dispatcher.tracker().store();
            let want = Want::default();
            resources::of_sessions(&guarded(Overview::look(store.as_ref(), &want)).await?)
        } else {
            let answer = guarded(self.dispatcher.read(self.caller(&context).actor)).await?;
            let answer = answer.map_err(|fault| error_data(&fault))?;
            resources::of_board(&uri, &answer.board).ok_or_else(unknown)?
        };
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(
            vec![contents],
        )))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let begun = request.argument.value;
        let values = if matches!(request.argument.name.as_str(), "taskId" | "id") {
            let answer = guarded(self.dispatcher.read(self.caller(&context).actor)).await?;
            answer.map_or_else(
                |_| Vec::new(),
                |answer| resources::complete_id(&answer.board, &begun),
            )
        } else {
            Vec::new()
        };
        let info =
            CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        // What never changes can be subscribed to as well: nothing will ever be said about it.
        if !Live::knows(&request.uri) {
            return Ok(());
        }
        if !self.live.has_room_for(&request.uri) {
            let reason = "too many subscriptions; unsubscribe from others first, or subscribe to todori://board";
            return Err(ErrorData::invalid_params(reason, None));
        }
        if let Some((files, id)) = self.kept_session(&context) {
            files.subscribe(id, request.uri.clone()).await;
        }
        self.live.subscribe(request.uri, context.peer).await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.live.unsubscribe(&request.uri);
        if let Some((files, id)) = self.kept_session(&context) {
            files.unsubscribe(id, request.uri).await;
        }
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // Lists never change while a server runs; resources do.
        let mut accepted = SubscriptionFilter::default();
        let uris = requested.resource_subscriptions.iter().flatten();
        let uris: Vec<String> = uris.filter(|uri| Live::knows(uri)).cloned().collect();
        accepted.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.live.listen(&context).await;
        Ok(())
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
