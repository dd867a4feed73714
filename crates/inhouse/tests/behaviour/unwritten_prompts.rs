//! Prompts that the CLI has not read when the host gives up or the CLI exits.

use inhouse::{ErrorKind, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::oneshot;

use crate::support::{connect, connect_with, failed, idle, result_with, seconds, summary};

/// More than fits into the pipe of the fake.
fn long_prompt() -> String {
    "x".repeat(300_000)
}

#[tokio::test(start_paused = true)]
async fn exit_of_the_cli_fails_unwritten_prompts_with_its_cause() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control();
        // The first is being written, the second waits behind it.
        let (first, second) = tokio::join!(control.send(long_prompt()), control.send("hello"));
        [failed(first), failed(second)]
    };
    let cli = async move {
        cli.accept().await;
        idle().await;
        cli.stderr("out of memory\n");
        cli.exit(ExitStatus::with_code(5));
    };
    let (errors, ()) = join(host, cli).await;
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_code(5)));
        assert_eq!(error.stderr_tail(), Some("out of memory"));
    }
}

#[tokio::test(start_paused = true)]
async fn prompt_that_timed_out_and_is_read_late_does_not_answer_the_next() {
    let (transport, mut cli) = FakeCli::new();
    let (give_up, gave_up) = oneshot::channel();
    let host = async {
        let options = Options::new().control_timeout(seconds(5));
        let mut client = connect_with(options, transport).await;
        assert!(failed(client.send(long_prompt()).await).is_timeout());
        give_up.send(()).unwrap();
        let mut turn = client.send("two").await.unwrap();
        let mut read = Vec::new();
        while let Some(message) = turn.next().await {
            read.push(summary(&message.unwrap()));
        }
        read
    };
    let cli = async move {
        cli.accept().await;
        gave_up.await.unwrap();
        // The results name no prompt, as those of CLI 2.1.197.
        assert_eq!(cli.expect_prompt().await.text(), long_prompt());
        cli.assistant("1").await;
        cli.send(result_with(&cli, json!({"result": "1"}))).await;
        assert_eq!(cli.expect_prompt().await.text(), "two");
        cli.assistant("2").await;
        cli.send(result_with(&cli, json!({"result": "2"}))).await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["said 2", "result 2"]);
}
