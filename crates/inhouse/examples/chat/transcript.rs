use std::collections::HashSet;

use inhouse::message::{
    ApiEvent, AssistantMessage, Message, ResultMessage, StreamEvent, TerminalReason, UserMessage,
};
use serde_json::{Map, Value};

use crate::terminal::Terminal;

/// Tools that ask a person, who has seen the question then.
const QUESTIONS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// Shows the messages of a conversation as they come.
pub(crate) struct Transcript {
    terminal: Terminal,
    session: Option<String>,
    /// The API's messages whose text came in pieces, and must not be shown again as a whole.
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

    /// The session that was last spoken of.
    pub(crate) fn session(self) -> Option<String> {
        self.session
    }

    pub(crate) fn show(&mut self, message: Message) {
        if let Some(session) = message.session_id() {
            self.session = Some(session.to_owned());
        }
        match &message {
            Message::StreamEvent(event) if event.parent_tool_use_id.is_none() => self.grow(event),
            Message::Assistant(message) => self.said(message),
            Message::User(message) => self.returned(message),
            Message::Result(result) => self.ended(result),
            _ => {}
        }
    }

    fn grow(&mut self, event: &StreamEvent) {
        match &event.event {
            ApiEvent::MessageStart(start) => self.streamed.extend(start.message.id.clone()),
            ApiEvent::ContentBlockStop(_) => self.terminal.end_text(),
            _ => {}
        }
        if let Some(text) = event.text_delta() {
            self.terminal.text(text);
        }
    }

    fn said(&mut self, message: &AssistantMessage) {
        let id = message.message.id.as_ref();
        let is_new = id.is_none_or(|id| !self.streamed.contains(id));
        let text = message.text();
        if is_new && message.parent_tool_use_id.is_none() && !text.is_empty() {
            self.terminal.line(&text);
        }
        let of_subagent = if message.parent_tool_use_id.is_some() {
            "↳ "
        } else {
            ""
        };
        let calls = message.tool_uses();
        for call in calls.filter(|call| !QUESTIONS.contains(&call.name.as_str())) {
            let what = call.input.as_object().map(summary).unwrap_or_default();
            let label = format!("{of_subagent}{} {what}", tool_name(&call.name));
            self.terminal.tool_begins(&call.id, &label);
        }
    }

    fn returned(&mut self, message: &UserMessage) {
        for result in message.tool_results() {
            let text = result.text();
            let failed = result.is_error == Some(true);
            self.terminal.tool_ends(&result.tool_use_id, failed, &text);
        }
    }

    fn ended(&mut self, result: &ResultMessage) {
        self.terminal.end_text();
        let stopped = [
            TerminalReason::AbortedStreaming,
            TerminalReason::AbortedTools,
        ];
        let reason = result.terminal_reason.as_ref();
        match result.failure() {
            Some(_) if reason.is_some_and(|reason| stopped.contains(reason)) => {
                self.terminal.note("interrupted");
            }
            Some(failure) => self.terminal.problem(&failure),
            None => {}
        }
    }
}

/// A tool as people call it: `todo add` for `mcp__todo__add`.
pub(crate) fn tool_name(name: &str) -> String {
    match name.strip_prefix("mcp__") {
        Some(name) => name.replace("__", " "),
        None => name.to_owned(),
    }
}

/// What a tool call is about: its most telling argument, or all of them.
fn summary(input: &Map<String, Value>) -> String {
    const TELLING: [&str; 6] = [
        "command",
        "file_path",
        "pattern",
        "url",
        "query",
        "description",
    ];
    let mut telling = TELLING.iter().filter_map(|&name| input.get(name)?.as_str());
    match telling.next() {
        Some(text) => text.to_owned(),
        None if input.is_empty() => String::new(),
        None => Value::Object(input.clone()).to_string(),
    }
}
