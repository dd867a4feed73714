//! The environment of a scenario: a scripted model, an isolated CLI and a deadline.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use inhouse::message::{Message, Prompt, ResultMessage};
use inhouse::options::Options;
use inhouse::{Client, Error, MessageStream, Query, Turn};
use inhouse_testkit::{Isolation, ModelRequest, RealCli, ScriptedModel};
use tokio::process::Command;

/// Far more than any scenario needs.
const DEADLINE: Duration = Duration::from_secs(90);

/// The host's and the model's side of a scenario.
pub(crate) struct World {
    pub(crate) model: ScriptedModel,
    isolation: Isolation,
    /// The tags of the messages that the host has read.
    read_tags: Mutex<Vec<String>>,
}

/// Runs a scenario with the pinned CLI.
pub(crate) async fn pinned(scenario: impl AsyncFnOnce(&World)) {
    play(
        &RealCli::pinned().unwrap_or_else(|error| panic!("{error}")),
        scenario,
    )
    .await;
}

/// Runs a scenario with the oldest supported CLI.
pub(crate) async fn oldest(scenario: impl AsyncFnOnce(&World)) {
    play(
        &RealCli::oldest().unwrap_or_else(|error| panic!("{error}")),
        scenario,
    )
    .await;
}

async fn play(cli: &RealCli, scenario: impl AsyncFnOnce(&World)) {
    let model = ScriptedModel::start().await.expect("a loopback port");
    let isolation = cli.isolated(&model).expect("a temporary directory");
    let world = World {
        model,
        isolation,
        read_tags: Mutex::default(),
    };
    if tokio::time::timeout(DEADLINE, scenario(&world))
        .await
        .is_err()
    {
        panic!(
            "the scenario did not end within the deadline: {}",
            world.state()
        );
    }
}

impl World {
    /// Returns options that run the isolated CLI.
    pub(crate) fn options(&self) -> Options {
        self.isolation.options()
    }

    pub(crate) fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    pub(crate) fn cwd(&self) -> &Path {
        self.isolation.cwd()
    }

    pub(crate) async fn connect(&self, options: Options) -> Client {
        Client::connect(options).await.expect("the session opens")
    }

    /// Sends a prompt and returns the text of the answer.
    pub(crate) async fn ask(&self, client: &mut Client, prompt: impl Into<Prompt>) -> String {
        let turn = client.send(prompt).await.expect("the session is alive");
        let messages = self.read(turn).await;
        let result = result_of(&messages);
        assert!(!result.is_error, "{:?}", result.failure());
        result.result.clone().unwrap_or_default()
    }

    /// Reads all messages of a turn.
    pub(crate) async fn read(&self, mut turn: Turn<'_>) -> Vec<Message> {
        let mut messages = Vec::new();
        while let Some(message) = turn.next().await {
            messages.push(self.note(message.expect("the turn has a result")));
        }
        messages
    }

    /// Reads all messages of a query, which must end without an error.
    pub(crate) async fn read_query(&self, query: Query) -> Vec<Message> {
        let stream = query.await.expect("the session opens");
        let (messages, end) = self.read_stream(stream).await;
        assert!(end.is_none(), "the query ends without an error: {end:?}");
        messages
    }

    /// Reads all remaining messages, and the final error if there is one.
    pub(crate) async fn read_stream(
        &self,
        mut stream: MessageStream,
    ) -> (Vec<Message>, Option<Error>) {
        let mut messages = Vec::new();
        while let Some(message) = stream.next().await {
            match message {
                Ok(message) => messages.push(self.note(message)),
                Err(error) => {
                    assert!(stream.next().await.is_none(), "an error is the last item");
                    return (messages, Some(error));
                }
            }
        }
        (messages, None)
    }

    /// Reads until a message matches.
    pub(crate) async fn read_until(
        &self,
        stream: &mut MessageStream,
        wanted: impl Fn(&Message) -> bool,
    ) -> Vec<Message> {
        let mut messages = Vec::new();
        while !messages.last().is_some_and(&wanted) {
            let message = stream.next().await.expect("another message");
            messages.push(self.note(message.expect("the session is alive")));
        }
        messages
    }

    /// Waits for the next conversation request of the model.
    pub(crate) async fn next_request(&self) -> ModelRequest {
        self.model
            .next_request(DEADLINE)
            .await
            .unwrap_or_else(|timeout| panic!("{timeout}; {}", self.state()))
    }

    /// Waits until the CLI disconnects in the middle of an answer.
    pub(crate) async fn disconnected(&self) -> ModelRequest {
        self.model
            .next_disconnect(DEADLINE)
            .await
            .unwrap_or_else(|timeout| panic!("{timeout}; {}", self.state()))
    }

    /// Creates a named pipe in the project, through which a tool reports to the test.
    pub(crate) async fn pipe(&self, name: &str) -> Pipe {
        let path = self.cwd().join(name);
        let status = Command::new("mkfifo").arg(&path).status();
        assert!(status.await.expect("there is a mkfifo command").success());
        Pipe(path)
    }

    fn note(&self, message: Message) -> Message {
        assert!(
            !matches!(message, Message::Unknown(_)),
            "every message of the CLI has a known type: {message:?}"
        );
        let mut read_tags = self.read_tags.lock().expect("the lock is not poisoned");
        read_tags.push(message.tag());
        message
    }

    fn state(&self) -> String {
        let requests: Vec<_> = self
            .model
            .conversation()
            .iter()
            .map(|request| request.last_user_text().unwrap_or_default())
            .collect();
        format!(
            "the model received {requests:?}, {} answers are unused, and the host has read {:?}",
            self.model.remaining(),
            self.read_tags.lock().expect("the lock is not poisoned"),
        )
    }
}

/// A named pipe.
pub(crate) struct Pipe(PathBuf);

impl Pipe {
    /// Waits until a writer has written to the pipe and closed it.
    pub(crate) async fn read(&self) -> String {
        let reader = Command::new("cat").arg(&self.0).kill_on_drop(true).output();
        let output = reader.await.expect("there is a cat command");
        String::from_utf8(output.stdout).expect("text was written")
    }

    /// Writes to the pipe as soon as it has a reader.
    pub(crate) async fn write(&self, text: &str) {
        let script = r#"printf %s "$1" > "$0""#;
        let writer = Command::new("sh")
            .args(["-c", script])
            .arg(&self.0)
            .arg(text)
            .kill_on_drop(true)
            .status();
        assert!(writer.await.expect("there is a shell").success());
    }
}

/// Returns the result at the end of the messages of a turn.
pub(crate) fn result_of(messages: &[Message]) -> &ResultMessage {
    messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Result(result) => Some(&**result),
            _ => None,
        })
        .unwrap_or_else(|| panic!("there is no result in {:?}", tags(messages)))
}

pub(crate) fn tags(messages: &[Message]) -> Vec<String> {
    messages.iter().map(Message::tag).collect()
}

/// Returns the text blocks of the main conversation in order.
pub(crate) fn assistant_texts(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant(message) => Some(message.text().into_owned()),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .collect()
}

/// Sends a signal by name.
pub(crate) async fn signal(pid: u32, name: &str) {
    assert!(kill(pid, name).await, "process {pid} exists");
}

/// Waits until a process is reaped.
pub(crate) async fn gone(pid: u32) {
    while kill(pid, "0").await {}
}

async fn kill(pid: u32, signal: &str) -> bool {
    let status = Command::new("kill")
        .args([format!("-{signal}"), pid.to_string()])
        .stderr(Stdio::null())
        .status();
    status.await.expect("there is a kill command").success()
}
