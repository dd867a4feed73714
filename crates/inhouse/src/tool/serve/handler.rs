// 2026-07-28 deprecates logging, and so does `rmcp`; older clients use it.
#![expect(deprecated)]

use std::sync::{Arc, Mutex, PoisonError};

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscriptionFilter, Tool,
};
use ::rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use ::rmcp::{RoleServer, ServerHandler};

use super::call::call;
use super::change_notifier::ChangeNotifier;
use super::client::level;
use super::suspended::Suspended;
use crate::error::{Error, Result};
use crate::tool::{LogLevel, ServedTools, ToolServer};

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Converts the server into an `rmcp` handler, for any transport of that crate: HTTP, a socket, or
    /// the pipes of a child process. Needs the feature `rmcp`.
    ///
    /// Each clone serves one client. All clones share the tools; a [`handle`](Self::handle) may change
    /// them while clients are connected, which are then notified.
    ///
    /// Clients with a handshake (2024-11-05 to 2025-11-25) and without (2026-07-28) are supported.
    ///
    /// Mounted into a web server, with the feature `transport-streamable-http-server` of `rmcp` (the
    /// example `serve_http` is a complete program):
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use inhouse::rmcp::ServerHandler as _;
    /// use inhouse::rmcp::transport::StreamableHttpService;
    /// use inhouse::rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # fn main() -> inhouse::Result<()> {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The current time", async || "noon"));
    /// let handler = clock.into_rmcp()?;
    /// assert!(handler.get_info().capabilities.tools.is_some());
    ///
    /// // A `tower::Service`: with axum, `Router::new().nest_service("/mcp", service)`.
    /// let service = StreamableHttpService::new(
    ///     move || Ok(handler.clone()),
    ///     Arc::new(LocalSessionManager::default()),
    ///     Default::default(),
    /// );
    /// # let _ = service;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The default configuration of that service accepts requests for loopback host names only. For
    /// another name, set `allowed_hosts` of its `StreamableHttpServerConfig`.
    ///
    /// # Errors
    /// `Config` if a tool is invalid.
    pub fn into_rmcp(self) -> Result<impl ServerHandler + Clone> {
        ToolHandler::new(self)
    }
}

/// Implements `rmcp`'s handler with the tools of a [`ToolServer`], for one client.
pub(super) struct ToolHandler {
    served: Served,
    notifier: ChangeNotifier,
}

/// The part of a [`ToolHandler`] that calls need.
pub(super) struct Served {
    pub(super) tools: Arc<dyn ServedTools>,
    /// The calls of all clients: those of 2026-07-28 may continue a call over another connection.
    pub(super) suspended: Arc<Suspended>,
    /// The lowest level of log messages that the client has set.
    pub(super) log_level: Arc<Mutex<LogLevel>>,
}

impl Served {
    fn new(tools: Arc<dyn ServedTools>, suspended: Arc<Suspended>) -> Self {
        Self {
            tools,
            suspended,
            log_level: Arc::new(Mutex::new(LogLevel::Debug)),
        }
    }
}

impl ToolHandler {
    /// Returns a `Config` error if a tool is invalid.
    pub(super) fn new<S: Send + Sync + 'static>(server: ToolServer<S>) -> Result<Self> {
        if let Some(problem) = server.problems().first() {
            let name = server.name();
            return Err(Error::config(format!("the MCP server `{name}`: {problem}")));
        }
        let served = Served::new(Arc::new(server), Arc::default());
        Ok(Self::for_client(served))
    }

    fn for_client(served: Served) -> Self {
        Self {
            served,
            notifier: ChangeNotifier::default(),
        }
    }
}

impl Clone for ToolHandler {
    /// Creates a handler with the same tools for another client.
    fn clone(&self) -> Self {
        let Served {
            tools, suspended, ..
        } = &self.served;
        Self::for_client(Served::new(Arc::clone(tools), Arc::clone(suspended)))
    }
}

impl ServerHandler for ToolHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let info = Implementation::new(self.served.tools.name(), self.served.tools.version());
        let config = ServerConfig::new(capabilities).with_server_info(info);
        match self.served.tools.instructions() {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listing = self.served.tools.listing();
        let tools: Vec<Tool> = serde_json::from_str(listing.get())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    /// Used by `rmcp`'s HTTP service to check headers that mirror arguments (`x-mcp-header`), as
    /// 2026-07-28 requires.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let definition = serde_json::to_value(self.served.tools.definition(name)?);
        definition.and_then(serde_json::from_value).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call(&self.served, request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let level = level(request.level)
            .ok_or_else(|| ErrorData::invalid_params("unknown log level", None))?;
        let mut current = self
            .served
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *current = level;
        Ok(())
    }

    // By default `rmcp` answers these with empty lists, but a server must not handle methods of
    // capabilities that it does not declare.

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notifier
            .start(self.served.tools.changes(), context.peer);
    }

    // Since protocol version 2026-07-28 there is no handshake: clients subscribe to changes.

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.served.tools.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    let notified = context.sink().notify_tool_list_changed().await;
                    if changed.is_err() || notified.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
