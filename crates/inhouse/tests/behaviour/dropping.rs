//! Sessions that are dropped in the middle of a turn: the CLI is killed before it can see anything else.

use std::future::{Future, pending};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
use inhouse::launch::Launch;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Tool, ToolServer};
use inhouse::transport::{Connection, Peer, Transport};
use inhouse::{Asked, Client, ExitStatus, HandlerError, Options, Result};
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::{Value, json};
use tokio::io::AsyncWrite;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Longer than any step takes.
const DEADLINE: Duration = Duration::from_secs(30);

/// What the CLI waits for when its session is dropped.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    ToolCall,
    Permission,
    Hook,
    Model,
}

const WAITING: [Waiting; 4] = [
    Waiting::ToolCall,
    Waiting::Permission,
    Waiting::Hook,
    Waiting::Model,
];

#[tokio::test]
async fn dropped_client_kills_the_cli_before_its_input_ends() {
    for waiting in WAITING {
        let session = InTurn::start(waiting).await;
        drop(session.client);
        let seen = assert_killed_first(waiting, session.events).await;
        assert_eq!(seen[0], "kill", "{waiting:?}: {seen:?}");
        session.host.shutdown_background();
    }
}

#[tokio::test]
async fn runtime_shutdown_kills_the_cli_before_its_input_ends() {
    for waiting in WAITING {
        let session = InTurn::start(waiting).await;
        session.host.shutdown_background();
        assert_killed_first(waiting, session.events).await;
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_client_with_a_task_in_the_background_kills_the_cli() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = Client::connect_with(Options::new(), transport)
            .await
            .unwrap();
        client.send("Go.").await.unwrap().text().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(json!({
            "type": "system",
            "subtype": "task_started",
            "task_id": "t1",
            "task_type": "local_agent",
            "description": "Counts",
            "session_id": cli.session_id(),
        }))
        .await;
        cli.turn("Started.").await;
        cli.expect_kill().await;
    };
    inhouse_testkit::fake::join(host, cli).await;
}

/// Asserts that the CLI is killed before its input ends, and that no handler has answered.
///
/// Returns everything that was seen. A runtime that is shut down may drop a handler's task before the driver's.
async fn assert_killed_first(
    waiting: Waiting,
    mut events: UnboundedReceiver<&'static str>,
) -> Vec<&'static str> {
    let mut seen = Vec::new();
    while !seen.contains(&"end of input") {
        let event = tokio::time::timeout(DEADLINE, events.recv()).await;
        seen.push(event.expect("the input ends").expect("an event"));
    }
    let relevant: Vec<_> = seen
        .iter()
        .filter(|&&event| event != "handler dropped")
        .collect();
    assert_eq!(relevant, [&"kill", &"end of input"], "{waiting:?}");
    seen
}

/// A client in the middle of a turn.
struct InTurn {
    /// The runtime of the client.
    host: Runtime,
    client: Client,
    /// The signals and the end of input that reach the CLI from now on.
    events: UnboundedReceiver<&'static str>,
    /// Kept, because a fake that is dropped exits.
    _cli: FakeCli,
}

impl InTurn {
    async fn start(waiting: Waiting) -> Self {
        let (transport, mut cli) = FakeCli::new();
        let (log, mut events) = unbounded_channel();
        let options = options(&log);
        let transport = Recorded { transport, log };
        let host = Runtime::new().unwrap();
        let client = host.spawn(async {
            let mut client = Client::connect_with(options, transport).await?;
            drop(client.send("Go.").await?);
            Ok::<_, inhouse::Error>(client)
        });
        let initialize = cli.accept().await;
        cli.expect_prompt().await;
        if let Some(request) = waiting.request(&initialize) {
            cli.ask(request).await;
            while events.recv().await != Some("handler started") {}
        }
        let client = client.await.unwrap().unwrap();
        while events.try_recv().is_ok() {}
        Self {
            host,
            client,
            events,
            _cli: cli,
        }
    }
}

impl Waiting {
    fn request(self, initialize: &Value) -> Option<Value> {
        match self {
            Self::ToolCall => Some(json!({
                "subtype": "mcp_message",
                "server_name": "s",
                "message": {
                    "jsonrpc": "2.0", "id": 7, "method": "tools/call",
                    "params": {"name": "wait", "arguments": {}},
                },
            })),
            Self::Permission => Some(json!({
                "subtype": "can_use_tool",
                "tool_name": "Bash",
                "input": {"command": "ls"},
                "tool_use_id": "toolu_1",
            })),
            Self::Hook => Some(json!({
                "subtype": "hook_callback",
                "callback_id": initialize["hooks"]["PreToolUse"][0]["hookCallbackIds"][0],
                "input": {
                    "hook_event_name": "PreToolUse", "session_id": "", "transcript_path": "",
                    "cwd": "/", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_1",
                },
                "tool_use_id": "toolu_1",
            })),
            Self::Model => None,
        }
    }
}

/// Options whose handlers never answer.
fn options(log: &UnboundedSender<&'static str>) -> Options {
    let [tool, permission, hook] = [log.clone(), log.clone(), log.clone()];
    let tool = Tool::new("wait", "Waits", async move || {
        endless::<String>(&tool).await
    });
    Options::new()
        .tool_server(ToolServer::new("s").tool(tool))
        .permissions(async move |_: Asked<CanUseTool>| {
            endless::<Result<Decision, HandlerError>>(&permission).await
        })
        .hook(
            Matcher::any(),
            async move |_: PreToolUse, _: HookContext| {
                endless::<Result<HookOutput<PreToolUse>, HandlerError>>(&hook).await
            },
        )
}

async fn endless<T>(log: &UnboundedSender<&'static str>) -> T {
    let _probe = Probe(log.clone());
    let _ = log.send("handler started");
    pending().await
}

/// Reports when a handler is dropped.
struct Probe(UnboundedSender<&'static str>);

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.0.send("handler dropped");
    }
}

/// A transport to a fake CLI that records signals and the end of input.
struct Recorded {
    transport: FakeTransport,
    log: UnboundedSender<&'static str>,
}

impl Transport for Recorded {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let connection = self.transport.open(launch).await?;
        Ok(Connection {
            reader: connection.reader,
            writer: Box::new(RecordedWriter {
                writer: connection.writer,
                log: self.log.clone(),
            }),
            peer: Box::new(RecordedPeer {
                peer: connection.peer,
                log: self.log,
                killed: false,
            }),
        })
    }
}

struct RecordedWriter {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    log: UnboundedSender<&'static str>,
}

impl AsyncWrite for RecordedWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let _ = self.log.send("write");
        Pin::new(&mut self.writer).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}

impl Drop for RecordedWriter {
    fn drop(&mut self) {
        let _ = self.log.send("end of input");
    }
}

struct RecordedPeer {
    peer: Box<dyn Peer>,
    log: UnboundedSender<&'static str>,
    killed: bool,
}

impl Peer for RecordedPeer {
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        self.peer.exited()
    }

    fn terminate(&mut self) {
        let _ = self.log.send("terminate");
        self.peer.terminate();
    }

    fn kill(&mut self) {
        if !self.killed {
            let _ = self.log.send("kill");
        }
        self.killed = true;
        self.peer.kill();
    }
}

impl Drop for RecordedPeer {
    fn drop(&mut self) {
        self.kill();
    }
}
