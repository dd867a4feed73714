//! One definition, any number of sessions.

use inhouse::Options;
use serde_json::json;

use crate::chart::play;
use crate::notes::Notes;

#[tokio::test]
async fn sessions_have_handlers_of_their_own() {
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
async fn the_cli_may_begin_anew_with_the_same_handler() {
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
