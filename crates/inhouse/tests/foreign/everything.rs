//! An `rmcp` server with every feature that the conformance suite checks.

// Logging, sampling and subscriptions are deprecated since 2026-07-28; older clients use them.
#![expect(deprecated)]

use std::borrow::Cow;

use inhouse::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, CustomRequest, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, Prompt,
    PromptArgument, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
    ServerConfig, ServerRequest, SetLevelRequestParams, SubscribeRequestParams, Tool,
    UnsubscribeRequestParams,
};
use inhouse::rmcp::service::{RequestContext, ServiceError};
use inhouse::rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use crate::client_tools::{defaults, enums};
use crate::tools::{PNG, WAV, header_schema, schema_2020_12};

#[derive(Clone, Copy)]
pub(crate) struct Everything;

type Context = RequestContext<RoleServer>;

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("everything", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    /// Lets the HTTP service check the headers that mirror arguments.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = call(&request.name, &arguments, &context).await?;
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |name: &str, mime_type: &str| {
            Resource::new(format!("test://{name}"), name)
                .with_description("A resource for testing")
                .with_mime_type(mime_type)
        };
        Ok(ListResourcesResult::with_all_items(vec![
            resource("static-text", "text/plain"),
            resource("static-binary", "image/png"),
            resource("watched-resource", "text/plain"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template")
            .with_description("Data of an id")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let text = |text: &str| ResourceContents::text(text, &*uri).with_mime_type("text/plain");
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let contents = match &*uri {
            "test://static-text" => text("This is the content of the static text resource."),
            "test://watched-resource" => text("This is the content of the watched resource."),
            "test://static-binary" => {
                ResourceContents::blob(PNG, &*uri).with_mime_type("image/png")
            }
            _ => match id {
                Some(id) => {
                    let data = format!("Data for ID: {id}");
                    let data = json!({"id": id, "templateTest": true, "data": data});
                    ResourceContents::text(data.to_string(), &*uri)
                        .with_mime_type("application/json")
                }
                None => {
                    let data = json!({"uri": uri});
                    return Err(ErrorData::resource_not_found(
                        "no such resource",
                        Some(data),
                    ));
                }
            },
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str, arguments: &[&str]| {
            let arguments = arguments
                .iter()
                .map(|argument| {
                    PromptArgument::new(*argument)
                        .with_description("An argument for testing")
                        .with_required(true)
                })
                .collect();
            Prompt::new(name, Some("A prompt for testing"), Some(arguments))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = json!(request.arguments.unwrap_or_default());
        let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let text = |text: &str| ContentBlock::text(text);
        let content = match &*request.name {
            "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => vec![text(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))],
            "test_prompt_with_embedded_resource" => {
                let content = "Embedded resource content for testing.";
                let resource = ResourceContents::text(content, argument("resourceUri"))
                    .with_mime_type("text/plain");
                vec![
                    ContentBlock::resource(resource),
                    text("Please process the embedded resource above."),
                ]
            }
            "test_prompt_with_image" => vec![
                ContentBlock::image(PNG, "image/png"),
                text("Please analyze the image above."),
            ],
            _ => return Err(ErrorData::invalid_params("no such prompt", None)),
        };
        let messages = content
            .into_iter()
            .map(|content| PromptMessage::new(Role::User, content))
            .collect();
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let mut values = ["paris", "park", "party"].map(str::to_owned).to_vec();
        values.retain(|value| value.starts_with(&request.argument.value));
        let completion = CompletionInfo::with_all_values(values);
        let completion = completion.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }
}

fn tools() -> Vec<Tool> {
    let without_arguments = || json!({"type": "object", "properties": {}});
    let with_text = |name: &str| {
        let properties = json!({name: {"type": "string"}});
        json!({"type": "object", "properties": properties, "required": [name]})
    };
    let tools = [
        ("test_simple_text", without_arguments()),
        ("test_image_content", without_arguments()),
        ("test_audio_content", without_arguments()),
        ("test_embedded_resource", without_arguments()),
        ("test_multiple_content_types", without_arguments()),
        ("test_tool_with_logging", without_arguments()),
        ("test_error_handling", without_arguments()),
        ("test_tool_with_progress", without_arguments()),
        ("test_reconnection", without_arguments()),
        ("test_sampling", with_text("prompt")),
        ("test_elicitation", with_text("message")),
        ("test_elicitation_sep1034_defaults", without_arguments()),
        ("test_elicitation_sep1330_enums", without_arguments()),
        ("json_schema_2020_12_tool", schema_2020_12()),
        ("test_x_mcp_header", header_schema()),
    ];
    tools
        .into_iter()
        .map(|(name, schema)| {
            let schema = schema.as_object().cloned().expect("schemas are objects");
            Tool::new(name, "A tool for testing", schema)
        })
        .collect()
}

async fn call(
    tool: &str,
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<CallToolResult, ErrorData> {
    let text = |text: &str| vec![ContentBlock::text(text)];
    let resource = |uri: &str, mime_type: &str, text: &str| {
        ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
    };
    let content = match tool {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            vec![resource("test://embedded-resource", "text/plain", text)]
        }
        "test_multiple_content_types" => {
            let data = json!({"test": "data", "value": 123}).to_string();
            let uri = "test://mixed-content-resource";
            vec![
                ContentBlock::text("Multiple content types test:"),
                ContentBlock::image(PNG, "image/png"),
                resource(uri, "application/json", &data),
            ]
        }
        "test_error_handling" => {
            let why = "This tool intentionally returns an error for testing";
            return Ok(CallToolResult::error(text(why)));
        }
        "test_tool_with_logging" => {
            for step in ["started", "processing data", "completed"] {
                let message = json!(format!("Tool execution {step}"));
                let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, message);
                let sent = context.peer.notify_logging_message(message).await;
                sent.map_err(|error| failed(&error))?;
            }
            text("Logging test completed")
        }
        "test_tool_with_progress" => {
            let token = context.meta.get_progress_token();
            for done in [0.0, 50.0, 100.0] {
                if let Some(token) = token.clone() {
                    let report = ProgressNotificationParam::new(token, done).with_total(100.0);
                    let sent = context.peer.notify_progress(report).await;
                    sent.map_err(|error| failed(&error))?;
                }
            }
            text("Progress test completed")
        }
        "test_sampling" => {
            let prompt = json!({"type": "text", "text": arguments["prompt"]});
            let messages = json!([{"role": "user", "content": prompt}]);
            let request = json!({"messages": messages, "maxTokens": 100});
            let answer = ask(context, "sampling/createMessage", request).await?;
            text(&format!("LLM response: {}", answer["content"]["text"]))
        }
        "test_elicitation" => {
            let properties = json!({
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            });
            let message = arguments["message"].as_str().unwrap_or_default();
            let required = json!(["username", "email"]);
            let answer = elicit(context, message, properties, required).await?;
            text(&format!("User response: {answer}"))
        }
        "test_elicitation_sep1034_defaults" => {
            let answer = elicit(context, "Defaults", defaults(), json!([])).await?;
            text(&format!("Elicitation completed: {answer}"))
        }
        "test_elicitation_sep1330_enums" => {
            let answer = elicit(context, "Choices", enums(), json!([])).await?;
            text(&format!("Elicitation completed: {answer}"))
        }
        "test_reconnection" | "json_schema_2020_12_tool" | "test_x_mcp_header" => text("done"),
        _ => return Err(ErrorData::invalid_params("no such tool", None)),
    };
    Ok(CallToolResult::success(content))
}

async fn elicit(
    context: &Context,
    message: &str,
    properties: Value,
    required: Value,
) -> Result<Value, ErrorData> {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let request = json!({"message": message, "requestedSchema": schema});
    ask(context, "elicitation/create", request).await
}

/// Sends a request to the client and returns its result.
async fn ask(context: &Context, method: &'static str, params: Value) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| failed(&error))?;
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn failed(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(Cow::Owned(error.to_string()), None)
}
