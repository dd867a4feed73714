//! The lines of a run as a conversation that a person can read.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recording::{Side, Tape, TapeStep};

/// The number of characters shown of a text.
const SHOWN: usize = 200;

/// Formats the conversation, one event per line.
pub(super) fn render(tape: &Tape) -> String {
    let mut report = Report::default();
    for step in tape.steps() {
        let TapeStep::Line { by, line } = step else {
            continue;
        };
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        match by {
            Side::Host => report.host(&line),
            Side::Cli => report.cli(&line),
        }
    }
    if report.events.is_empty() {
        return "  nothing was said\n".to_owned();
    }
    report
        .events
        .iter()
        .map(|event| format!("  {event}\n"))
        .collect()
}

/// Returns the lines of one side as JSON.
pub(super) fn values(tape: &Tape, of: Side) -> impl Iterator<Item = Value> {
    tape.lines(of)
        .filter_map(|line| serde_json::from_str(line).ok())
}

/// Returns the content blocks of a message.
pub(super) fn blocks(line: &Value) -> &[Value] {
    let content = line["message"]["content"].as_array();
    content.map_or(&[], Vec::as_slice)
}

/// Returns the text of a content, which is a string or a list of blocks.
pub(super) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

pub(super) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[derive(Default)]
struct Report {
    events: Vec<String>,
    /// The names of the called tools, by the ids of the calls.
    tools: BTreeMap<String, String>,
    /// The open requests of the CLI, by their ids.
    asked: BTreeMap<String, String>,
}

impl Report {
    fn add(&mut self, event: &str, detail: &str) {
        self.events.push(format!("{event}: {}", shorten(detail)));
    }

    fn host(&mut self, line: &Value) {
        match line["type"].as_str() {
            Some("user") => self.add("prompt", &text(&line["message"]["content"])),
            Some("control_request") if line["request"]["subtype"] != "initialize" => {
                self.add("request of the host", &line["request"].to_string());
            }
            Some("control_response") => {
                let response = &line["response"];
                if let Some(asked) = self.asked.remove(&string(&response["request_id"])) {
                    let answer = match response["error"].as_str() {
                        Some(error) => format!("error: {error}"),
                        None => response["response"].to_string(),
                    };
                    self.add(&format!("answer about {asked}"), &answer);
                }
            }
            _ => {}
        }
    }

    fn cli(&mut self, line: &Value) {
        match line["type"].as_str() {
            Some("assistant") => {
                for block in blocks(line) {
                    self.block(block);
                }
            }
            Some("user") => {
                for block in blocks(line) {
                    self.user_block(block);
                }
            }
            Some("control_request") => self.request(line),
            Some("result") => {
                let outcome = match (&line["result"], &line["errors"]) {
                    (Value::String(text), _) => text.clone(),
                    (_, errors) => errors.to_string(),
                };
                self.add(&format!("result {}", string(&line["subtype"])), &outcome);
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &Value) {
        match block["type"].as_str() {
            Some("text") => self.add("model", &string(&block["text"])),
            Some("thinking") => self.add("model thinks", &string(&block["thinking"])),
            Some("tool_use") => {
                let name = string(&block["name"]);
                self.tools.insert(string(&block["id"]), name.clone());
                self.add(&format!("model calls {name}"), &block["input"].to_string());
            }
            _ => self.add("model", &block.to_string()),
        }
    }

    fn user_block(&mut self, block: &Value) {
        if block["type"] != "tool_result" {
            self.add(
                "the CLI to the model",
                &text(&Value::Array(vec![block.clone()])),
            );
            return;
        }
        let tool = self.tools.get(&string(&block["tool_use_id"]));
        let tool = tool.map_or("an unknown tool", String::as_str);
        let event = match block["is_error"].as_bool() {
            Some(true) => format!("error of {tool}"),
            _ => format!("result of {tool}"),
        };
        self.add(&event, &text(&block["content"]));
    }

    fn request(&mut self, line: &Value) {
        let request = &line["request"];
        let asked = match request["subtype"].as_str() {
            Some("can_use_tool") => format!("permission for {}", string(&request["tool_name"])),
            Some("hook_callback") => {
                format!("hook {}", string(&request["input"]["hook_event_name"]))
            }
            // Calls and results are in the messages.
            _ => return,
        };
        self.events.push(format!("{asked} requested"));
        self.asked.insert(string(&line["request_id"]), asked);
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
