//! Tools in the host's process, and their calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::Agent;
use super::config::{Behavior, State};
use super::interrupt::REJECTED;
use super::permission::{Denial, Permission};
use super::requests::payload;
use crate::fake::conversation::Failure;

/// The in-process servers of the host.
#[derive(Default)]
pub(super) struct Servers(Mutex<Vec<Server>>);

struct Server {
    name: String,
    info: Value,
    tools: Vec<Value>,
    /// Whether the host has reported a change of its tools.
    changed: bool,
    next_id: u64,
}

/// A tool call of the model.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
    /// Empty if there is no such tool.
    pub(super) server: String,
    tool: String,
    pub(super) is_read_only: bool,
    exists: bool,
}

/// A call with its result.
pub(super) struct Done {
    pub(super) block: Value,
    /// The members that the `user` line has besides the message.
    pub(super) extra: Vec<(&'static str, Value)>,
    /// The contexts of hooks before the call.
    pub(super) contexts: Vec<String>,
    /// The contexts of hooks after the call, which are added to its result.
    pub(super) comments: Vec<String>,
    pub(super) denial: Option<Value>,
    pub(super) interrupts: bool,
    pub(super) stops: bool,
}

impl Servers {
    /// Takes the tools from the manifests in `initialize`; a server without one is asked.
    pub(super) async fn connect(&self, agent: &Agent) -> Result<(), Failure> {
        let names = agent.config.initialize["sdkMcpServers"].as_array();
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            let manifest = &agent.config.initialize["sdkMcpServerManifests"][name];
            self.lock().push(Server {
                name: name.to_owned(),
                info: manifest["initializeResult"]["serverInfo"].clone(),
                tools: list(&manifest["toolsListResult"]["tools"]),
                changed: false,
                next_id: 2,
            });
            if manifest["toolsListResult"].is_null() {
                self.handshake(agent, name).await?;
            }
        }
        Ok(())
    }

    async fn handshake(&self, agent: &Agent, name: &str) -> Result<(), Failure> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "claude-code", "version": "2.1.325"},
        });
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let reply = agent.link.request(mcp_message(name, &hello)).await?;
        let info =
            payload(reply).unwrap_or_default()["mcp_response"]["result"]["serverInfo"].take();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        agent.link.request(mcp_message(name, &ready)).await?;
        self.with(name, |server| server.info = info);
        self.list_tools(agent, name).await
    }

    /// Lists the tools of changed servers again.
    pub(super) async fn refresh(&self, agent: &Agent) -> Result<(), Failure> {
        let changed: Vec<String> = {
            let mut servers = self.lock();
            let changed = servers.iter_mut().filter(|server| server.changed);
            changed
                .map(|server| {
                    server.changed = false;
                    server.name.clone()
                })
                .collect()
        };
        for name in changed {
            self.list_tools(agent, &name).await?;
        }
        Ok(())
    }

    async fn list_tools(&self, agent: &Agent, name: &str) -> Result<(), Failure> {
        let id = self.next_id(name);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        let reply = agent.link.request(mcp_message(name, &request)).await?;
        let tools = list(&payload(reply).unwrap_or_default()["mcp_response"]["result"]["tools"]);
        self.with(name, |server| server.tools = tools);
        Ok(())
    }

    /// Reads a message that a server has sent on its own.
    pub(super) fn notified(&self, request: &Value) {
        let name = request["server_name"].as_str().unwrap_or_default();
        if request["message"]["method"] == "notifications/tools/list_changed" {
            self.with(name, |server| server.changed = true);
        }
    }

    pub(super) fn tool_names(&self, state: &State) -> Vec<Value> {
        let mut tools = self.offered(state);
        tools.iter_mut().map(|tool| tool["name"].take()).collect()
    }

    /// Returns the tools as a request to the model has them.
    pub(super) fn offered(&self, state: &State) -> Vec<Value> {
        let servers = self.lock();
        let tools = servers.iter().flat_map(|server| {
            let tools = server.tools.iter();
            tools.map(|tool| {
                json!({
                    "name": server.full_name(tool),
                    "description": tool["description"],
                    "input_schema": tool["inputSchema"],
                })
            })
        });
        tools
            .filter(|tool| {
                let name = tool["name"].as_str().unwrap_or_default();
                !state.has_rule(Behavior::Deny, name)
            })
            .collect()
    }

    pub(super) fn summary(&self) -> Vec<Value> {
        let servers = self.lock();
        let servers = servers.iter();
        servers
            .map(|server| json!({"name": server.name, "status": "connected", "source": "sdk"}))
            .collect()
    }

    /// Returns the servers as `mcp_status` lists them.
    pub(super) fn status(&self) -> Vec<Value> {
        let servers = self.lock();
        let status = servers.iter().map(|server| {
            let tools = server.tools.iter().map(|tool| {
                let annotations = match tool["annotations"]["readOnlyHint"] == true {
                    true => json!({"readOnly": true}),
                    false => json!({}),
                };
                json!({"name": tool["name"], "annotations": annotations})
            });
            json!({
                "name": server.name,
                "status": "connected",
                "serverInfo": server.info,
                "transport": "sdk",
                "scope": "dynamic",
                "source": "sdk",
                "tools": tools.collect::<Vec<_>>(),
            })
        });
        status.collect()
    }

    /// Finds the tool of a call; a tool with a deny rule does not exist for the model.
    pub(super) fn call(&self, block: &Value, state: &State) -> Call {
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let name = string(&block["name"]).unwrap_or_default();
        let servers = self.lock();
        let found = servers.iter().find_map(|server| {
            let mut tools = server.tools.iter();
            let tool = tools.find(|tool| server.full_name(tool) == name)?;
            Some((server.name.clone(), tool.clone()))
        });
        let found = found.filter(|_| !state.has_rule(Behavior::Deny, &name));
        let exists = found.is_some();
        let (server, tool) = found.unwrap_or_default();
        Call {
            id: string(&block["id"]).unwrap_or_default(),
            input: block["input"].clone(),
            server,
            tool: string(&tool["name"]).unwrap_or_default(),
            is_read_only: tool["annotations"]["readOnlyHint"] == true,
            exists,
            name,
        }
    }

    fn next_id(&self, name: &str) -> u64 {
        self.with(name, |server| {
            server.next_id += 1;
            server.next_id - 1
        })
        .unwrap_or_default()
    }

    fn with<T>(&self, name: &str, change: impl FnOnce(&mut Server) -> T) -> Option<T> {
        let mut servers = self.lock();
        let server = servers.iter_mut().find(|server| server.name == name)?;
        Some(change(server))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Server>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    fn full_name(&self, tool: &Value) -> String {
        format!(
            "mcp__{}__{}",
            self.name,
            tool["name"].as_str().unwrap_or_default()
        )
    }
}

