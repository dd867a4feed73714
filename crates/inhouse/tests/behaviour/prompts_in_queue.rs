use inhouse::message::Message;
use inhouse::{Client, ErrorKind, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};

use crate::support::{connect, failed};

fn change(prompt: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state})
}

fn huge_result() -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "session_id": "s",
        "result": "x".repeat(10_000),
    })
}

#[tokio::test(start_paused = true)]
async fn cancelled_prompt_ends_its_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let error = failed(client.send("one").await.unwrap().text().await);
        assert_eq!(error.kind(), ErrorKind::Protocol);
        assert_eq!(client.send("two").await.unwrap().text().await.unwrap(), "2");
    };
    let cli = async move {
        cli.accept().await;
        let prompt = cli.expect_prompt().await;
        let id = prompt.uuid().expect("a prompt has an id").to_owned();
        cli.send(change(&id, "queued")).await;
        cli.send(change(&id, "cancelled")).await;
        cli.expect_prompt().await;
        cli.result("cancelled ones have none").await;
        cli.turn("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_end_of_one_prompt_is_not_in_the_next_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        client.send("one").await.unwrap().finish().await.unwrap();
        let mut turn = client.send("two").await.unwrap();
        let mut tags = Vec::new();
        while let Some(message) = turn.next().await {
            tags.push(message.unwrap().tag());
        }
        assert_eq!(
            tags,
            [
                "command_lifecycle",
                "system/init",
                "assistant",
                "result/success"
            ]
        );
    };
    let cli = async move {
        cli.accept().await;
        let one = cli.expect_prompt().await;
        cli.turn("1").await;
        cli.send(change(one.uuid().expect("an id"), "completed"))
            .await;
        let two = cli.expect_prompt().await;
        cli.send(change(two.uuid().expect("an id"), "started"))
            .await;
        cli.turn("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_11_result_too_long_to_read_ends_its_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new().max_line_bytes(8_000);
        let mut client = Client::connect_with(options, transport).await.unwrap();
        let mut turn = client.send("one").await.unwrap();
        let mut gaps = 0;
        while let Some(message) = turn.next().await {
            gaps += usize::from(matches!(message.unwrap(), Message::Gap(_)));
        }
        assert_eq!(gaps, 1);
        assert_eq!(client.send("two").await.unwrap().text().await.unwrap(), "2");
    };
    let cli = async move {
        cli.accept().await;
        let one = cli.expect_prompt().await;
        cli.send(huge_result()).await;
        cli.send(change(one.uuid().expect("an id"), "completed"))
            .await;
        // The fake has not sent the result of the first prompt.
        cli.expect_prompt().await;
        cli.result("1").await;
        cli.turn("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_11_result_too_long_to_read_ends_a_query() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new().max_line_bytes(8_000);
        let query = query("one").options(options).transport(transport);
        let error = failed(query.await.unwrap().text().await);
        assert_eq!(error.kind(), ErrorKind::Protocol);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.send(huge_result()).await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_11_unreadable_result_of_old_cli_ends_its_turn_at_the_ceiling() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new().max_line_bytes(8_000);
        let mut client = Client::connect_with(options, transport).await.unwrap();
        let error = failed(client.send("one").await.unwrap().text().await);
        assert_eq!(error.kind(), ErrorKind::Protocol);
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(huge_result()).await;
        cli.set_deadline(std::time::Duration::from_secs(60));
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_abandoned_turn_can_be_read_as_messages() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        drop(client.send("one").await.unwrap());
        loop {
            let message = client.messages().next().await.unwrap().unwrap();
            if matches!(message, Message::Assistant(message) if message.text() == "after") {
                break;
            }
        }
        assert_eq!(client.send("two").await.unwrap().text().await.unwrap(), "2");
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        cli.assistant("after").await;
        cli.expect_prompt().await;
        cli.turn("2").await;
    };
    join(host, cli).await;
}
