//! Messages that the server sends to the CLI.

use inhouse::Options;
use serde_json::{Value, json};

use crate::notes::Notes;
use crate::support::{play, text_of};

fn options() -> Options {
    Options::new().rmcp_server("notes", Notes::factory().0)
}

#[tokio::test]
async fn notifications_arrive_in_order_and_before_the_result() {
    play(options(), async |cli| {
        let asked = cli.begin_call(7, "report").await;
        for step in [1.0, 2.0, 3.0] {
            let message = cli.server_message().await;
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(
                message["params"],
                json!({"progressToken": 7, "progress": step, "total": 3.0})
            );
        }
        let message = cli.server_message().await;
        assert_eq!(message["method"], "notifications/message");
        assert_eq!(message["params"], json!({"level": "info", "data": "done"}));
        assert_eq!(
            cli.server_message().await["method"],
            "notifications/tools/list_changed"
        );
        assert_eq!(text_of(&cli.answer(&asked).await), "reported");
    })
    .await;
}

/// The server counts its ids from 0, as the CLI does.
#[tokio::test]
async fn server_and_cli_request_ids_do_not_collide() {
    play(options(), async |cli| {
        let asked = cli.begin_call(0, "roots").await;
        let message = cli.server_message().await;
        assert_eq!(
            (&message["id"], &message["method"]),
            (&json!(0), &json!("roots/list"))
        );
        assert_eq!(message["result"], Value::Null);

        let refused = json!({"code": -32601, "message": "Method not found"});
        let answered = cli
            .send(json!({"jsonrpc": "2.0", "id": 0, "error": refused}))
            .await;
        let answers = cli.answers(2).await;
        assert_eq!(answers[&answered]["result"], json!({}));
        assert_eq!(answers[&asked]["id"], 0);
        let text = text_of(&answers[&asked]);
        assert!(
            text.starts_with("no roots") && text.contains("-32601"),
            "{text}"
        );
    })
    .await;
}

#[tokio::test]
async fn each_cli_response_matches_its_request() {
    play(options(), async |cli| {
        let first = cli.begin_call(4, "roots").await;
        let first_id = cli.server_message().await["id"].clone();
        let second = cli.begin_call(5, "roots").await;
        let second_id = cli.server_message().await["id"].clone();
        assert_ne!(first_id, second_id);

        let roots = json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]});
        let message = json!({"jsonrpc": "2.0", "id": second_id, "result": roots});
        cli.send(message).await;
        assert_eq!(text_of(&cli.answers(2).await[&second]), "2 roots");
        let message = json!({"jsonrpc": "2.0", "id": first_id, "result": {"roots": []}});
        cli.send(message).await;
        assert_eq!(text_of(&cli.answers(2).await[&first]), "0 roots");
    })
    .await;
}
