//! A fleet on one machine: a database, two worker processes, and prompts that survive the death of one of them.
//!
//! `cargo run --example fleet` needs PostgreSQL (`apt-get install postgresql`), and neither the CLI nor an account: the workers use the fake CLI
//! of the test kit. Three customers have three prompts each. Every turn calls a tool that charges the customer. In the middle of a call, one
//! worker is killed; the other one continues its sessions. At the end every prompt was answered once, in order, and every charge was made once.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

#[cfg(unix)]
mod bank;
#[cfg(unix)]
mod cli;
#[cfg(unix)]
mod show;
#[cfg(unix)]
mod worker;

use std::error::Error;

#[cfg(unix)]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => show::run().await,
        [role, name, url, directory] if role == "worker" => worker::run(name, url, directory).await,
        _ => Err("this example takes no arguments".into()),
    }
}

#[cfg(not(unix))]
fn main() -> Result<(), Box<dyn Error>> {
    Err("this example needs a Unix: the test kit starts its PostgreSQL only there".into())
}
