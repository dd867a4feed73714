//! A worker: serves the fleet until it is drained or gets SIGTERM.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use inhouse::Options;
use inhouse_fleet::postgres::Fleet;
use inhouse_fleet::{Host, Work};
use inhouse_store::postgres::PostgresStore;
use tokio::signal::unix::{SignalKind, signal};

use crate::bank::Bank;
use crate::cli;

pub(crate) async fn run(name: &str, url: &str, directory: &str) -> Result<(), Box<dyn Error>> {
    let store = PostgresStore::connect(url).await?;
    let (pool, directory) = (store.pool().clone(), PathBuf::from(directory));
    let host = Host::new(store.clone(), async move |work: &Work| {
        let bank = Bank::new(pool.clone(), &work.session);
        Ok(Options::new()
            .session_root(&directory)
            .tool_server(bank.server()))
    })
    .transport(cli::open)
    // Short times, so that the other worker takes over while you watch. Their defaults are 30 s and 15 s.
    .lease_ttl(Duration::from_secs(3))
    .slots(2);
    let mut terminate = signal(SignalKind::terminate())?;
    let shutdown = async move {
        terminate.recv().await;
    };
    Fleet::postgres(&store)
        .host_name(name)
        .host_ttl(Duration::from_secs(5))
        .serve(host, shutdown)
        .await?;
    println!("hands over and ends");
    Ok(())
}
