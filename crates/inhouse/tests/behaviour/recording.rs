//! `Options::record`: what is in the file, and what a recording does to its session.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse::options::McpServer;
use inhouse::record::{Entry, Record, RecordedEvent, Recording, Side};
use inhouse::{Client, ErrorKind, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tracing::Level;

use crate::support::{failed, pass};
use crate::telemetry::Listener;

fn temporary() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.jsonl");
    (directory, path)
}

/// Runs one turn with a fake CLI that does this before it answers.
async fn one_turn(options: Options, cli: impl AsyncFnOnce(&mut FakeCli)) {
    let host = async |client: &mut Client| {
        client.send("Begin.").await?.text().await?;
        Ok(())
    };
    FakeCli::play(options, host, async |fake| {
        fake.expect_prompt().await;
        cli(fake).await;
        fake.turn("Done.").await;
    })
    .await;
}

fn kinds(entries: &[Entry]) -> Vec<String> {
    let of_line = |side: &str, line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        format!("{side} {}", line["type"].as_str().unwrap())
    };
    let kind = |entry: &Entry| match &entry.event {
        RecordedEvent::Host(line) => of_line("host", line),
        RecordedEvent::Cli(line) => of_line("cli", line),
        RecordedEvent::CliText(text) => format!("text {text}"),
        RecordedEvent::End(side) => format!("end {side:?}"),
        RecordedEvent::Exit(status) => format!("exit {:?}", status.and_then(ExitStatus::code)),
        other => format!("{other:?}"),
    };
    entries.iter().map(kind).collect()
}

#[tokio::test(start_paused = true)]
async fn both_directions_are_recorded_with_their_times() {
    let (_directory, path) = temporary();
    one_turn(Options::new().record(&path), async |cli| {
        pass(Duration::from_secs(2)).await;
        cli.send_bytes(b"not JSON\n").await;
    })
    .await;
    let recording = Recording::load(&path).unwrap();
    let seen = kinds(recording.entries());
    assert_eq!(
        seen[..4],
        [
            "host control_request",
            "cli control_response",
            "host user",
            "text not JSON"
        ]
    );
    // The exit and the end of stdout are independent.
    let mut end = seen[seen.len() - 3..].to_vec();
    end.sort();
    assert_eq!(end, ["end Cli", "end Host", "exit Some(0)"], "{seen:?}");
    let times: Vec<u128> = recording
        .entries()
        .iter()
        .map(|entry| entry.time.as_millis())
        .collect();
    assert_eq!(times[..4], [0, 0, 0, 2000]);
    assert!(times.is_sorted());
    assert!(recording.header().redacted && recording.header().cli.is_none());
    assert_eq!(recording.torn(), None);
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_directory, path) = temporary();
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    one_turn(Options::new().record(&path), async |_| {}).await;
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    one_turn(Options::new().record(&path), async |_| {}).await;
    assert_eq!(mode(), 0o600);
}

/// Streams a text in deltas of this size.
async fn stream_text(cli: &mut FakeCli, text: &str, size: usize) {
    let event = |event: Value| json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null, "session_id": "s", "uuid": "u" });
    for part in text.as_bytes().chunks(size) {
        let delta = json!({ "type": "text_delta", "text": String::from_utf8_lossy(part) });
        cli.send(event(
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        ))
        .await;
    }
    cli.send(event(json!({ "type": "content_block_stop", "index": 0 })))
        .await;
}

#[tokio::test(start_paused = true)]
async fn secrets_are_in_no_byte_of_the_recording() {
    let environment = "env\"with\\quotes-0815";
    let header = "custom-header-value-4711";
    let marked = "the marked name of a customer";
    let key = "sk-ant-api03-KeyOfTheModel0123";
    let (_directory, path) = temporary();
    let server = McpServer::http("https://host/mcp").header("X-Custom", header);
    let options = Options::new()
        .env("CUSTOM_SETTING", environment)
        .mcp_server("remote", server)
        .record(Record::file(&path).redact(marked));
    let all = format!("{environment} {header} {marked} {key} end of the text");
    let sizes = 1..=all.len();
    FakeCli::play(
        options,
        async |client| {
            let prompt = format!("Write to {marked}.");
            client.send(prompt.as_str()).await?.text().await?;
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.send(json!({ "type": "system", "subtype": "x", "note": all, "nested": json!({ "a": all }).to_string() }))
                .await;
            for size in sizes {
                stream_text(cli, &all, size).await;
            }
            cli.turn(&all).await;
        },
    )
    .await;
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let decoded = text.replace('\\', "");
    for secret in ["quotes-0815", header, marked, "KeyOfTheModel"] {
        assert!(
            !text.contains(secret) && !decoded.contains(secret),
            "{secret}"
        );
    }
    assert!(text.contains("Write to [redacted]."), "{text}");
    let recording = Recording::parse(&text).unwrap();
    let streamed: String = recording
        .entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            RecordedEvent::Cli(line) => serde_json::from_str::<Value>(line).ok(),
            _ => None,
        })
        .filter_map(|line| Some(line["event"]["delta"]["text"].as_str()?.to_owned()))
        .collect();
    let redacted = "[redacted] [redacted] [redacted] sk-ant-[redacted] end of the text";
    assert_eq!(streamed, redacted.repeat(all.len()));
}

