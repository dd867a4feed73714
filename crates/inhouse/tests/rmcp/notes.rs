//! A server that uses every feature of MCP.

// Logging and roots are deprecated in MCP and still in use.
#![allow(deprecated)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse::Session;
use inhouse::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, CustomNotification,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject,
    ListPromptsResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, Prompt,
    PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig, SetLevelRequestParams, Tool,
};
use inhouse::rmcp::service::{NotificationContext, RequestContext};
use inhouse::rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

const DEADLINE: Duration = Duration::from_secs(10);

/// The handler of one session.
pub(crate) struct Notes {
    calls: AtomicU64,
    level: Mutex<Option<LoggingLevel>>,
    journal: UnboundedSender<String>,
}

/// The events of the handlers of a test, in order.
pub(crate) struct Journal(UnboundedReceiver<String>);

impl Notes {
    /// Creates handlers, and the journal of their events.
    pub(crate) fn factory() -> (impl Fn() -> Self + Clone + Send + Sync + 'static, Journal) {
        let (journal, entries) = unbounded_channel();
        let make = move || Self {
            calls: AtomicU64::new(0),
            level: Mutex::default(),
            journal: journal.clone(),
        };
        (make, Journal(entries))
    }

    fn note(&self, entry: impl Into<String>) {
        // The receiver may be gone at the end of a test.
        let _ = self.journal.send(entry.into());
    }
}

impl Journal {
    /// Waits for the next entry.
    pub(crate) async fn next(&mut self) -> String {
        let entry = timeout(DEADLINE, self.0.recv()).await;
        let entry = entry.expect("a handler event");
        entry.expect("a handler is running")
    }
}

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities).with_instructions("Write everything down.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        let schema = Arc::new(schema);
        let tool = |name| Tool::new(name, "A tool.", Arc::clone(&schema));
        let names = [
            "count", "who", "level", "panic", "refuse", "wait", "report", "roots",
        ];
        Ok(ListToolsResult::with_all_items(
            names.into_iter().map(tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match &*request.name {
            "count" => (self.calls.fetch_add(1, Ordering::Relaxed) + 1).to_string(),
            "who" => {
                let client = context.peer.peer_info().expect("the handshake is complete");
                let tool_use_id = context.meta.get("claudecode/toolUseId").cloned();
                let name = &client.client_info.name;
                format!("{name} {} {}", context.id, tool_use_id.unwrap_or_default())
            }
            "session" => {
                let session = context.extensions.get::<Session>();
                let control = session.and_then(Session::control);
                let model = control
                    .expect("the transport is open")
                    .set_model(Some("opus"))
                    .await;
                model.map_or_else(|error| error.to_string(), |()| "opus".to_owned())
            }
            "level" => format!("{:?}", self.level.lock().expect("the lock is not poisoned")),
            "panic" => panic!("out of ink"),
            "refuse" => {
                let data = Some(json!({"page": 7}));
                return Err(ErrorData::new(ErrorCode(-32042), "no such page", data));
            }
            "wait" => {
                let token = context.ct.clone();
                let journal = self.journal.clone();
                tokio::spawn(async move {
                    token.cancelled().await;
                    let _ = journal.send("the token of wait has fired".to_owned());
                });
                self.note("wait has begun");
                std::future::pending().await
            }
            "report" => report(&context).await,
            "roots" => match context.peer.list_roots().await {
                Ok(roots) => format!("{} roots", roots.roots.len()),
                Err(error) => format!("no roots: {error}"),
            },
            other => format!("there is no tool {other}"),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let shopping = Resource::new("notes://shopping", "shopping");
        Ok(ListResourcesResult::with_all_items(vec![shopping]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("Two eggs.", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let tidy = Prompt::new("tidy", Some("Tidy the notes up"), None);
        Ok(ListPromptsResult::with_all_items(vec![tidy]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let text = format!("Please {} up.", request.name);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = format!("{}pping", request.argument.value);
        let values = CompletionInfo::new(vec![completed]).expect("one call is allowed");
        Ok(CompleteResult::new(values))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().expect("the lock is not poisoned") = Some(request.level);
        Ok(())
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {
        self.note("initialized");
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        let id = notification.request_id.expect("the CLI sends a request id");
        self.note(format!("cancelled {id}"));
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        self.note(notification.method);
    }
}

/// Sends many notifications before its result.
async fn report(context: &RequestContext<RoleServer>) -> String {
    let peer = &context.peer;
    let token = context
        .meta
        .get_progress_token()
        .expect("the CLI sends a progress token");
    for step in [1.0, 2.0, 3.0] {
        let progress = ProgressNotificationParam::new(token.clone(), step).with_total(3.0);
        peer.notify_progress(progress)
            .await
            .expect("the CLI exists");
    }
    let log = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!("done"));
    peer.notify_logging_message(log)
        .await
        .expect("the CLI exists");
    peer.notify_tool_list_changed()
        .await
        .expect("the CLI exists");
    "reported".to_owned()
}
