//! Arguments and results that are large.

use std::fs;

use inhouse::tool::{Input, Tool, ToolServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{calling, connect, seen};
use crate::world;

const MIB: usize = 1 << 20;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[tokio::test]
async fn trap_11_an_argument_of_twelve_mebibytes_arrives_whole() {
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

/// A server whose tools tell a long story: one as much as the CLI likes to read, one all of it.
fn stories(characters: usize) -> ToolServer {
    let story = move || "x".repeat(characters);
    ToolServer::new("s")
        .always_load()
        .tool(Tool::new("cut", "A story", async move || story()))
        .tool(Tool::new("whole", "A story", async move || story()).max_result_size(500_000))
}

#[tokio::test]
async fn trap_24_a_long_result_is_read_whole_only_if_its_tool_says_so() {
    const LONG: usize = 150_000;
    world::pinned(async |world| {
        calling(world, [("cut", json!({})), ("whole", json!({}))]);
        let mut client = connect(world, stories(LONG)).await;

        assert_eq!(world.ask(&mut client, "Tell.").await, "Done.");

        let seen = seen(world);
        assert!(seen[0].text.len() < LONG / 10, "{}", seen[0].text.len());
        let file = seen[0]
            .text
            .split_whitespace()
            .find(|word| word.starts_with('/'));
        let file = file.unwrap_or_else(|| panic!("no file in {}", seen[0].text));
        assert!(
            fs::read_to_string(file)
                .unwrap()
                .contains(&"x".repeat(LONG))
        );
        assert!(!seen[0].is_error);
        assert_eq!(seen[1].text, "x".repeat(LONG));
    })
    .await;
}

#[tokio::test]
async fn trap_24_a_result_of_five_mebibytes_is_kept_whole_in_a_file() {
    world::pinned(async |world| {
        calling(world, [("cut", json!({}))]);
        let mut client = connect(world, stories(5 * MIB)).await;

        assert_eq!(world.ask(&mut client, "Tell.").await, "Done.");

        let seen = seen(world);
        assert!(seen[0].text.len() < 100_000, "{}", seen[0].text.len());
        let file = seen[0]
            .text
            .split_whitespace()
            .find(|word| word.starts_with('/'));
        let file = file.unwrap_or_else(|| panic!("no file in {}", seen[0].text));
        assert!(
            fs::read_to_string(file)
                .unwrap()
                .contains(&"x".repeat(5 * MIB))
        );
    })
    .await;
}
