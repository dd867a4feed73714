//! Requests of the CLI to a mounted server.

use inhouse::Options;
use serde_json::{Value, json};

use crate::notes::Notes;
use crate::support::play;

fn options() -> Options {
    Options::new().rmcp_server("notes", Notes::factory().0)
}

#[tokio::test]
async fn tool_is_listed_and_called() {
    play(options(), async |cli| {
        let listed = cli.request(json!(2), "tools/list", json!({})).await;
        assert_eq!(listed["id"], 2);
        let tools = listed["result"]["tools"].as_array().expect("tools");
        assert_eq!(tools[0]["name"], "count");
        assert_eq!(tools[0]["inputSchema"], json!({"type": "object"}));
        // Members of a newer version of MCP than the CLI supports.
        assert_eq!(listed["result"]["resultType"], Value::Null);

        let called = cli
            .request(json!(3), "tools/call", json!({"name": "count"}))
            .await;
        assert_eq!(
            called,
            json!({
                "jsonrpc": "2.0",
                "id": 3,
                "result": {"content": [{"type": "text", "text": "1"}], "isError": false},
            })
        );
    })
    .await;
}

#[tokio::test]
async fn handler_gets_the_call_context() {
    play(options(), async |cli| {
        assert_eq!(cli.call(7, "who").await, r#"claude-code 7 "toolu_7""#);
    })
    .await;
}

#[tokio::test]
async fn ids_are_echoed_unchanged() {
    play(options(), async |cli| {
        for id in [
            json!(0),
            json!(-1),
            json!("seven"),
            json!(1.5),
            json!(u64::MAX),
        ] {
            let answer = cli.request(id.clone(), "ping", json!({})).await;
            assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        }
    })
    .await;
}

#[tokio::test]
async fn resources_prompts_completion_and_logging_work() {
    play(options(), async |cli| {
        let listed = cli.request(json!(2), "resources/list", json!({})).await;
        assert_eq!(listed["result"]["resources"][0]["uri"], "notes://shopping");
        let uri = json!({"uri": "notes://shopping"});
        let read = cli.request(json!(3), "resources/read", uri).await;
        assert_eq!(read["result"]["contents"][0]["text"], "Two eggs.");

        let listed = cli.request(json!(4), "prompts/list", json!({})).await;
        assert_eq!(listed["result"]["prompts"][0]["name"], "tidy");
        let prompt = cli
            .request(json!(5), "prompts/get", json!({"name": "tidy"}))
            .await;
        let message = &prompt["result"]["messages"][0];
        assert_eq!(message["content"]["text"], "Please tidy up.");

        let completion = json!({
            "ref": {"type": "ref/resource", "uri": "notes://{name}"},
            "argument": {"name": "name", "value": "sho"},
        });
        let completed = cli
            .request(json!(6), "completion/complete", completion)
            .await;
        assert_eq!(
            completed["result"]["completion"]["values"],
            json!(["shopping"])
        );

        let set = cli
            .request(json!(7), "logging/setLevel", json!({"level": "error"}))
            .await;
        assert_eq!(set["result"], json!({}));
        assert_eq!(cli.call(8, "level").await, "Some(Error)");
    })
    .await;
}
