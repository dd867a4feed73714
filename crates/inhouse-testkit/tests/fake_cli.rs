//! The fake CLI: sessions, expectations, faults, scripts.

use std::path::Path;
use std::time::Duration;

use inhouse::message::Message;
use inhouse::process::ShutdownTiming;
use inhouse::{Client, Error, ErrorKind, ExitStatus, Options, query};
use inhouse_testkit::fake::{self, HostAnswer};
use inhouse_testkit::{FakeCli, FakeTransport, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn connect(transport: FakeTransport) -> Client {
    let connecting = Client::connect_with(Options::new(), transport);
    connecting.await.expect("the fake accepts every session")
}

/// Returns the panic message of a future that has to panic.
async fn panic_of(chart: impl Future<Output = ()> + Send + 'static) -> String {
    let panic = tokio::spawn(chart).await.unwrap_err().into_panic();
    panic
        .downcast_ref::<String>()
        .expect("it has a text")
        .clone()
}

#[tokio::test]
async fn turn_has_all_parts_and_names_its_prompt() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("ping").await.unwrap();
        let prompt = turn.prompt_id().to_owned();
        let mut messages = Vec::new();
        while let Some(message) = turn.next().await {
            messages.push(message.unwrap());
        }
        let [
            Message::System(_),
            Message::Assistant(said),
            Message::Result(result),
        ] = &messages[..]
        else {
            panic!("{messages:#?}");
        };
        assert_eq!(said.user_message_uuid.as_deref(), Some(&*prompt));
        assert_eq!(result.user_message_uuid.as_deref(), Some(&*prompt));
        assert_eq!(result.result.as_deref(), Some("pong"));
        client.close().await.unwrap()
    };
    let cli = async move {
        let initialize = cli.accept().await;
        assert_eq!(initialize["subtype"], "initialize");
        assert_eq!(cli.expect_prompt().await.text(), "ping");
        cli.turn("pong").await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(0));
    };
    let (exit, ()) = tokio::join!(host, cli);
    assert_eq!(exit, Some(ExitStatus::with_code(0)));
}

#[tokio::test]
async fn requests_go_both_ways_in_any_order() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control();
        let (model, interrupt) = tokio::join!(control.set_model(Some("opus")), control.interrupt());
        model.unwrap();
        let refused = interrupt.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Refused);
        assert_eq!(refused.code(), Some("too_late"));
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let model = cli.expect_request("set_model").await;
        let interrupt = cli.expect_request("interrupt").await;
        interrupt.refuse("it is over", Some("too_late")).await;
        model.succeed_empty().await;

        let id = cli.ask(json!({"subtype": "juggle", "balls": 3})).await;
        let HostAnswer::Error { code, .. } = cli.expect_answer(&id).await else {
            panic!("no tool juggles");
        };
        assert_eq!(code.as_deref(), Some("unsupported_request"));
        cli.expect_end_of_input().await;
    };
    tokio::join!(host, cli);
}

#[tokio::test]
async fn unexpected_line_fails_with_the_transcript() {
    let text = panic_of(async {
        let (transport, mut cli) = FakeCli::new();
        let host = async {
            let client = connect(transport).await;
            client.control().set_model(Some("opus")).await
        };
        let cli = async move {
            cli.accept().await;
            cli.expect_prompt().await;
        };
        let _ = tokio::join!(host, cli);
    })
    .await;
    assert!(text.contains("the fake CLI expected a prompt\n"), "{text}");
    let instead = text.split("instead: ").nth(1).unwrap();
    assert!(
        instead.starts_with('{') && instead.contains("set_model"),
        "{text}"
    );
    let so_far = text.split("the conversation so far:\n").nth(1).unwrap();
    assert_eq!(so_far.lines().count(), 3, "{text}");
    assert!(
        so_far.contains("host> ") && so_far.contains("cli > "),
        "{text}"
    );
}

#[tokio::test]
async fn ignored_lines_are_skipped() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().with_timeout(Duration::from_millis(1));
        let error = control.set_model(None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        client.control().send("ping").await.unwrap();
        client
    };
    let cli = async move {
        cli.accept().await;
        cli.ignore("set_model");
        cli.ignore("control_cancel_request");
        assert_eq!(cli.expect_prompt().await.text(), "ping");
    };
    tokio::join!(host, cli);
}

