//! A host built with this library: `bench-host closure|macro|rmcp [current-thread|recorded]`.

use std::error::Error;
use std::sync::Arc;

use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
use inhouse::message::Message;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, Options, query};
use inhouse_bench::clock::now_ns;
use inhouse_bench::environment;
use inhouse_bench::proc::{Memory, cpu_microseconds};
use inhouse_bench::recording;
use inhouse_bench::report::Report;
use inhouse_bench::servers::Backend;
use tokio::runtime::Builder;
use tokio::sync::Notify;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let backend = arguments.next().and_then(|name| Backend::of_name(&name));
    let backend =
        backend.ok_or("usage: bench-host closure|macro|rmcp [current-thread|recorded]")?;
    let variant = arguments.next();
    let mut runtime = match variant.as_deref() {
        Some("current-thread") => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let is_recorded = variant.as_deref() == Some("recorded");
    runtime
        .enable_all()
        .build()?
        .block_on(run(backend, is_recorded))
}

async fn run(backend: Backend, is_recorded: bool) -> Result<(), Box<dyn Error>> {
    let mut report = Report::default();
    report.count("idle_kib", Memory::of("self")?.resident);
    let reading = Arc::new(Notify::new());
    let servers = environment::number(environment::SERVERS)?.unwrap_or(1);
    let options = Options::new()
        .cli_path(environment::path(environment::CLI)?)
        .hook(Matcher::any(), async |_: PreToolUse, _: HookContext| {
            Ok(HookOutput::allow())
        })
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    let mut options = backend.add_servers(servers, &reading, options);
    let report_path = environment::path(environment::HOST_REPORT)?;
    let recording = report_path.with_extension("recording.jsonl");
    if is_recorded {
        options = options.record(&recording);
    }

    report.count("query_ns", now_ns());
    let mut stream = query("Begin.").options(options).await?;
    if std::env::var_os(environment::READ_LATE).is_some() {
        reading.notified().await;
    }
    let mut text_bytes = 0;
    while let Some(message) = stream.next().await {
        match message? {
            Message::Assistant(message) => match message.text().len() as u64 {
                0 => environment::confirm_read()?,
                bytes => text_bytes += bytes,
            },
            Message::Result(_) => {
                report.count("last_message_ns", now_ns());
                report.count("last_message_cpu_us", cpu_microseconds("self")?);
            }
            _ => {}
        }
    }
    report.count("text_bytes", text_bytes);
    report.count("peak_kib", Memory::of("self")?.peak);
    report.write(&report_path)?;
    if is_recorded {
        let generator_report = environment::path(environment::CLI_REPORT)?;
        let checked = recording::check(&recording, &generator_report);
        // Hundreds of megabytes.
        std::fs::remove_file(recording)?;
        checked?;
    }
    Ok(())
}
