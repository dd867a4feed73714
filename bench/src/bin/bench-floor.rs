//! The lower bound of a host: blocking pipes, byte search, constant responses, no JSON.
//!
//! It answers only the requests of `bench-cli`, so that its time is that of the pipes. Each response is written with one
//! system call, as each request is.

use std::collections::VecDeque;
use std::error::Error;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

use inhouse_bench::clock::now_ns;
use inhouse_bench::environment;
use inhouse_bench::generator::Lines;
use inhouse_bench::proc::{Memory, cpu_microseconds};
use inhouse_bench::report::Report;
use inhouse_bench::servers::SLOW;
use memchr::memmem::Finder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut report = Report::default();
    report.count("idle_kib", Memory::of("self")?.resident);
    report.count("query_ns", now_ns());
    let mut cli = Command::new(environment::path(environment::CLI)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = cli.stdin.take().ok_or("stdin is piped")?;
    let mut lines = Lines::new(cli.stdout.take().ok_or("stdout is piped")?);

    stdin.write_all(OPENING)?;
    let mut text_bytes = 0;
    let mut responses = Responses::default();
    while let Some(line) = lines.next_line()? {
        if line.starts_with(b"{\"type\":\"control_request\"") {
            responses.add(line);
        } else if line.starts_with(b"{\"type\":\"assistant\"") {
            match length_of_text(line) {
                0 => environment::confirm_read()?,
                bytes => text_bytes += bytes,
            }
        } else if line.starts_with(b"{\"type\":\"result\"") {
            report.count("last_message_ns", now_ns());
            report.count("last_message_cpu_us", cpu_microseconds("self")?);
            break;
        }
        responses.add_slow();
        if !responses.ready.is_empty() {
            stdin.write_all(&responses.ready)?;
            responses.ready.clear();
        }
    }
    drop(stdin);
    cli.wait()?;
    report.count("text_bytes", text_bytes);
    report.count("peak_kib", Memory::of("self")?.peak);
    report.write(&environment::path(environment::HOST_REPORT)?)?;
    Ok(())
}

const OPENING: &[u8] =
    br#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}
{"type":"user"}
"#;

/// The length of the part of a request that has its kind: everything before the arguments.
const HEAD: usize = 256;

#[derive(Default)]
struct Responses {
    ready: Vec<u8>,
    slow: VecDeque<(Instant, Vec<u8>)>,
}

impl Responses {
    fn add(&mut self, line: &[u8]) {
        let head = &line[..line.len().min(HEAD)];
        let id = string_after(&REQUEST_ID, head);
        let tool = string_after(&NAME, head);
        match (tool, string_after(&SUBTYPE, head)) {
            (b"add", _) => self.write_result(id, b"42"),
            (b"echo", _) => self.write_result(id, string_after(&TEXT, line)),
            (b"read", _) => self.write_result(id, b"done"),
            (b"slow", _) => self.slow.push_back((Instant::now() + SLOW, id.to_owned())),
            (_, b"hook_callback") => self.write(id, &[HOOK]),
            (_, b"can_use_tool") => self.write(id, &[PERMISSION]),
            _ => self.write(id, &[HANDSHAKE]),
        }
    }

    /// Answers the slow calls that are due. This is checked with every line, without a timer.
    fn add_slow(&mut self) {
        while let Some((_, id)) = self.slow.pop_front_if(|(due, _)| *due <= Instant::now()) {
            self.write_result(&id, b"done");
        }
    }

    fn write_result(&mut self, id: &[u8], text: &[u8]) {
        self.write(id, &[CALLED, text, DONE, id, b"}}"]);
    }

    fn write(&mut self, id: &[u8], payload: &[&[u8]]) {
        let parts = [&[SUCCESS, id, b"\",\"response\":"], payload, &[b"}}\n"]];
        for part in parts.iter().copied().flatten() {
            self.ready.extend_from_slice(part);
        }
    }
}

static REQUEST_ID: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"request_id\":\""));
static SUBTYPE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"subtype\":\""));
static NAME: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"name\":\""));
static TEXT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"text\":\""));

const SUCCESS: &[u8] =
    br#"{"type":"control_response","response":{"subtype":"success","request_id":""#;
const CALLED: &[u8] =
    br#"{"mcp_response":{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":""#;
const DONE: &[u8] = br#""}]},"id":"#;
const HOOK: &[u8] =
    br#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
const PERMISSION: &[u8] = br#"{"behavior":"allow","updatedInput":{"command":"touch a"}}"#;
const HANDSHAKE: &[u8] =
    br#"{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"add"}]}}}"#;

/// Returns the bytes after a name up to the next quote, or none if the name is missing.
fn string_after<'a>(name: &Finder<'_>, line: &'a [u8]) -> &'a [u8] {
    let Some(at) = name.find(line) else {
        return b"";
    };
    let value = &line[at + name.needle().len()..];
    &value[..memchr::memchr(b'"', value).unwrap_or(value.len())]
}

/// Returns the length of the decoded text: an escape is one character.
fn length_of_text(line: &[u8]) -> u64 {
    let text = string_after(&TEXT, line);
    (text.len() - memchr::memchr_iter(b'\\', text).count()) as u64
}
