use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::deadline::within;
use super::host::{HostAnswer, HostRequest, Prompt};
use super::session::{Session, fresh_id};
use super::stdio::{Input, Output};
use super::transcript::{Transcript, shorten};

/// The default time limit of the host for each expected line.
const DEADLINE: Duration = Duration::from_secs(10);

/// The CLI's side of a conversation over any two streams: in memory, or of a real process.
pub(super) struct Conversation {
    input: Input,
    output: Output,
    session: Session,
    transcript: Transcript,
    ignored: BTreeSet<String>,
    deadline: Duration,
}

impl Conversation {
    pub(super) fn new(
        stdin: impl AsyncRead + Send + Unpin + 'static,
        stdout: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let transcript = Transcript::default();
        Self {
            input: Input::new(Box::new(stdin)),
            output: Output::new(Box::new(stdout), transcript.clone(), DEADLINE),
            session: Session::new(),
            transcript,
            ignored: BTreeSet::new(),
            deadline: DEADLINE,
        }
    }

    pub(super) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
        self.output.set_deadline(deadline);
    }

    pub(super) fn ignore(&mut self, kind: &str) {
        self.ignored.insert(kind.to_owned());
    }

    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    pub(super) fn session_id(&self) -> &str {
        self.session.id()
    }

    pub(super) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    pub(super) fn output(&self) -> &Output {
        &self.output
    }

    pub(super) fn close_input(&mut self) {
        self.transcript.event("the CLI closes its stdin");
        self.input.close();
    }

    pub(super) async fn send(&mut self, line: &Value) -> Result<(), Failure> {
        self.output.line(line).await
    }

    /// Reads the next line of the host; returns `None` at the end of input.
    pub(super) async fn next(&mut self, expected: &str) -> Result<Option<Value>, Failure> {
        self.next_within(self.deadline, expected).await
    }

    async fn next_within(
        &mut self,
        deadline: Duration,
        expected: &str,
    ) -> Result<Option<Value>, Failure> {
        loop {
            let line = match within(deadline, self.input.line()).await {
                Some(Ok(Some(line))) => line,
                Some(Ok(None)) => {
                    self.transcript.event("the host closes stdin");
                    return Ok(None);
                }
                Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionAborted => {
                    let text = self.explain(expected, "the host has ended the CLI");
                    return Err(Failure::killed(text));
                }
                Some(Err(error)) => return Err(self.failure(expected, &error.to_string())),
                None => {
                    let instead = format!("no line within {deadline:?}");
                    return Err(self.failure(expected, &instead));
                }
            };
            self.transcript.host(&line);
            let Ok(value) = serde_json::from_str::<Value>(&line) else {
                let instead = format!("a line that is not JSON: {}", shorten(&line));
                return Err(self.failure(expected, &instead));
            };
            if !self.ignored.contains(kind(&value)) {
                return Ok(Some(value));
            }
        }
    }

    /// Reads the next line without a deadline.
    pub(super) async fn next_unlimited(&mut self) -> Result<Option<Value>, Failure> {
        self.next_within(Duration::MAX, "anything").await
    }

    /// Reads the next line, which has to be of this kind.
    pub(super) async fn next_of(&mut self, wanted: &str, expected: &str) -> Result<Value, Failure> {
        match self.next(expected).await? {
            Some(line) if kind(&line) == wanted => Ok(line),
            Some(line) => Err(self.failure(expected, &line.to_string())),
            None => Err(self.failure(expected, "the host closed stdin")),
        }
    }

    pub(super) async fn accept(&mut self) -> Result<Value, Failure> {
        let request = self.request("initialize").await?;
        let body = request.body().clone();
        self.accept_request(request).await?;
        Ok(body)
    }

    pub(super) async fn accept_request(&mut self, request: HostRequest) -> Result<(), Failure> {
        let payload = self.session.initialized();
        request.try_succeed(Some(payload)).await
    }

    pub(super) async fn prompt(&mut self) -> Result<Prompt, Failure> {
        let line = self.next_of("user", "a prompt").await?;
        Ok(self.take_prompt(line))
    }

    pub(super) fn take_prompt(&mut self, line: Value) -> Prompt {
        let prompt = Prompt::new(line);
        // No result answers a prompt that starts no turn.
        if prompt.line()["shouldQuery"] != false {
            self.session.prompted(prompt.uuid());
        }
        prompt
    }

    pub(super) async fn request(&mut self, subtype: &str) -> Result<HostRequest, Failure> {
        let expected = format!("the request `{subtype}`");
        let line = self.next_of(subtype, &expected).await?;
        self.take_request(line, &expected)
    }

    pub(super) fn take_request(
        &self,
        mut line: Value,
        expected: &str,
    ) -> Result<HostRequest, Failure> {
        let Some(id) = line["request_id"].as_str().map(str::to_owned) else {
            return Err(self.failure(expected, &format!("{line}, which has no `request_id`")));
        };
        Ok(HostRequest::new(
            id,
            line["request"].take(),
            self.output.clone(),
        ))
    }

    pub(super) async fn ask(&mut self, request: &Value) -> Result<String, Failure> {
        let id = fresh_id();
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.send(&line).await?;
        Ok(id)
    }

    pub(super) async fn cancel(&mut self, id: &str) -> Result<(), Failure> {
        let line = json!({"type": "control_cancel_request", "request_id": id});
        self.send(&line).await
    }

    pub(super) async fn any_answer(&mut self) -> Result<(String, HostAnswer), Failure> {
        let expected = "an answer";
        let line = self.next_of("control_response", expected).await?;
        HostAnswer::read(&line)
            .ok_or_else(|| self.failure(expected, &format!("{line}, which has no known shape")))
    }

    pub(super) async fn answer(&mut self, id: &str) -> Result<HostAnswer, Failure> {
        let (answered, answer) = self.any_answer().await?;
        if answered == id {
            return Ok(answer);
        }
        let expected = format!("the answer to {id}");
        Err(self.failure(&expected, &format!("an answer to {answered}")))
    }

    pub(super) async fn cancelled_request(&mut self) -> Result<String, Failure> {
        let expected = "a cancelled request";
        let line = self.next_of("control_cancel_request", expected).await?;
        match line["request_id"].as_str() {
            Some(id) => Ok(id.to_owned()),
            None => Err(self.failure(expected, &format!("{line}, which has no `request_id`"))),
        }
    }

    pub(super) async fn end_of_input(&mut self) -> Result<(), Failure> {
        let expected = "the end of input";
        match self.next(expected).await? {
            Some(line) => Err(self.failure(expected, &line.to_string())),
            None => Ok(()),
        }
    }

    /// Waits for an event that is not a line.
    pub(super) async fn event(
        &mut self,
        expected: &str,
        event: impl Future<Output = ()>,
    ) -> Result<(), Failure> {
        let Some(()) = within(self.deadline, event).await else {
            let instead = format!("it did not happen within {:?}", self.deadline);
            return Err(self.failure(expected, &instead));
        };
        Ok(())
    }

    /// Sends all lines of a turn with a simple answer.
    pub(super) async fn turn(&mut self, text: &str) -> Result<(), Failure> {
        let lines = [
            self.session.state("running"),
            self.session.init(),
            self.session.assistant(text),
            self.session.result(text),
            self.session.state("idle"),
        ];
        for line in &lines {
            self.send(line).await?;
        }
        Ok(())
    }

    pub(super) fn failure(&self, expected: &str, instead: &str) -> Failure {
        Failure::new(self.explain(expected, instead))
    }

    fn explain(&self, expected: &str, instead: &str) -> String {
        format!(
            "the fake CLI expected {expected}\ninstead: {}\nthe conversation so far:\n{}",
            shorten(instead),
            self.transcript.render()
        )
    }
}

/// Returns the kind of a line: its type, or for a control request its subtype.
pub(super) fn kind(line: &Value) -> &str {
    let kind = line["type"].as_str().unwrap_or_default();
    match kind {
        "control_request" => line["request"]["subtype"].as_str().unwrap_or(kind),
        _ => kind,
    }
}

/// Why a conversation could not continue.
#[derive(Debug)]
pub(super) struct Failure {
    text: String,
    killed: bool,
}

impl Failure {
    pub(super) fn new(text: String) -> Self {
        Self {
            text,
            killed: false,
        }
    }

    /// The host has ended the CLI, which can neither read nor write any more.
    pub(super) fn killed(text: String) -> Self {
        Self { text, killed: true }
    }

    pub(super) fn is_killed(&self) -> bool {
        self.killed
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
