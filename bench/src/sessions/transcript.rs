//! Transcripts as CLI 2.1.325 writes them, of any length.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use rustix::fs::statvfs;

use crate::generator::Failure;

/// The number of sessions in the directory of one project.
const PER_PROJECT: u64 = 200;

/// The entries of a turn, with the length of their text in bytes. An entry has 2 kB on average.
const TURN: [(Kind, usize); 7] = [
    (Kind::Prompt, 300),
    (Kind::Text, 500),
    (Kind::Call, 100),
    (Kind::Result, 3_000),
    (Kind::Call, 100),
    (Kind::Result, 800),
    (Kind::Text, 1_000),
];

/// The words of all texts. Line breaks and quotation marks are escaped.
const WORDS: [&str; 24] = [
    "invoice",
    "of",
    "the",
    "customer",
    "\\n",
    "let",
    "value",
    "=",
    "map.get(",
    "\\\"name\\\"",
    ");",
    "account",
    "is",
    "closed",
    "before",
    "a",
    "payment",
    "arrives",
    "-",
    "42",
    "error:",
    "expected",
    "transaction",
    "src/ledger.rs",
];

#[derive(Clone, Copy)]
enum Kind {
    Prompt,
    Text,
    Call,
    Result,
}

/// The lines of a session without their line breaks; there is no last one.
pub struct Transcript {
    session: u64,
    entry: u64,
    random: u64,
}

impl Transcript {
    /// Creates the transcript of a session, given its number.
    #[must_use]
    pub fn new(session: u64) -> Self {
        Self {
            session,
            entry: 0,
            random: session * 2 + 1,
        }
    }

    /// Returns the id of a session, given its number.
    #[must_use]
    pub fn session_id(session: u64) -> String {
        format!("5e551045-0000-4000-8000-{session:012x}")
    }

    /// Returns the metadata that the CLI repeats at the end of a transcript.
    fn metadata(&mut self) -> String {
        let (session, leaf) = (Self::session_id(self.session), self.uuid(self.entry));
        let title = self.text(40);
        let prompt = self.text(300);
        format!(
            "{{\"type\":\"ai-title\",\"aiTitle\":\"{title}\",\"sessionId\":\"{session}\"}}\n\
             {{\"type\":\"last-prompt\",\"lastPrompt\":\"{prompt}\",\"leafUuid\":\"{leaf}\",\"sessionId\":\"{session}\"}}\n"
        )
    }

    fn uuid(&self, entry: u64) -> String {
        // The ids of real entries are random, so no two of them share a beginning.
        let mixed = (self.session << 32 | entry).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (high, low) = (mixed >> 32, mixed & 0xffff_ffff);
        format!("{high:08x}-{:04x}-4000-8000-{low:012x}", low & 0xffff)
    }

    pub(crate) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            text.push_str(WORDS[(self.random % WORDS.len() as u64) as usize]);
            text.push(' ');
        }
        text
    }
}

impl Iterator for Transcript {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let parent = match self.entry {
            0 => "null".to_owned(),
            entry => format!("\"{}\"", self.uuid(entry)),
        };
        let (kind, bytes) = TURN[(self.entry % TURN.len() as u64) as usize];
        // A result follows its call.
        let call = self.entry - u64::from(matches!(kind, Kind::Result));
        let call = format!("toolu_{call:024}");
        self.entry += 1;
        let (uuid, session, text) = (
            self.uuid(self.entry),
            Self::session_id(self.session),
            self.text(bytes),
        );
        let mut line = format!("{{\"parentUuid\":{parent},\"isSidechain\":false,");
        let usage = "\"usage\":{\"input_tokens\":12,\"cache_creation_input_tokens\":1200,\"cache_read_input_tokens\":48211,\"output_tokens\":210,\"service_tier\":\"standard\"}";
        let _ = match kind {
            Kind::Prompt => write!(
                line,
                "\"promptId\":\"{uuid}\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}"
            ),
            Kind::Result => write!(
                line,
                "\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{call}\",\"type\":\"tool_result\",\"content\":\"{text}\"}}]}},\
                 \"toolUseResult\":{{\"stdout\":\"{text}\",\"stderr\":\"\",\"interrupted\":false}},\"sourceToolAssistantUUID\":{parent}"
            ),
            Kind::Text | Kind::Call => {
                let content = match kind {
                    Kind::Call => format!(
                        "{{\"type\":\"tool_use\",\"id\":\"{call}\",\"name\":\"Bash\",\"input\":{{\"command\":\"{text}\"}}}}"
                    ),
                    _ => format!("{{\"type\":\"text\",\"text\":\"{text}\"}}"),
                };
                write!(
                    line,
                    "\"message\":{{\"model\":\"claude-opus-5-5\",\"id\":\"msg_{:024}\",\"type\":\"message\",\"role\":\"assistant\",\
                     \"content\":[{content}],\"stop_reason\":null,\"stop_sequence\":null,{usage}}},\"requestId\":\"req_{:024}\",\"type\":\"assistant\"",
                    self.entry, self.entry
                )
            }
        };
        let seconds = self.entry % 60;
        let _ = write!(
            line,
            ",\"uuid\":\"{uuid}\",\"timestamp\":\"2026-11-17T09:30:{seconds:02}.250Z\",\"userType\":\"external\",\"entrypoint\":\"cli\",\
             \"cwd\":\"/srv/ledger\",\"sessionId\":\"{session}\",\"version\":\"2.1.325\",\"gitBranch\":\"main\"}}"
        );
        Some(line)
    }
}

/// Writes sessions of this size below a configuration directory, in the layout of the CLI.
///
/// # Errors
/// Returns an error if a file cannot be written, or if less than twice the space is free.
pub fn write(config: &Path, sessions: u64, bytes: u64) -> Result<(), Failure> {
    write_all(config, sessions, bytes)
        .map_err(|cause| Failure::of(&config.display().to_string(), cause))
}

fn write_all(config: &Path, sessions: u64, bytes: u64) -> io::Result<()> {
    fs::create_dir_all(config)?;
    let space = statvfs(config)?;
    if space.f_bavail * space.f_frsize < 2 * sessions * bytes {
        return Err(io::Error::other("not enough space on the disk"));
    }
    for session in 0..sessions {
        let project = config.join(format!("projects/-srv-ledger-{}", session / PER_PROJECT));
        fs::create_dir_all(&project)?;
        let path = project.join(format!("{}.jsonl", Transcript::session_id(session)));
        let mut file = BufWriter::new(File::create(path)?);
        let mut transcript = Transcript::new(session);
        let mut written = 0;
        while written < bytes {
            let line = transcript.next().expect("a transcript has no last entry");
            written += line.len() as u64 + 1;
            writeln!(file, "{line}")?;
        }
        file.write_all(transcript.metadata().as_bytes())?;
        file.into_inner()?;
    }
    Ok(())
}
