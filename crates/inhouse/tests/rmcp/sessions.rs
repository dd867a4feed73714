//! One definition in any number of sessions.

use inhouse::{Client, McpServers, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;

use crate::notes::Notes;
use crate::support::{play, text_of};

#[tokio::test]
async fn each_session_has_its_own_handler() {
    let options = Options::new().rmcp_server("notes", Notes::factory().0);
    let session = |calls: u64| {
        play(options.clone(), async move |cli| {
            for call in 1..=calls {
                assert_eq!(cli.call(call, "count").await, call.to_string());
            }
        })
    };
    tokio::join!(
        session(1),
        session(2),
        session(3),
        session(4),
        session(5),
        session(6),
        session(7),
        session(8),
    );
}

#[tokio::test]
async fn cli_can_initialize_twice_with_one_handler() {
    let (factory, mut journal) = Notes::factory();
    let options = Options::new().rmcp_server("notes", factory);
    play(options, async |cli| {
        assert_eq!(journal.next().await, "initialized");
        assert_eq!(cli.call(2, "count").await, "1");
        let open = cli.begin_call(0, "wait").await;
        assert_eq!(journal.next().await, "wait has begun");

        let client = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "another-code", "version": "3"},
        });
        let begun = cli.begin(json!(0), "initialize", client).await;
        let answers = cli.answers(2).await;
        assert_eq!(answers[&open]["error"]["code"], -32800);
        assert_eq!(answers[&begun]["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(journal.next().await, "the token of wait has fired");
        cli.notify("notifications/initialized", json!({})).await;
        assert_eq!(journal.next().await, "initialized");

        assert_eq!(cli.call(1, "who").await, r#"another-code 1 "toolu_1""#);
        assert_eq!(cli.call(2, "count").await, "2");
    })
    .await;
}

#[tokio::test]
async fn server_can_be_added_to_a_running_session() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(Options::new(), transport).await;
        let client = client.expect("the session opens");
        let servers = McpServers::new().rmcp_server("notes", Notes::factory().0);
        let reply = client.control().set_mcp_servers(servers).await;
        assert_eq!(reply.expect("the CLI accepts it").added, ["notes"]);
        client.close().await.expect("the CLI exits with success");
    };
    let cli = async move {
        cli.accept().await;
        let request = cli.expect_request("mcp_set_servers").await;
        assert_eq!(
            request.body()["servers"],
            json!({"notes": {"type": "sdk", "name": "notes"}})
        );
        let ping = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
        let asked = cli
            .ask(json!({"subtype": "mcp_message", "server_name": "notes", "message": ping}))
            .await;
        let answer = cli.expect_answer(&asked).await.payload();
        assert_eq!(answer["mcp_response"]["result"], json!({}));
        let reply = json!({"added": ["notes"], "removed": [], "errors": {}});
        request.succeed(reply).await;
        cli.expect_end_of_input().await;
    };
    tokio::join!(host, cli);
}

#[tokio::test(start_paused = true)]
async fn handler_finds_its_session_in_the_context() {
    let (make, _journal) = Notes::factory();
    let options = Options::new().rmcp_server("notes", make);
    play(options, async |cli| {
        let asked = cli.begin_call(1, "session").await;
        cli.expect_set_model("opus").await;
        let answer = cli.answer(&asked).await;
        assert_eq!(text_of(&answer), "opus");
    })
    .await;
}
