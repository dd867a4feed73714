//! Every kind of result, as the model sees it.

use std::convert::Infallible;
use std::fs;
use std::future::pending;
use std::time::Duration;

use inhouse::tool::{CallToolResult, Content, Input, Json, Tool, ToolError, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{calling, connect, saved, seen};
use crate::world;

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The bytes `sound`.
const SOUND: &str = "c291bmQ=";

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: &'static str,
    degrees: i32,
}

#[tokio::test]
async fn text_numbers_and_data_reach_the_model_unchanged() {
    world::pinned(async |world| {
        let server = ToolServer::new("s")
            .always_load()
            .tool(Tool::new("text", "Text", async || "two\nlines"))
            .tool(Tool::new("number", "A number", async || 42_u8))
            .tool(Tool::new("truth", "A truth", async || true))
            .tool(Tool::new("nothing", "Nothing", async || ()))
            .tool(Tool::new("data", "Data", async || {
                Json(Weather {
                    city: "Oslo",
                    degrees: -3,
                })
            }))
            .tool(Tool::new("list", "A list", async || Json([1, 2, 3])))
            .tool(Tool::new("several", "Texts", async || {
                vec![Content::text("one"), Content::text("two")]
            }));
        let tools = [
            "text", "number", "truth", "nothing", "data", "list", "several",
        ];
        calling(world, tools.map(|tool| (tool, json!({}))));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let seen = seen(world);
        let texts: Vec<&str> = seen.iter().map(|result| result.text.as_str()).collect();
        let expected = [
            "two\nlines",
            "42",
            "true",
            "(mcp__s__nothing completed with no output)",
            r#"{"city":"Oslo","degrees":-3}"#,
            "[1,2,3]",
            "one\ntwo",
        ];
        assert_eq!(texts, expected);
        assert!(seen.iter().all(|result| !result.is_error));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn images_audio_and_resources_reach_the_model() {
    world::pinned(async |world| {
        let one = |name: &str, content: fn() -> Content| {
            Tool::new(name, "Content", async move || content())
        };
        let server = ToolServer::new("s").always_load().tools([
            one("picture", || Content::image("image/png", PIXEL)),
            one("sound", || Content::audio("audio/wav", SOUND)),
            one("page", || Content::resource_text("doc://page", "Once upon")),
            one("blob", || {
                Content::resource_blob("doc://blob", "audio/wav", SOUND)
            }),
            one("link", || Content::resource_link("doc://link", "The link")),
        ]);
        let tools = ["picture", "sound", "page", "blob", "link"];
        calling(world, tools.map(|tool| (tool, json!({}))));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let seen = seen(world);
        assert!(seen.iter().all(|result| !result.is_error), "{seen:?}");
        let last = world.model.conversation().pop().unwrap();
        let picture = blocks(last.messages(), "toolu_0")
            .into_iter()
            .find(|block| block["type"] == "image")
            .expect("the model gets the image");
        assert_eq!(picture["source"]["media_type"], "image/png");
        assert!(picture["source"]["data"].is_string());
        assert_eq!(fs::read(saved(&seen[1].text)).unwrap(), b"sound");
        let page = "[Resource from s at doc://page] Once upon";
        assert_eq!(seen[2].text, page);
        assert_eq!(fs::read(saved(&seen[3].text)).unwrap(), b"sound");
        assert_eq!(seen[4].text, "[Resource link: The link] doc://link");
        world.model.assert_done();
    })
    .await;
}

/// Returns the content blocks of a tool result.
fn blocks(messages: &[Value], call: &str) -> Vec<Value> {
    let results = messages
        .iter()
        .filter_map(|message| message["content"].as_array())
        .flatten();
    results
        .filter(|block| block["tool_use_id"] == call)
        .filter_map(|block| block["content"].as_array())
        .flatten()
        .cloned()
        .collect()
}

#[derive(Deserialize, JsonSchema)]
struct Divide {
    a: f64,
    b: f64,
}

#[tokio::test]
async fn every_failure_reaches_the_model() {
    world::pinned(async |world| {
        let divide = async |Input(Divide { a, b }): Input<Divide>| {
            if b == 0.0 {
                return Err(ToolError::new("division by zero"));
            }
            Ok(a / b)
        };
        let server = ToolServer::new("s")
            .always_load()
            .tool(Tool::new("divide", "Divides", divide))
            .tool(Tool::new("panic", "Panics", async || -> String {
                panic!("out of cheese")
            }))
            .tool(
                Tool::new("hang", "Hangs", async || pending::<()>().await)
                    .timeout(Duration::from_millis(20)),
            )
            .tool(Tool::new("question", "Fails", async || {
                let number: u8 = "many".parse()?;
                Ok::<_, ToolError>(number)
            }))
            .tool(Tool::new("data", "Fails with data", async || {
                let mut result = CallToolResult::error("it broke");
                result.structured_content = Some(json!({"hidden": true}));
                Ok::<_, Infallible>(result)
            }));
        calling(
            world,
            [
                ("divide", json!({"a": 1, "b": 0})),
                ("divide", json!({"a": 84})),
                ("divide", json!({"a": 84, "b": "two"})),
                ("panic", json!({})),
                ("hang", json!({})),
                ("question", json!({})),
                ("data", json!({})),
                ("divide", json!({"a": 84, "b": 2})),
            ],
        );
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let seen = seen(world);
        let words = [
            "division by zero",
            "missing field `b`",
            "b",
            "the tool `panic` failed: it panicked",
            "did not finish within 20ms",
            "invalid digit",
            "it broke",
        ];
        for (result, words) in seen.iter().zip(words) {
            assert!(result.is_error, "{result:?}");
            assert!(result.text.contains(words), "{words} in {result:?}");
        }
        assert!(!seen[3].text.contains("out of cheese"), "{:?}", seen[3]);
        assert!(!seen[6].text.contains("hidden"), "{:?}", seen[6]);
        assert_eq!((seen[7].text.as_str(), seen[7].is_error), ("42", false));
        world.model.assert_done();
    })
    .await;
}
