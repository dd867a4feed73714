//! One operation of the library without any process: `bench-in-process closure|macro|rmcp|message <count>`.
//!
//! Prints the microseconds that one took. Run under valgrind with two counts, the difference is what an operation costs in
//! instructions and allocations.

#![expect(clippy::print_stdout, reason = "it prints what it has measured")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use inhouse::message::Message;
use inhouse::{Options, query};
use inhouse_bench::in_memory::{InMemoryCli, Load};
use inhouse_bench::servers::Backend;
use tokio::sync::Notify;

/// The text of a small message, in bytes.
const TEXT: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let operation = arguments.next().ok_or("which operation?")?;
    let count: u64 = arguments.next().ok_or("how many?")?.parse()?;
    let (load, backend) = match operation.as_str() {
        "message" => (Load::Messages(count, TEXT), Backend::Closure),
        call => {
            let backend = Backend::of_name(call).ok_or("there is no such operation")?;
            (Load::Calls(count), backend)
        }
    };
    let cli = InMemoryCli::new(load, 1);
    let options = backend.add_servers(1, &Arc::new(Notify::new()), Options::new());
    let mut stream = query("Begin.")
        .options(options)
        .transport(cli.transport())
        .await?;
    let mut text = 0;
    let mut end = None;
    while let Some(message) = stream.next().await {
        match message? {
            Message::Assistant(message) => text += message.text().len(),
            Message::Result(_) => end = Some(Instant::now()),
            _ => {}
        }
    }
    let elapsed = match load {
        Load::Calls(_) => cli.elapsed(),
        Load::Messages(..) => end.zip(cli.begun()).map(|(end, begun)| end - begun),
    };
    let expected = if operation == "message" {
        count > 0
    } else {
        false
    };
    if (text > 0) != expected {
        return Err("the messages have not arrived".into());
    }
    let each = elapsed.ok_or("the session ended early")?.as_secs_f64() * 1e6 / count as f64;
    println!("{each:.3}");
    Ok(())
}
