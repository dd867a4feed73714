//! One operation of the library without a CLI process: `bench-in-process closure|macro|rmcp|message <count>`.
//!
//! Prints the microseconds of one operation. The difference of two counts under valgrind gives its instructions and
//! allocations.

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use inhouse::message::Message;
use inhouse::{Options, query};
use inhouse_bench::in_memory::{InMemoryCli, Load};
use inhouse_bench::servers::Backend;
use tokio::sync::Notify;

/// The length of a small message's text in bytes.
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
        Load::Messages(..) => end.zip(cli.begun()).map(|(end, begun)| end - begun),
        _ => cli.elapsed(),
    };
    if matches!(load, Load::Messages(..)) != (text > 0) {
        return Err("the messages have not arrived".into());
    }
    let each = elapsed.ok_or("the session ended early")?.as_secs_f64() * 1e6 / count as f64;
    println!("{each:.3}");
    Ok(())
}
