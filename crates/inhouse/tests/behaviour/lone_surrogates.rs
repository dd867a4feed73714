//! Lone surrogates (`\ud83d`), which the CLI writes if it cuts a text in the middle of an emoji and which `serde_json`
//! rejects: handlers read U+FFFD instead.

use std::convert::Infallible;

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
use inhouse::hook::{HookOutput, Matcher, UserPromptSubmit};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Call, Extract, Input, Tool, ToolError, ToolServer};
use inhouse::{Asked, Options};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Sends a request, given as the JSON text of its `request`, and returns the payload of the answer.
async fn payload_for(options: Options, request: &str) -> Value {
    let mut payload = Value::Null;
    FakeCli::play_cli(options, async |cli| {
        let line = format!(
            "{{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{request}}}\n"
        );
        cli.send_bytes(line.as_bytes()).await;
        payload = cli.expect_answer("r1").await.payload();
    })
    .await;
    payload
}

/// Calls the tool `s.echo` with the word `half \ud83d`, and returns the text of its result.
async fn echoed(tool: Tool) -> Value {
    let options = Options::new().tool_server(ToolServer::new("s").tool(tool));
    let call = r#"{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"word":"half \ud83d"}}}}"#;
    let payload = payload_for(options, call).await;
    payload["mcp_response"]["result"]["content"][0]["text"].clone()
}

#[derive(Deserialize, JsonSchema)]
struct Word {
    word: String,
}

#[tokio::test(start_paused = true)]
async fn tool_reads_a_replacement_character() {
    let handler = async |Input(Word { word }): Input<Word>| word;
    assert_eq!(
        echoed(Tool::new("echo", "Echo", handler)).await,
        "half \u{fffd}"
    );
}

#[tokio::test(start_paused = true)]
async fn arguments_of_a_call_can_be_parsed() {
    struct Arguments(Value);

    impl Extract<()> for Arguments {
        fn extract(call: &Call<'_, ()>) -> Result<Self, ToolError> {
            Ok(Self(serde_json::from_str(&call.arguments())?))
        }
    }

    let handler = async |Arguments(arguments): Arguments| arguments["word"].to_string();
    assert_eq!(
        echoed(Tool::new("echo", "Echo", handler)).await,
        "\"half \u{fffd}\""
    );
}

#[cfg(feature = "json-schema")]
#[tokio::test(start_paused = true)]
async fn arguments_are_validated_with_a_replacement_character() {
    let schema = json!({"type": "object", "properties": {"word": {"maxLength": 6}}});
    let handler = async |Input(arguments): Input<Value>| arguments["word"].to_string();
    let tool = Tool::with_schema("echo", "Echo", schema, handler);
    assert_eq!(echoed(tool).await, "\"half \u{fffd}\"");
}

#[tokio::test(start_paused = true)]
async fn error_names_the_invalid_argument_beside_a_lone_surrogate() {
    #[derive(Deserialize, JsonSchema)]
    struct Number {
        #[serde(rename = "other")]
        _other: Option<String>,
        #[serde(rename = "word")]
        _word: u32,
    }

    let text = echoed(Tool::new("echo", "Echo", async |_: Input<Number>| "ran")).await;
    let text = text.as_str().expect("an error");
    assert!(
        text.contains("expected u32") && text.contains("`word`"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn hook_reads_a_replacement_character() {
    let hook = r#"{"subtype":"hook_callback","callback_id":"hook_0","input":{"hook_event_name":"UserPromptSubmit","session_id":"s","transcript_path":"/t","cwd":"/","prompt":"half \ud83d"}}"#;
    let typed = Options::new().hook(Matcher::any(), async |input: UserPromptSubmit, _| {
        Ok(HookOutput::pass().context(input.prompt))
    });
    let raw = Options::new().raw_hook("UserPromptSubmit", Matcher::any(), async |input, _| {
        Ok(json!({"hookSpecificOutput": {"additionalContext": input["prompt"]}}))
    });
    for options in [typed, raw] {
        let output = payload_for(options, hook).await;
        let context = &output["hookSpecificOutput"]["additionalContext"];
        assert_eq!(*context, "half \u{fffd}");
    }
}

#[tokio::test(start_paused = true)]
async fn permission_handler_reads_a_replacement_character() {
    let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
        Ok(Decision::deny(asked.request.input["command"].to_string()))
    });
    let request = r#"{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"half \ud83d"}}"#;
    let decision = payload_for(options, request).await;
    assert_eq!(decision["message"], "\"half \u{fffd}\"");
}

#[tokio::test(start_paused = true)]
async fn elicitation_handler_reads_a_replacement_character() {
    let options = Options::new().on_elicitation(async |asked: Asked<ElicitationRequest>| {
        Ok(ElicitationAnswer::accept(
            &json!({"message": asked.request.message}),
        )?)
    });
    let request = r#"{"subtype":"elicitation","mcp_server_name":"crm","message":"half \ud83d"}"#;
    let answer = payload_for(options, request).await;
    assert_eq!(answer["content"]["message"], "half \u{fffd}");
}

#[tokio::test(start_paused = true)]
async fn dialog_handler_reads_a_replacement_character() {
    let options = Options::new().on_dialog("note", async |asked: Asked<DialogRequest>| {
        let payload: Value = asked.payload_as()?;
        Ok(DialogAnswer::completed(&payload)?)
    });
    let request = r#"{"subtype":"request_user_dialog","dialog_kind":"note","payload":{"text":"half \ud83d"}}"#;
    let answer = payload_for(options, request).await;
    assert_eq!(answer["result"]["text"], "half \u{fffd}");
}

#[tokio::test(start_paused = true)]
async fn custom_handler_reads_a_replacement_character() {
    let options = Options::new().on_request("coffee", async |request: Value| {
        Ok::<_, Infallible>(json!({"note": request["note"]}))
    });
    let answer = payload_for(options, r#"{"subtype":"coffee","note":"half \ud83d"}"#).await;
    assert_eq!(answer["note"], "half \u{fffd}");
}

#[tokio::test(start_paused = true)]
async fn mcp_method_with_a_lone_surrogate_is_answered() {
    let options = Options::new().tool_server(ToolServer::new("s"));
    let request = r#"{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","id":7,"method":"half \ud83d"}}"#;
    let response = &payload_for(options, request).await["mcp_response"];
    assert_eq!(
        (&response["id"], &response["error"]["code"]),
        (&json!(7), &json!(-32601))
    );
}
