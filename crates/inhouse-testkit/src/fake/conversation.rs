use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::HostAnswer;
use super::failure::Failure;
use super::input::Input;
use super::output::Output;
use super::patience::within;
use super::prompt::Prompt;
use super::request::HostRequest;
use super::session::{Session, fresh_id};
use super::transcript::{Transcript, shorten};

/// How long the host may take for each thing that is expected of it.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The CLI's side of a conversation over any two streams: in memory or in a process of its own.
pub(super) struct Conversation {
    input: Input,
    output: Output,
    session: Session,
    transcript: Transcript,
    ignored: BTreeSet<String>,
    patience: Duration,
}

impl Conversation {
    pub(super) fn new(
        stdin: impl AsyncRead + Send + Unpin + 'static,
        stdout: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let transcript = Transcript::default();
        Self {
            input: Input::new(Box::new(stdin)),
            output: Output::new(Box::new(stdout), transcript.clone(), PATIENCE),
            session: Session::new(),
            transcript,
            ignored: BTreeSet::new(),
            patience: PATIENCE,
        }
    }

    pub(super) fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
        self.output.set_patience(patience);
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

    /// The next line of the host; `None` at the end of its input.
    pub(super) async fn next(&mut self, expected: &str) -> Result<Option<Value>, Failure> {
        self.next_within(self.patience, expected).await
    }

    async fn next_within(
        &mut self,
        patience: Duration,
        expected: &str,
    ) -> Result<Option<Value>, Failure> {
        loop {
            let line = match within(patience, self.input.line()).await {
                Some(Ok(Some(line))) => line,
                Some(Ok(None)) => {
                    self.transcript.event("the host ends the input");
                    return Ok(None);
                }
                Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionAborted => {
                    let text = self.explain(expected, "the host ended the CLI");
                    return Err(Failure::killed(text));
                }
                Some(Err(error)) => return Err(self.failure(expected, &error.to_string())),
                None => {
                    let instead = format!("nothing came within {patience:?}");
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

    /// The next line, however long the host takes for it: a CLI may be idle.
    pub(super) async fn patient_next(&mut self) -> Result<Option<Value>, Failure> {
        self.next_within(Duration::MAX, "anything").await
    }

    /// The next line, which has to be of this kind.
    pub(super) async fn next_of(&mut self, wanted: &str, expected: &str) -> Result<Value, Failure> {
        match self.next(expected).await? {
            Some(line) if kind(&line) == wanted => Ok(line),
            Some(line) => Err(self.failure(expected, &line.to_string())),
            None => Err(self.failure(expected, "the host ended its input")),
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
        self.session.prompted(prompt.uuid());
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

    pub(super) async fn withdrawal(&mut self) -> Result<String, Failure> {
        let expected = "a withdrawn request";
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

    /// Something that does not come as a line.
    pub(super) async fn event(
        &mut self,
        expected: &str,
        event: impl Future<Output = ()>,
    ) -> Result<(), Failure> {
        let Some(()) = within(self.patience, event).await else {
            let instead = format!("it did not happen within {:?}", self.patience);
            return Err(self.failure(expected, &instead));
        };
        Ok(())
    }

    /// A whole turn, as the CLI plays it for a simple answer.
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

/// What a line is: its type, and for a request its subtype.
pub(super) fn kind(line: &Value) -> &str {
    let kind = line["type"].as_str().unwrap_or_default();
    match kind {
        "control_request" => line["request"]["subtype"].as_str().unwrap_or(kind),
        _ => kind,
    }
}
