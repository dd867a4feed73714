//! The tools of the conformance suite that log, and that send requests to the client.

use inhouse::tool::{Elicited, Input, LogLevel, McpClient, SamplingRequest, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

type Outcome = Result<String, ToolError>;

pub(crate) fn tools() -> Vec<Tool> {
    let mut tools = with_handshake();
    tools.extend(stateless());
    tools
}

/// The tools of every version.
fn with_handshake() -> Vec<Tool> {
    let log = async |client: McpClient| {
        for step in ["started", "processing data", "completed"] {
            client.log(LogLevel::Info, format!("Tool execution {step}"));
        }
        "Logging test completed"
    };
    let sample = async |Input(Prompt { prompt }): Input<Prompt>, client: McpClient| -> Outcome {
        let answer = client.sample(&SamplingRequest::new(prompt, 100)).await?;
        Ok(format!("LLM response: {}", answer.all_text()))
    };
    let elicit = async |Input(Message { message }): Input<Message>, client: McpClient| -> Outcome {
        let properties = json!({
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        });
        let answer = ask(&client, &message, properties, json!(["username", "email"])).await?;
        Ok(format!("User response: {answer}"))
    };
    let elicit_defaults = async |client: McpClient| -> Outcome {
        let answer = ask(&client, "Defaults", defaults(), json!([])).await?;
        Ok(format!("Elicitation completed: {answer}"))
    };
    let elicit_enums = async |client: McpClient| -> Outcome {
        let answer = ask(&client, "Choices", enums(), json!([])).await?;
        Ok(format!("Elicitation completed: {answer}"))
    };
    let defaults = "test_elicitation_sep1034_defaults";
    vec![
        Tool::new("test_tool_with_logging", "Logs", log),
        Tool::new("test_logging_tool", "Logs", log),
        Tool::new("test_sampling", "Asks the client's model", sample),
        Tool::new("test_elicitation", "Asks the user", elicit),
        Tool::new(defaults, "Asks with defaults", elicit_defaults),
        Tool::new("test_elicitation_sep1330_enums", "Asks", elicit_enums),
    ]
}

/// The tools of 2026-07-28, whose requests are `input_required` results.
fn stateless() -> Vec<Tool> {
    let hello = async |client: McpClient| -> Outcome {
        let answer = client.elicit("What is your name?").await?.accepted();
        let Name { name } = answer.ok_or("no name")?;
        Ok(format!("Hello, {name}!"))
    };
    let capital = async |client: McpClient| -> Outcome {
        let request = SamplingRequest::new("What is the capital of France?", 100);
        Ok(client.sample(&request).await?.all_text())
    };
    let confirm = async |client: McpClient| -> Outcome {
        let answer = client.elicit("Please confirm").await?.accepted();
        let Confirmation { ok } = answer.ok_or("not confirmed")?;
        Ok(format!("state-ok: {ok}"))
    };
    let several = async |client: McpClient| -> Outcome {
        let request = SamplingRequest::new("Generate a greeting", 50);
        let (name, greeting) = tokio::join!(
            client.elicit::<Name>("What is your name?"),
            client.sample(&request)
        );
        let Name { name } = name?.accepted().ok_or("no name")?;
        Ok(format!("{} {name}", greeting?.all_text()))
    };
    let rounds = async |client: McpClient| -> Outcome {
        let name = client.elicit("Step 1: What is your name?").await?;
        let Name { name } = name.accepted().ok_or("no name")?;
        let color = client
            .elicit("Step 2: What is your favorite color?")
            .await?;
        let Color { color } = color.accepted().ok_or("no color")?;
        Ok(format!("{name} likes {color}"))
    };
    // Asks for what the client supports.
    let capabilities = async |client: McpClient| -> Outcome {
        if let Ok(name) = client.elicit::<Name>("What is your name?").await {
            return Ok(name.accepted().ok_or("no name")?.name);
        }
        let request = SamplingRequest::new("Generate a greeting", 50);
        Ok(client.sample(&request).await?.all_text())
    };
    let describe = "Asks the client";
    [
        Tool::new("test_input_required_result_elicitation", describe, hello),
        Tool::new("test_streaming_elicitation", describe, hello),
        Tool::new("test_input_required_result_sampling", describe, capital),
        Tool::new("test_missing_capability", describe, capital),
        Tool::new(
            "test_input_required_result_request_state",
            describe,
            confirm,
        ),
        Tool::new(
            "test_input_required_result_tampered_state",
            describe,
            confirm,
        ),
        Tool::new(
            "test_input_required_result_multiple_inputs",
            describe,
            several,
        ),
        Tool::new("test_input_required_result_multi_round", describe, rounds),
        Tool::new(
            "test_input_required_result_capabilities",
            describe,
            capabilities,
        ),
    ]
    .into()
}

/// Asks the user, and returns the whole answer as JSON.
async fn ask(
    client: &McpClient,
    message: &str,
    properties: Value,
    required: Value,
) -> Result<Value, ToolError> {
    let form = json!({"type": "object", "properties": properties, "required": required});
    Ok(match client.elicit_with_schema(message, form).await? {
        Elicited::Accepted(content) => json!({"action": "accept", "content": content}),
        Elicited::Declined => json!({"action": "decline"}),
        Elicited::Cancelled => json!({"action": "cancel"}),
    })
}

/// Returns the fields of a form with a default for each type.
pub(crate) fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": true},
    })
}

/// Returns the fields of a form with each kind of choice.
pub(crate) fn enums() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        {"const": "value1", "title": "First"},
        {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"},
    ]);
    json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}
