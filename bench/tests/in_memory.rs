//! Every backend answers the CLI in memory, and its messages arrive.

use std::sync::Arc;

use inhouse::message::Message;
use inhouse::{Options, query};
use inhouse_bench::in_memory::{InMemoryCli, Load};
use inhouse_bench::servers::Backend;
use tokio::sync::Notify;

#[tokio::test]
async fn calls_are_answered_by_every_backend() {
    for backend in [Backend::Closure, Backend::Macro, Backend::Rmcp] {
        let cli = InMemoryCli::new(Load::Calls(20), 3);
        assert_eq!(messages(backend, &cli, 3).await, 0);
        assert!(cli.elapsed().is_some(), "{backend:?}");
    }
}

#[tokio::test]
async fn messages_arrive() {
    let cli = InMemoryCli::new(Load::Messages(20, 100), 1);
    assert_eq!(messages(Backend::Closure, &cli, 1).await, 20);
}

async fn messages(backend: Backend, cli: &InMemoryCli, servers: usize) -> usize {
    let options = backend.add_servers(servers, &Arc::new(Notify::new()), Options::new());
    let query = query("Begin.").options(options).transport(cli.transport());
    let mut stream = query.await.unwrap();
    let mut count = 0;
    while let Some(message) = stream.next().await {
        count += usize::from(matches!(message.unwrap(), Message::Assistant(_)));
    }
    count
}