impl Call {
    /// Returns the name of the tool in words; the CLI does not use its title.
    pub(super) fn display_name(&self) -> String {
        let (_, tool) = self.name.rsplit_once("__").unwrap_or_default();
        let words = tool.split('_').map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(chars).collect::<String>()
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns what the message of the model says about the call of an MCP tool besides its block.
    pub(super) fn meta(&self) -> Option<Value> {
        self.name.starts_with("mcp__").then(|| {
            let mut meta = json!({"id": self.id, "display_name": self.display_name()});
            if self.exists {
                meta["server_display_name"] = self.server.as_str().into();
                meta["tool_name"] = self.tool.as_str().into();
            }
            json!([meta])
        })
    }

    fn hook_members(&self, input: &Value) -> Value {
        json!({
            "tool_name": self.name,
            "tool_input": input,
            "tool_use_id": self.id,
            "mcp_server": {"name": self.server, "source": "sdk"},
        })
    }

    fn failed(&self, text: &str) -> Value {
        json!({"type": "tool_result", "content": text, "is_error": true, "tool_use_id": self.id})
    }
}

impl Agent {
    /// Runs a tool call: hooks, permission, the tool, hooks.
    pub(super) async fn call(self: Arc<Self>, call: Call) -> Result<Done, Failure> {
        if !call.exists {
            return no_such_tool(&call);
        }
        let (name, id) = (Some(call.name.as_str()), Some(call.id.as_str()));
        let members = call.hook_members(&call.input);
        let before = self.call_hooks("PreToolUse", name, members, id).await?;
        let (input, decision) = match self.permission(&call, &before).await? {
            Permission::Allowed { input, decision } => (input, decision),
            Permission::Denied(denial) => return self.denied(&call, denial).await,
        };
        let (content, result, is_error) = self.run(&call, &input).await?;
        let mut members = call.hook_members(&input);
        members["duration_ms"] = json!(1);
        let event = match is_error {
            true => {
                members["error"] = content.clone();
                members["is_interrupt"] = json!(false);
                "PostToolUseFailure"
            }
            false => {
                members["tool_response"] = result.clone();
                "PostToolUse"
            }
        };
        let after = self.call_hooks(event, name, members, id).await?;
        let mut block = json!({
            "type": "tool_result", "content": content, "tool_use_id": call.id,
        });
        if is_error {
            block["is_error"] = json!(true);
        }
        let context = |event: &str, context: &String| {
            format!("{event}:{} hook additional context: {context}", call.name)
        };
        let contexts = before.contexts();
        let contexts = contexts.iter().map(|text| context("PreToolUse", text));
        let comments = after.contexts();
        let comments = comments.iter().map(|text| context(event, text));
        let blocked = after.block().map(|reason| {
            let name = &call.name;
            format!("{event}:{name} hook blocking error from command: \"callback\": {reason}")
        });
        Ok(Done {
            block,
            extra: vec![
                ("tool_use_result", result),
                (
                    "tool_result_meta",
                    json!([{"id": call.id, "permission_decision": decision}]),
                ),
            ],
            contexts: contexts.collect(),
            comments: comments.chain(blocked).collect(),
            denial: None,
            interrupts: false,
            stops: before.stops() || after.stops(),
        })
    }

