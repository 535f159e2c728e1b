//! An MCP server that does nothing, built with the SDK in its ordinary way: what the round trips of todori are compared
//! with.

mod idle;

use std::error::Error;

use rmcp::ServiceExt as _;

use idle::Idle;

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
