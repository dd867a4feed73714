use std::collections::HashSet;

use inhouse::message::{
    ApiEvent, AssistantMessage, Message, ResultMessage, StreamEvent, TerminalReason, UserMessage,
};
use serde_json::{Map, Value};

use crate::terminal::Terminal;

/// Tools that are shown as a question or a plan instead.
const QUESTION_TOOLS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// Shows the messages of a conversation as they arrive.
pub(crate) struct Transcript {
    terminal: Terminal,
    session: Option<String>,
    /// Ids of API messages whose text was streamed, and must not be shown again.
    streamed: HashSet<String>,
}

impl Transcript {
    pub(crate) fn new(terminal: Terminal) -> Self {
        Self {
            terminal,
            session: None,
            streamed: HashSet::new(),
        }
    }

    /// Returns the session id of the last message.
    pub(crate) fn session(self) -> Option<String> {
        self.session
    }

    pub(crate) fn show(&mut self, message: Message) {
        if let Some(session) = message.session_id() {
            self.session = Some(session.to_owned());
        }
        match &message {
            Message::StreamEvent(event) if event.parent_tool_use_id.is_none() => {
                self.show_stream_event(event);
            }
            Message::Assistant(message) => self.show_assistant(message),
            Message::User(message) => self.show_tool_results(message),
            Message::Result(result) => self.show_result(result),
            _ => {}
        }
    }

    fn show_stream_event(&mut self, event: &StreamEvent) {
        match &event.event {
            ApiEvent::MessageStart(start) => self.streamed.extend(start.message.id.clone()),
            ApiEvent::ContentBlockStop(_) => self.terminal.end_text(),
            _ => {}
        }
        if let Some(text) = event.text_delta() {
            self.terminal.text(text);
        }
    }

    fn show_assistant(&mut self, message: &AssistantMessage) {
        let id = message.message.id.as_ref();
        let is_new = id.is_none_or(|id| !self.streamed.contains(id));
        let text = message.text();
        if is_new && message.parent_tool_use_id.is_none() && !text.is_empty() {
            self.terminal.line(&text);
        }
        let prefix = if message.parent_tool_use_id.is_some() {
            "↳ "
        } else {
            ""
        };
        let calls = message.tool_uses();
        for call in calls.filter(|call| !QUESTION_TOOLS.contains(&call.name.as_str())) {
            let input = call.input.as_object().map(summary).unwrap_or_default();
            let label = format!("{prefix}{} {input}", tool_name(&call.name));
            self.terminal.tool_begins(&call.id, &label);
        }
    }

    fn show_tool_results(&mut self, message: &UserMessage) {
        for result in message.tool_results() {
            let text = result.text();
            let failed = result.is_error == Some(true);
            self.terminal.tool_ends(&result.tool_use_id, failed, &text);
        }
    }

    fn show_result(&mut self, result: &ResultMessage) {
        self.terminal.end_text();
        let aborted = [
            TerminalReason::AbortedStreaming,
            TerminalReason::AbortedTools,
        ];
        let reason = result.terminal_reason.as_ref();
        match result.failure() {
            Some(_) if reason.is_some_and(|reason| aborted.contains(reason)) => {
                self.terminal.note("interrupted");
            }
            Some(failure) => self.terminal.problem(&failure),
            None => {}
        }
    }
}

/// Returns a readable tool name: `calc add` for `mcp__calc__add`.
pub(crate) fn tool_name(name: &str) -> String {
    match name.strip_prefix("mcp__") {
        Some(name) => name.replace("__", " "),
        None => name.to_owned(),
    }
}

/// Returns the most informative argument of a tool call, or all of them.
fn summary(input: &Map<String, Value>) -> String {
    const INFORMATIVE: [&str; 6] = [
        "command",
        "file_path",
        "pattern",
        "url",
        "query",
        "description",
    ];
    let mut values = INFORMATIVE
        .iter()
        .filter_map(|&name| input.get(name)?.as_str());
    match values.next() {
        Some(text) => text.to_owned(),
        None if input.is_empty() => String::new(),
        None => Value::Object(input.clone()).to_string(),
    }
}
