//! Large arguments and results.

use std::fs;

use inhouse::tool::{Input, Tool, ToolServer};
use inhouse_testkit::model::ToolResult;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{calling, connect, saved, seen};
use crate::world;

const MIB: usize = 1 << 20;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[tokio::test]
async fn promise_11_argument_of_12_mib_is_delivered() {
    world::pinned(async |world| {
        let text = "0123456789abcdef".repeat(12 * MIB / 16);
        calling(world, [("measure", json!({"text": text}))]);
        let measure = async |Input(Text { text }): Input<Text>| {
            let whole = text
                .as_bytes()
                .chunks(16)
                .all(|part| part == b"0123456789abcdef");
            format!("{} {whole}", text.len())
        };
        let server = ToolServer::new("s").always_load().tool(Tool::new(
            "measure",
            "Measures a text",
            measure,
        ));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Measure.").await, "Done.");

        assert_eq!(seen(world)[0].text, format!("{} true", 12 * MIB));
    })
    .await;
}

/// A server with long results: one tool under the CLI's limit, one with a raised limit.
fn stories(story: &str) -> ToolServer {
    let [cut, whole] = [story; 2].map(|story| {
        let story = story.to_owned();
        async move || story.clone()
    });
    ToolServer::new("s")
        .always_load()
        .tool(Tool::new("cut", "A story", cut))
        .tool(Tool::new("whole", "A story", whole).max_result_size(500_000))
}

/// Expects that the model got only the path of a long result, and perhaps its start.
fn assert_saved(result: &ToolResult, story: &str, begins: bool) {
    assert!(!result.is_error, "{}", result.text);
    assert!(result.text.len() < 10_000, "{}", result.text);
    assert_eq!(result.text.contains("Once upon"), begins, "{}", result.text);
    let kept = fs::read_to_string(saved(&result.text)).expect("the file exists");
    assert!(kept.contains(story), "{} bytes are kept", kept.len());
}

#[tokio::test]
async fn promise_24_long_result_is_complete_only_if_its_tool_says_so() {
    world::pinned(async |world| {
        let story = "Once upon a time!\n".repeat(150_000 / 18);
        calling(world, [("cut", json!({})), ("whole", json!({}))]);
        let mut client = connect(world, stories(&story)).await;

        assert_eq!(world.ask(&mut client, "Tell.").await, "Done.");

        let seen = seen(world);
        assert_saved(&seen[0], story.trim_end(), false);
        assert_eq!(seen[1].text.trim_end(), story.trim_end());
    })
    .await;
}

#[tokio::test]
async fn promise_24_result_of_5_mib_is_saved_to_a_file() {
    world::pinned(async |world| {
        let story = "Once upon a time".repeat(5 * MIB / 16);
        calling(world, [("cut", json!({})), ("whole", json!({}))]);
        let mut client = connect(world, stories(&story)).await;

        assert_eq!(world.ask(&mut client, "Tell.").await, "Done.");

        let seen = seen(world);
        assert_saved(&seen[0], &story, false);
        // Longer than the raised limit of this tool.
        assert_saved(&seen[1], &story, true);
    })
    .await;
}
