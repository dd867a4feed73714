//! Structured output.

use inhouse::message::ResultSubtype;
use inhouse::{ErrorKind, query};
use inhouse_testkit::Turn;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world;

/// The tool with which the model returns structured output.
pub(crate) const OUTPUT_TOOL: &str = "StructuredOutput";

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
pub(crate) struct Sum {
    /// The sum of the numbers.
    pub(crate) total: u32,
    pub(crate) addends: Vec<u32>,
    pub(crate) remark: Option<String>,
}

#[tokio::test]
async fn structured_output_fits_the_requested_type() {
    world::pinned(async |world| {
        let output = json!({"total": 42, "addends": [15, 27]});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", OUTPUT_TOOL, output))
            .otherwise(|_| "Done.");

        let options = world.options().output::<Sum>();
        let stream = query("What is 15 + 27?").options(options).await.unwrap();
        let sum: Sum = stream.json().await.unwrap();

        let expected = Sum {
            total: 42,
            addends: vec![15, 27],
            remark: None,
        };
        assert_eq!(sum, expected);
        let request = world.next_request().await;
        let tools = request.body()["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == OUTPUT_TOOL);
        let schema = &tool.unwrap()["input_schema"];
        assert_eq!(schema["required"], json!(["total", "addends"]));
        assert_eq!(
            schema["properties"]["total"]["description"],
            "The sum of the numbers."
        );
    })
    .await;
}

#[tokio::test]
async fn output_that_never_fits_the_schema_fails_the_turn() {
    world::pinned(async |world| {
        let call = std::sync::atomic::AtomicU32::new(0);
        world.model.otherwise(move |_| {
            let call = call.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let wrong = json!({"total": "forty-two"});
            Turn::new().tool_use_with_id(format!("toolu_{call}"), OUTPUT_TOOL, wrong)
        });

        let options = world.options().output::<Sum>();
        let stream = query("What is 15 + 27?").options(options).await.unwrap();
        let error = stream.json::<Value>().await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(
            error.result().unwrap().subtype,
            ResultSubtype::ErrorMaxStructuredOutputRetries
        );
        let last = world.model.conversation().pop().unwrap();
        let complaints = last.tool_results();
        assert!(!complaints.is_empty());
        assert!(complaints.iter().all(|complaint| complaint.is_error));
    })
    .await;
}
