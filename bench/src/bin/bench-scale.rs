//! Many sessions in one process: `bench-scale memory|process <sessions> <calls>`.
//!
//! Prints the cost of a session as one JSON object: time to open it, memory while it is open, rate of all calls.
//! With `memory` the CLI is not a process; with `process` each session starts its own `bench-cli`.

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use inhouse::{MessageStream, Options, query};
use inhouse_bench::environment;
use inhouse_bench::in_memory::{InMemoryCli, Load};
use inhouse_bench::proc::Memory;
use inhouse_bench::servers::Backend;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().ok_or("memory or process?")?;
    let sessions: usize = arguments.next().ok_or("how many sessions?")?.parse()?;
    let calls: u64 = arguments.next().ok_or("how many calls?")?.parse()?;

    let before = Memory::of("self")?.resident;
    let begin = Instant::now();
    let mut opening = JoinSet::new();
    for _ in 0..sessions {
        match kind.as_str() {
            "memory" => opening.spawn(open_in_memory(calls)),
            "process" => opening.spawn(open_process(environment::path(environment::CLI)?)),
            _ => return Err("memory or process?".into()),
        };
    }
    let mut open = Vec::with_capacity(sessions);
    while let Some(session) = opening.join_next().await {
        open.push(session??);
    }
    let opened = begin.elapsed();
    let mut running = JoinSet::new();
    for stream in open {
        running.spawn(stream.finish());
    }
    let mut peak = Memory::of("self")?.resident;
    while let Some(result) = running.join_next().await {
        result??;
        peak = peak.max(Memory::of("self")?.resident);
    }
    let elapsed = begin.elapsed();
    let count = sessions as f64;
    let report = json!({
        "sessions": sessions,
        "open_each_ms": opened.as_secs_f64() * 1e3 / count,
        "each_kib": (peak - before) as f64 / count,
        "calls_per_second": calls as f64 * count / elapsed.as_secs_f64(),
        "total_ms": elapsed.as_secs_f64() * 1e3,
    });
    println!("{report}");
    Ok(())
}

async fn open_in_memory(calls: u64) -> inhouse::Result<MessageStream> {
    let cli = InMemoryCli::new(Load::Calls(calls), 1);
    query("Begin.")
        .options(with_a_server(Options::new()))
        .transport(cli.transport())
        .await
}

async fn open_process(cli: std::path::PathBuf) -> inhouse::Result<MessageStream> {
    query("Begin.")
        .options(with_a_server(Options::new().cli_path(cli)))
        .await
}

fn with_a_server(options: Options) -> Options {
    Backend::Closure.add_servers(1, &Arc::new(Notify::new()), options)
}