#[tokio::test(start_paused = true)]
async fn deadline_is_real_time_under_a_paused_clock() {
    let text = panic_of(async {
        let (transport, mut cli) = FakeCli::new();
        let host = async {
            let client = connect(transport).await;
            // A day on the paused clock passes at once, and must not count for the fake's deadline.
            tokio::time::advance(Duration::from_secs(86_400)).await;
            std::future::pending::<()>().await;
            drop(client);
        };
        let cli = async move {
            cli.accept().await;
            // Not before: the handshake of a busy machine may take longer.
            cli.set_deadline(Duration::from_millis(50));
            cli.expect_prompt().await;
        };
        tokio::join!(host, cli);
    })
    .await;
    assert!(
        text.contains("expected a prompt\ninstead: no line within 50ms"),
        "{text}"
    );
}

#[tokio::test]
async fn dropping_the_fake_is_an_exit_with_code_0() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        assert!(client.messages().next().await.is_none());
        client.close().await.unwrap()
    };
    let cli = async move {
        cli.accept().await;
        drop(cli);
    };
    let (exit, ()) = tokio::join!(host, cli);
    assert_eq!(exit, Some(ExitStatus::with_code(0)));
}

#[tokio::test]
async fn exit_has_its_status_and_stderr_tail() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let turn = client.send("ping").await.unwrap();
        turn.text().await.unwrap_err()
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.stderr("out of ideas\n");
        cli.send_bytes(b"{\"type\":\"assis").await;
        cli.exit(ExitStatus::with_signal(11));
    };
    let (error, ()) = tokio::join!(host, cli);
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(11)));
    assert_eq!(error.stderr_tail(), Some("out of ideas"));
}

#[tokio::test(start_paused = true)]
async fn signals_end_the_fake_unless_ignored() {
    let (transport, mut cli) = FakeCli::new();
    let timing = ShutdownTiming::default()
        .grace(Duration::from_secs(3))
        .term(Duration::from_secs(4));
    let host = async {
        let connecting = Client::connect_with(Options::new().shutdown(timing), transport);
        let client = connecting.await.unwrap();
        let start = tokio::time::Instant::now();
        let exit = client.close().await.unwrap();
        (exit, start.elapsed().as_secs())
    };
    let cli = async move {
        cli.ignore_terminate();
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.expect_terminate().await;
        cli.expect_kill().await;
    };
    let (ended, ()) = tokio::join!(host, cli);
    assert_eq!(ended, (Some(ExitStatus::with_signal(9)), 7));
}

#[tokio::test(start_paused = true)]
async fn terminated_fake_can_neither_read_nor_write() {
    let text = panic_of(async {
        let (transport, mut cli) = FakeCli::new();
        let host = async { connect(transport).await.close().await.unwrap() };
        let cli = async move {
            cli.accept().await;
            cli.expect_end_of_input().await;
            cli.expect_terminate().await;
            cli.assistant("one more thing").await;
        };
        let (exit, ()) = tokio::join!(host, cli);
        assert_eq!(exit, Some(ExitStatus::with_signal(15)));
    })
    .await;
    assert!(text.contains("the host has ended the CLI"), "{text}");
}

#[tokio::test]
async fn script_is_played_in_memory() {
    let (transport, cli) = FakeCli::new();
    let script = Script::new()
        .accept()
        .expect_prompt()
        .turn("42")
        .expect_end_of_input()
        .exit(0);
    let host = async {
        let answer = query("What is 15 + 27?")
            .transport(transport)
            .await
            .unwrap();
        answer.text().await.unwrap()
    };
    let (answer, ()) = tokio::join!(host, cli.play_script(&script));
    assert_eq!(answer, "42");
}

#[tokio::test]
async fn echo_answers_until_the_end_of_input() {
    let (transport, cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        for word in ["here", "there", "everywhere"] {
            client.control().set_model(Some(word)).await.unwrap();
            assert_eq!(client.send(word).await.unwrap().text().await.unwrap(), word);
        }
        client.close().await.unwrap()
    };
    let script = Script::new().echo().exit(3);
    let (exit, ()) = tokio::join!(host, cli.play_script(&script));
    assert_eq!(exit, Some(ExitStatus::with_code(3)));
}

#[tokio::test(start_paused = true)]
async fn script_ends_when_the_host_kills_the_fake() {
    for ending in [Script::new().hang(), Script::new().ignore_end_of_input()] {
        let (transport, cli) = FakeCli::new();
        let script = Script::new().accept().ignore_terminate().then(ending);
        let host = async { connect(transport).await.close().await.unwrap() };
        let (exit, ()) = tokio::join!(host, cli.play_script(&script));
        assert_eq!(exit, Some(ExitStatus::with_signal(9)));
    }
}

