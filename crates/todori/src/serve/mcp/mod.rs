//! The protocol: JSON-RPC and MCP in both of its eras. The only room that knows the SDK.

mod definitions;
mod endpoint;
mod handler;
mod line_transport;
mod live;
mod resources;
mod results;
mod session_files;
mod traces;
mod wire;

use std::sync::Arc;

use rmcp::service::{RoleServer, serve_directly};

pub(crate) use self::endpoint::Endpoints;
use self::handler::{Handler, Identity};
use self::line_transport::LineTransport;
use super::session::Session;
use crate::dispatch::Dispatcher;

/// Serves one client over standard input and output.
pub(crate) async fn serve_stdio(
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
    ended: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let transport = LineTransport::new(input, output);
    let tools = Handler::definitions(&dispatcher);
    let handler = Handler::new(dispatcher, Identity::Process(session), tools);
    let service = serve_directly::<RoleServer, _, _, _, _>(handler, transport, None);
    let token = service.cancellation_token();
    let waiting = service.waiting();
    tokio::pin!(waiting, ended);
    tokio::select! {
        quit = &mut waiting => drop(quit?),
        () = &mut ended => {
            token.cancel();
            drop(waiting.await?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use todori_domain::{
        BoardIdentity, BoardKey, Created, Finding, Moment, Outcome, Promise, Revision, SessionEnd,
        Sessions, Snapshot, Store, StoreDescription, StoreError, Tracker, Want, Work,
    };
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    use super::*;
    use crate::config::Settings;

    /// A store with a bug.
    struct Buggy;

    impl Store for Buggy {
        fn read<'a>(
            &'a self,
            _: &'a BoardKey,
            want: Want,
        ) -> Promise<'a, Result<Snapshot, StoreError>> {
            assert!(!want.presence, "a secret of the inside");
            Box::pin(async { panic!("a secret of the inside") })
        }

        fn transact<'a>(
            &'a self,
            _: &'a BoardKey,
            _: &'a Moment,
            _: Work,
        ) -> Promise<'a, Result<Outcome, StoreError>> {
            panic!("a secret of the inside")
        }

        fn wait_past<'a>(
            &'a self,
            _: &'a BoardKey,
            _: Revision,
        ) -> Promise<'a, Result<Revision, StoreError>> {
            Box::pin(std::future::pending())
        }

        fn identify<'a>(
            &'a self,
            _: &'a BoardKey,
        ) -> Promise<'a, Result<BoardIdentity, StoreError>> {
            panic!("a secret of the inside")
        }

        fn create(&self) -> Promise<'_, Result<Created, StoreError>> {
            panic!("a secret of the inside")
        }

        fn sessions(&self) -> Promise<'_, Result<Sessions, StoreError>> {
            panic!("a secret of the inside")
        }

        fn wait_past_sessions(&self, _: Revision) -> Promise<'_, Result<Revision, StoreError>> {
            Box::pin(std::future::pending())
        }

        fn end_sessions<'a>(
            &'a self,
            _: &'a str,
            _: SessionEnd,
        ) -> Promise<'a, Result<(), StoreError>> {
            panic!("a secret of the inside")
        }

        fn describe(&self) -> Promise<'_, Result<StoreDescription, StoreError>> {
            panic!("a secret of the inside")
        }

        fn diagnose(&self) -> Promise<'_, Vec<Finding>> {
            panic!("a secret of the inside")
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered_without_telling_of_the_inside_and_the_server_lives_on() {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let dispatcher =
            Dispatcher::new(Tracker::new(Arc::new(Buggy)), todori_dialects::ALL.to_vec());
        let session = Session::of_process(&Settings::resolve(None, None).unwrap());
        let tools = Handler::definitions(&dispatcher);
        let identity = Identity::Process(Arc::new(session));
        let handler = Handler::new(Arc::new(dispatcher), identity, tools);
        let transport = LineTransport::new(input, output);
        let service = serve_directly::<RoleServer, _, _, _, _>(handler, transport, None);
        let (reader, mut writer) = tokio::io::split(ours);
        let mut lines = BufReader::new(reader).lines();
        let requests = [
            ("tools/call", json!({"name": "get_tasks", "arguments": {}})),
            (
                "tools/call",
                json!({"name": "get_next_task", "arguments": {}}),
            ),
            ("create_task", json!({"title": "x"})),
            ("prompts/get", json!({"name": "session_restore"})),
            ("resources/read", json!({"uri": "todori://tasks/ffff"})),
        ];
        for (method, params) in requests {
            let request =
                json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
            writer
                .write_all(format!("{request}\n").as_bytes())
                .await
                .unwrap();
            let answer: Value =
                serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let expected = json!({"code": -32603, "message": "Internal error"});
            assert_eq!(
                (&answer["id"], &answer["error"]),
                (&json!(method), &expected)
            );
        }
        drop(service);
    }
}
