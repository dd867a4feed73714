//! The CLI of one turn: it mirrors the prompt and an answer, and ends the turn.

use std::sync::{Arc, Mutex, PoisonError};

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Transport};
use inhouse_fleet::Work;
use serde_json::json;
use uuid::Uuid;

use crate::clock::now_ns;
use crate::in_memory::InMemoryCli;
use crate::sessions::Transcript;

/// The length of the text of an answer.
const ANSWER: usize = 1_500;

/// The project of sessions that a host names by default.
const PROJECT: &str = "inhouse-fleet";

/// The CLIs that a worker starts.
#[derive(Clone)]
pub(super) struct Clis {
    answer: Arc<str>,
    /// The nanoseconds from the prompt to the start of its CLI.
    delays: Arc<Mutex<Vec<u64>>>,
}

/// The transport to the CLI of one work.
pub(super) struct TurnTransport {
    clis: Clis,
    work: Work,
}

/// Returns a prompt that says when it was sent.
pub(super) fn prompt(number: usize) -> String {
    format!("{number} sent at {}", now_ns())
}

impl Clis {
    pub(super) fn new() -> Self {
        Self {
            answer: Transcript::new(0).text(ANSWER).into(),
            delays: Arc::default(),
        }
    }

    pub(super) fn open(&self, work: &Work) -> TurnTransport {
        TurnTransport {
            clis: self.clone(),
            work: work.clone(),
        }
    }

    /// Returns the times from prompts to starts in nanoseconds.
    pub(super) fn delays(&self) -> Vec<u64> {
        let delays = self.delays.lock();
        delays.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_start(&self, prompt: &str) {
        let sent = prompt.rsplit_once(" sent at ");
        if let Some(sent) = sent.and_then(|(_, sent)| sent.parse::<u64>().ok()) {
            let delays = self.delays.lock();
            let mut delays = delays.unwrap_or_else(PoisonError::into_inner);
            delays.push(now_ns().saturating_sub(sent));
        }
    }

    /// Returns the lines of a turn: a frame with the prompt, one with the answer, and the result, which repeats the prompt.
    fn lines(&self, work: &Work) -> Vec<Vec<u8>> {
        let session = work.session_id();
        let frame = |entry: serde_json::Value| {
            let path = format!("/srv/.claude/projects/{PROJECT}/{session}.jsonl");
            json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]})
        };
        let answer = Uuid::new_v4().to_string();
        let lines = [
            frame(json!({
                "type": "user", "uuid": work.id.to_string(), "sessionId": session.to_string(), "version": "2.1.325",
                "message": {"role": "user", "content": work.prompt},
            })),
            frame(json!({
                "type": "assistant", "uuid": answer, "parentUuid": work.id.to_string(), "sessionId": session.to_string(), "version": "2.1.325",
                "message": {"role": "assistant", "content": [{"type": "text", "text": &*self.answer}]},
            })),
            json!({
                "type": "result", "subtype": "success", "is_error": false, "duration_ms": 256, "duration_api_ms": 65, "num_turns": 1,
                "result": work.prompt, "stop_reason": "end_turn", "session_id": session.to_string(), "total_cost_usd": 0.0004,
                "usage": {"input_tokens": 12, "output_tokens": 20}, "modelUsage": {}, "permission_denials": [],
                "uuid": answer, "user_message_uuid": work.id.to_string(),
            }),
        ];
        lines
            .iter()
            .map(|line| format!("{line}\n").into_bytes())
            .collect()
    }
}

impl Transport for TurnTransport {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        self.clis.note_start(&self.work.prompt);
        let cli = InMemoryCli::with_turn(self.clis.lines(&self.work));
        cli.transport().open(launch).await
    }
}