    async fn denied(&self, call: &Call, denial: Denial) -> Result<Done, Failure> {
        if denial.announced {
            let mut line = json!({
                "type": "system",
                "subtype": "permission_denied",
                "tool_name": call.name,
                "tool_use_id": call.id,
                "message": denial.message,
            });
            if let Some(reason) = denial.decision.get("reason_type") {
                line["decision_reason_type"] = reason.clone();
            }
            self.send(line).await?;
        }
        let mut meta = json!({
            "id": call.id,
            "non_execution_kind": denial.kind,
            "permission_decision": denial.decision,
        });
        let (text, result) = match denial.interrupts {
            true => {
                meta = json!({"id": call.id, "non_execution_kind": "user-rejected"});
                (REJECTED.to_owned(), "User rejected tool use".to_owned())
            }
            false => (denial.message.clone(), format!("Error: {}", denial.message)),
        };
        Ok(Done {
            block: call.failed(&text),
            extra: vec![
                ("tool_use_result", result.into()),
                ("tool_result_meta", json!([meta])),
            ],
            contexts: Vec::new(),
            comments: Vec::new(),
            denial: Some(json!({
                "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input,
            })),
            interrupts: denial.interrupts,
            stops: false,
        })
    }

    /// Calls the tool; returns the content for the model, the result for the application, and whether it failed.
    async fn run(&self, call: &Call, input: &Value) -> Result<(Value, Value, bool), Failure> {
        let id = self.servers.next_id(&call.server);
        let message = json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {
                "name": call.tool,
                "arguments": input,
                "_meta": {"claudecode/toolUseId": call.id, "progressToken": id},
            },
        });
        let cancel = json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "AbortError: remote-cancel"},
        });
        let request = mcp_message(&call.server, &message);
        let cancel = mcp_message(&call.server, &cancel);
        let answer = self.link.cancellable_request(request, cancel).await?;
        let failed = |text: String| {
            let result = format!("Error: {text}").into();
            (text.into(), result, true)
        };
        let response = match payload(answer) {
            Ok(mut answer) => answer["mcp_response"].take(),
            Err(error) => return Ok(failed(error)),
        };
        if let Some(error) = response["error"]["message"].as_str() {
            return Ok(failed(error.to_owned()));
        }
        let result = &response["result"];
        if result["isError"] == true {
            let texts = result["content"].as_array().into_iter().flatten();
            let texts: Vec<_> = texts.filter_map(|block| block["text"].as_str()).collect();
            return Ok(failed(texts.join("\n")));
        }
        if let Some(data) = result
            .get("structuredContent")
            .filter(|data| !data.is_null())
        {
            let text = data.to_string();
            let result = json!({"content": text, "structuredContent": data});
            return Ok((text.into(), result, false));
        }
        let data = result["content"].clone();
        let content = match result["content"].as_array() {
            Some(blocks) if blocks.is_empty() => {
                format!("({} completed with no output)", call.name).into()
            }
            _ => data.clone(),
        };
        Ok((content, data, false))
    }
}

/// Returns the result of a call of a tool that does not exist.
///
/// # Errors
/// If it exists in a real CLI.
fn no_such_tool(call: &Call) -> Result<Done, Failure> {
    let name = &call.name;
    if BUILT_IN.contains(&name.as_str()) {
        return Err(Failure::new(format!(
            "the model calls the built-in tool `{name}`, which only the real CLI has; use `Scenario::real`"
        )));
    }
    let error = format!("Error: No such tool available: {name}");
    Ok(Done {
        block: call.failed(&format!("<tool_use_error>{error}</tool_use_error>")),
        extra: vec![("tool_use_result", error.into())],
        contexts: Vec::new(),
        comments: Vec::new(),
        denial: None,
        interrupts: false,
        stops: false,
    })
}

const BUILT_IN: [&str; 24] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "ListMcpResourcesTool",
    "Monitor",
    "NotebookEdit",
    "Read",
    "ReadMcpResourceTool",
    "Skill",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskStop",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

fn mcp_message(server: &str, message: &Value) -> Value {
    json!({"subtype": "mcp_message", "server_name": server, "message": message})
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
