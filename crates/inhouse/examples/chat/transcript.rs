use std::collections::{HashMap, HashSet};

use inhouse::message::{
    ApiEvent, AssistantMessage, Message, ResultMessage, StreamEvent, SystemMessage, TerminalReason,
    ToolResultBlock, ToolUseBlock, UserMessage,
};
use ratatui_core::text::Line;
use serde_json::Value;

use crate::commands;
use crate::diff;
use crate::terminal::{Outcome, Terminal};
use crate::tool_call::{lines, summary, tool_name};

/// Tools that are shown as a question or a plan instead.
const QUESTION_TOOLS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// The numbers of lines that are shown of a result and of a diff.
const SHOWN_LINES: usize = 4;
const SHOWN_DIFF_LINES: usize = 30;

/// Shows the messages of a conversation as they arrive.
pub(crate) struct Transcript {
    terminal: Terminal,
    session: Option<String>,
    /// Ids of API messages whose text was streamed, and must not be shown again.
    streamed: HashSet<String>,
    /// Calls without a result, by their ids.
    calls: HashMap<String, ToolUseBlock>,
}

impl Transcript {
    pub(crate) fn new(terminal: Terminal) -> Self {
        Self {
            terminal,
            session: None,
            streamed: HashSet::new(),
            calls: HashMap::new(),
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
            Message::System(SystemMessage::LocalCommandOutput(output)) => {
                self.terminal.markdown(&output.content);
            }
            Message::System(SystemMessage::CommandsChanged(changed)) => {
                self.terminal
                    .completions(commands::completions(&changed.commands));
            }
            Message::Result(result) => self.show_result(result),
            _ => {}
        }
    }

    fn show_stream_event(&mut self, event: &StreamEvent) {
        match &event.event {
            ApiEvent::MessageStart(start) => self.streamed.extend(start.message.id.clone()),
            ApiEvent::ContentBlockStop(_) => self.terminal.end_stream(),
            _ => {}
        }
        if let Some(text) = event.text_delta() {
            self.terminal.stream(text);
        }
    }

    fn show_assistant(&mut self, message: &AssistantMessage) {
        let id = message.message.id.as_ref();
        let is_new = id.is_none_or(|id| !self.streamed.contains(id));
        if is_new && message.parent_tool_use_id.is_none() {
            self.terminal.markdown(&message.text());
        }
        let prefix = match message.parent_tool_use_id.is_some() {
            true => "↳ ",
            false => "",
        };
        let calls = message.tool_uses();
        for call in calls.filter(|call| !QUESTION_TOOLS.contains(&call.name.as_str())) {
            let input = call.input.as_object().map(summary).unwrap_or_default();
            let label = format!("{prefix}{} {input}", tool_name(&call.name));
            self.terminal.tool_begins(&call.id, &label);
            self.calls.insert(call.id.clone(), call.clone());
        }
    }

    fn show_tool_results(&mut self, message: &UserMessage) {
        for result in message.tool_results() {
            let failed = result.is_error == Some(true);
            let diff = self.diff(message, result).filter(|_| !failed);
            let outcome = match diff {
                Some(lines) => Outcome {
                    failed,
                    lines,
                    shown: SHOWN_DIFF_LINES,
                },
                None => Outcome {
                    failed,
                    lines: lines(&result.text()),
                    shown: SHOWN_LINES,
                },
            };
            self.terminal.tool_ends(&result.tool_use_id, outcome);
        }
    }

    /// Returns what a call has changed. The CLI adds the former text of the file to the result.
    fn diff(
        &mut self,
        message: &UserMessage,
        result: &ToolResultBlock,
    ) -> Option<Vec<Line<'static>>> {
        let call = self.calls.remove(&result.tool_use_id)?;
        let before = message.tool_use_result.as_ref()?.get("originalFile");
        let before = before.and_then(Value::as_str).unwrap_or_default();
        diff::of_call(&call.name, call.input.as_object()?, before)
    }

    fn show_result(&mut self, result: &ResultMessage) {
        self.terminal.end_stream();
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
