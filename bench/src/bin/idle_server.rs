//! An MCP server that does nothing, built with the SDK in its ordinary way: what the round trips of todori are compared
//! with.

use std::error::Error;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    InitializeResult, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::json;

/// Has one tool, which does nothing.
struct Idle;

impl ServerHandler for Idle {
    fn get_info(&self) -> ServerConfig {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = JsonObject::from_iter([("type".to_owned(), json!("object"))]);
        let tool = Tool::new("do_nothing", "Does nothing", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = CallToolResult::success(vec![ContentBlock::text("done")]);
        Ok(CallToolResponse::Complete(result))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let service = Idle.serve(rmcp::transport::stdio()).await?;
        service.waiting().await?;
        Ok(())
    });
    // A read of standard input may still be waiting on another thread; nobody needs its result.
    runtime.shutdown_background();
    served
}
