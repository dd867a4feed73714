//! A fleet on PostgreSQL. Each measurement has a separate database on the server of the URL.
//!
//! ```text
//! bench-fleet turns|begin|simulation <url> <sessions> <prompts of each session>
//! bench-fleet idle <url> <sessions> <seconds>
//! bench-fleet claims <url> <queued prompts> <rounds>
//! bench-fleet pgbench <url> <directory of pgbench> small-turn|large-turn|notify <sessions> <clients> <turns of each client>
//! bench-fleet worker <url> <slots> [<milliseconds until it counts as dead>]      serves until its input ends
//! ```
//!
//! Prints the figures as one JSON object.

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use inhouse_bench::fleet::{self, Script, WorkerSettings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match *arguments {
        ["turns", url, sessions, turns] => {
            fleet::turns(url, sessions.parse()?, turns.parse()?).await?
        }
        ["begin", url, sessions, turns] => {
            fleet::begin(url, sessions.parse()?, turns.parse()?).await?
        }
        ["simulation", url, sessions, turns] => {
            fleet::simulation(url, sessions.parse()?, turns.parse()?).await?
        }
        ["idle", url, sessions, seconds] => {
            let window = Duration::from_secs(seconds.parse()?);
            fleet::idle(url, sessions.parse()?, window).await?
        }
        ["claims", url, queued, rounds] => {
            fleet::claims(url, queued.parse()?, rounds.parse()?).await?
        }
        ["pgbench", url, programs, script, sessions, clients, turns] => {
            let script = Script::of_name(script).ok_or("there is no such script")?;
            let (sessions, clients) = (sessions.parse()?, clients.parse()?);
            let turns = turns.parse()?;
            fleet::pgbench(url, Path::new(programs), script, sessions, clients, turns).await?
        }
        ["worker", url, slots, ref lifetime @ ..] => {
            let lifetime = lifetime.first().map(|lifetime| lifetime.parse());
            let settings = WorkerSettings {
                slots: slots.parse()?,
                lifetime: lifetime.transpose()?.map(Duration::from_millis),
            };
            let report = fleet::work(url, settings).await?;
            println!("{}", serde_json::to_string(&report)?);
            return Ok(());
        }
        _ => {
            return Err(
                "usage: bench-fleet turns|begin|simulation|idle|claims|pgbench|worker …".into(),
            );
        }
    };
    println!("{report}");
    Ok(())
}