#[tokio::test(start_paused = true)]
async fn secrets_are_kept_on_request() {
    let (_directory, path) = temporary();
    let record = Record::file(&path).keep_secrets();
    one_turn(Options::new().record(record), async |cli| {
        cli.send(json!({ "type": "system", "subtype": "x", "api_key": "abcdefgh12345" }))
            .await;
    })
    .await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("abcdefgh12345") && text.contains(r#""redacted":false"#));
}

/// Runs a session whose recording fails; returns the events of `tracing` at level `ERROR`.
fn errors_of(record: Record) -> String {
    let listener = Listener::new(Level::ERROR);
    tracing::subscriber::with_default(listener.clone(), || {
        inhouse_testkit::run(async {
            one_turn(Options::new().record(record), async |cli| {
                let note = "x".repeat(100_000);
                for _ in 0..20 {
                    cli.send(json!({ "type": "system", "subtype": "x", "note": note }))
                        .await;
                }
            })
            .await;
        });
    });
    listener.text()
}

#[cfg(target_os = "linux")]
#[test]
fn session_survives_a_full_disk() {
    let errors = errors_of(Record::file("/dev/full"));
    assert_eq!(errors.matches("recording stopped").count(), 1, "{errors}");
}

/// A writer that takes this many bytes and then fails.
struct Broken {
    room: usize,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = bytes.len().min(self.room);
        self.room -= count;
        self.written
            .lock()
            .unwrap()
            .extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn session_survives_a_broken_pipe_and_the_last_line_is_torn() {
    let written = Arc::<Mutex<Vec<u8>>>::default();
    let broken = Broken {
        room: 1_000,
        written: Arc::clone(&written),
    };
    let errors = errors_of(Record::writer(broken));
    assert_eq!(errors.matches("recording stopped").count(), 1, "{errors}");
    let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let recording = Recording::parse(&text).unwrap();
    assert!(!recording.entries().is_empty());
    let torn = recording.torn().expect("the last line is incomplete");
    assert_eq!(torn.line, recording.entries().len() + 2);
}

/// A writer that panics.
struct Panicking;

impl Write for Panicking {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("the writer of the recording panics");
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn session_survives_a_writer_that_panics() {
    let started = std::time::Instant::now();
    let errors = errors_of(Record::writer(Panicking));
    assert_eq!(errors.matches("recording stopped").count(), 1, "{errors}");
    // Less than the time for which the end of a session waits for its recording.
    assert!(started.elapsed() < Duration::from_secs(9));
}

/// A writer that takes nothing until it is released.
struct Blocked {
    release: Receiver<()>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Blocked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An error means that the sender is dropped: everything is taken from then on.
        let _ = self.release.recv();
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn blocked_writer_delays_nothing_and_gets_everything() {
    const MESSAGES: usize = 40;
    let (release, released) = channel();
    let written = Arc::<Mutex<Vec<u8>>>::default();
    let writer = Blocked {
        release: released,
        written: Arc::clone(&written),
    };
    FakeCli::play(
        Options::new().record(Record::writer(writer)),
        async |client| {
            client.send("Begin.").await?.text().await?;
            drop(release);
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            // More than is kept in memory.
            let note = "x".repeat(512 * 1024);
            for _ in 0..MESSAGES {
                cli.send(json!({ "type": "system", "subtype": "x", "note": note }))
                    .await;
            }
            cli.turn("Done.").await;
        },
    )
    .await;
    let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let recording = Recording::parse(&text).unwrap();
    let notes = recording.entries().iter().filter(
        |entry| matches!(&entry.event, RecordedEvent::Cli(line) if line.len() > 512 * 1024),
    );
    assert_eq!(notes.count(), MESSAGES);
    let exits = recording
        .entries()
        .iter()
        .filter(|entry| matches!(entry.event, RecordedEvent::Exit(_)));
    assert_eq!(exits.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn recording_that_cannot_be_created_is_an_error() {
    let options = Options::new().record(Path::new("no/such/directory/trace.jsonl"));
    let (transport, _cli) = FakeCli::new();
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("no/such/directory"), "{error}");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn named_pipe_is_recorded_to_if_it_has_a_reader() {
    use std::io::Read as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

    let (_directory, path) = temporary();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let options = Options::new().record(&path);
    let (transport, _cli) = FakeCli::new();
    let error = failed(Client::connect_with(options.clone(), transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("no process reads"), "{error}");

    // It does not wait for a writer.
    let mut reader = std::fs::OpenOptions::new();
    reader.read(true);
    reader.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let mut reader = reader.open(&path).unwrap();
    one_turn(options, async |_| {}).await;
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    let recording = Recording::parse(&text).unwrap();
    assert!(recording.entries().len() > 5, "{text}");
}

#[tokio::test(start_paused = true)]
async fn writer_is_for_one_session() {
    let options = Options::new().record(Record::writer(io::sink()));
    one_turn(options.clone(), async |_| {}).await;
    let (transport, _cli) = FakeCli::new();
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[tokio::test(start_paused = true)]
async fn end_of_a_cli_that_exits_by_itself_is_recorded() {
    let (_directory, path) = temporary();
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().record(&path);
    let host = async {
        let mut client = Client::connect_with(options, transport).await.unwrap();
        failed(client.send("Begin.").await.unwrap().text().await)
    };
    let (error, ()) = tokio::join!(host, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.exit(ExitStatus::with_code(3));
    });
    assert_eq!(error.kind(), ErrorKind::Exited);
    let recording = Recording::load(&path).unwrap();
    let events: Vec<&RecordedEvent> = recording
        .entries()
        .iter()
        .map(|entry| &entry.event)
        .collect();
    assert!(
        events.contains(&&RecordedEvent::End(Side::Cli)),
        "{events:?}"
    );
    assert!(events.contains(&&RecordedEvent::Exit(Some(ExitStatus::with_code(3)))));
}