#[tokio::test]
async fn every_step_round_trips_through_a_file() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .answer("set_model", None)
        .answer("interrupt", Some(json!({"still_queued": []})))
        .refuse("mcp_status", "no", Some("busy"))
        .leave_open("interrupt")
        .ask(json!({"subtype": "juggle"}))
        .send(json!({"type": "keep_alive"}))
        .repeat(json!({"type": "keep_alive"}), 3)
        .line_of(4_000)
        .bytes([0xff, 0x00, b'\n'])
        .state("running")
        .init()
        .assistant("a")
        .result("a")
        .error_result("error_during_execution", "b")
        .turn("c")
        .echo()
        .stderr("d\n")
        .stderr_flood(10)
        .grandchild()
        .stubborn_grandchild()
        .ignore_terminate()
        .close_stdin()
        .close_stdout()
        .expect_end_of_input()
        .ignore_end_of_input()
        .hang()
        .exit(1)
        .kill(9);
    let directory = tempfile::tempdir().unwrap();
    let path = script.write_to(directory.path()).unwrap();
    assert_eq!(Script::read(&path).unwrap(), script);
    assert_eq!(script.first(2), Script::new().accept().expect_prompt());
}

#[cfg(unix)]
#[tokio::test]
async fn program_plays_a_script_and_records_its_launch() {
    use inhouse_testkit::fake::LaunchRecord;

    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("record.json");
    let script = Script::new().send(json!({"n": 1})).expect_prompt().exit(5);
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_fake-cli"))
        .args(["--print", "--model=opus"])
        .env(Script::VARIABLE, script.write_to(directory.path()).unwrap())
        .env(LaunchRecord::VARIABLE, &record)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"type\":\"user\"}\n").await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    drop(stdin);

    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line, json!({"n": 1}));
    let record = LaunchRecord::read(&record).unwrap();
    assert_eq!(record.pid, pid);
    assert_eq!(record.args, ["--print", "--model=opus"]);
    assert!(record.env.contains(Script::VARIABLE));
}

#[cfg(unix)]
#[tokio::test]
async fn program_reports_a_host_that_deviates_from_the_script() {
    let directory = tempfile::tempdir().unwrap();
    let script = Script::new().accept();
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_fake-cli"))
        .env(Script::VARIABLE, script.write_to(directory.path()).unwrap())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"type\":\"user\"}\n").await.unwrap();
    let mut stderr = String::new();
    let mut reader = child.stderr.take().unwrap();
    reader.read_to_string(&mut stderr).await.unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(Script::MISMATCH));
    assert!(
        stderr.contains("expected the request `initialize`"),
        "{stderr}"
    );
}

#[test]
#[should_panic(expected = "the host returned an error")]
fn play_panics_if_the_host_returns_an_error() {
    fake::run(FakeCli::play(
        Options::new(),
        async |client| client.control().set_model(Some("opus")).await,
        async |cli| {
            let request = cli.expect_request("set_model").await;
            request.refuse("no such model", None).await;
        },
    ));
}

#[test]
#[should_panic(expected = "both sides wait")]
fn play_panics_at_once_if_both_sides_are_idle() {
    fake::run(FakeCli::play(
        Options::new(),
        async |_| std::future::pending::<Result<(), Error>>().await,
        async |_| {},
    ));
}

#[test]
#[should_panic(expected = "the fake CLI expected the end of input")]
fn play_panics_if_the_host_sends_an_unexpected_line() {
    fake::run(FakeCli::play(
        Options::new(),
        async |client| client.control().send("unexpected").await,
        async |_| {},
    ));
}

#[test]
fn play_returns_the_output_of_both_sides() {
    let (model, text) = fake::run(FakeCli::play(
        Options::new(),
        async |client| client.control().set_model(Some("opus")).await.map(|()| 1),
        async |cli| {
            let request = cli.expect_request("set_model").await;
            let model = request.body()["model"].to_string();
            request.succeed_empty().await;
            model
        },
    ));
    assert_eq!((model, text.as_str()), (1, "\"opus\""));
}

#[test]
fn launch_returns_command_line_environment_and_initialize() {
    let options = Options::new()
        .cwd("project")
        .env("A", "1")
        .env_remove("B")
        .title("a title");
    let cli = fake::launch(options);
    assert!(cli.args().contains(&"--verbose".to_owned()));
    assert!(cli.has_arg("--input-format=stream-json") && !cli.has_arg("--print"));
    assert_eq!((cli.env("A"), cli.env("B")), (Some("1"), None));
    assert!(cli.removes_env("B") && !cli.removes_env("A"));
    assert_eq!(cli.cwd(), Some(Path::new("project")));
    assert_eq!(cli.initialize()["title"], "a title");
}
