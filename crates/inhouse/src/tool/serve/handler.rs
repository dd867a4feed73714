use std::sync::Arc;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use ::rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use ::rmcp::{RoleServer, ServerHandler};

use super::call::call;
use super::change_notifier::TellsOfChanges;
use crate::error::{Error, Result};
use crate::tool::{ServedTools, ToolServer};

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Returns a handler of the official MCP library with these tools, to be served in any way that the
    /// library knows: over HTTP, a socket, or a child process's pipes.
    ///
    /// Each clone serves one client. They all have the same tools, which a [`handle`](Self::handle)
    /// may change while clients are connected: these are notified.
    ///
    /// Clients with a handshake (2024-11-05 to 2025-11-25) and without (2026-07-28) are served.
    ///
    /// Mounted into a web server, with the feature `transport-streamable-http-server` of `rmcp`; the
    /// example `serve_http` is a complete program:
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use inhouse::rmcp::transport::StreamableHttpService;
    /// use inhouse::rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # fn main() -> inhouse::Result<()> {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "What time it is", async || "noon"));
    /// let handler = clock.into_rmcp()?;
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
    /// `Config` when a tool is not in order.
    pub fn into_rmcp(self) -> Result<impl ServerHandler + Clone> {
        ToolHandler::new(self)
    }
}

/// A server of tools as the library sees it, for one client.
pub(super) struct ToolHandler {
    tools: Arc<dyn ServedTools>,
    tells_of_changes: TellsOfChanges,
}

impl ToolHandler {
    /// Fails when a tool is not in order.
    pub(super) fn new<S: Send + Sync + 'static>(server: ToolServer<S>) -> Result<Self> {
        if let Some(problem) = server.problems().first() {
            let name = server.name();
            return Err(Error::config(format!("the MCP server `{name}`: {problem}")));
        }
        Ok(Self::serving(Arc::new(server)))
    }

    fn serving(tools: Arc<dyn ServedTools>) -> Self {
        Self {
            tools,
            tells_of_changes: TellsOfChanges::default(),
        }
    }
}

impl Clone for ToolHandler {
    /// The same tools for another client.
    fn clone(&self) -> Self {
        Self::serving(Arc::clone(&self.tools))
    }
}

impl ServerHandler for ToolHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let info = Implementation::new(self.tools.name(), self.tools.version());
        let config = ServerConfig::new(capabilities).with_server_info(info);
        match self.tools.instructions() {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listing = self.tools.listing();
        let tools: Vec<Tool> = serde_json::from_str(listing.tools.get())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    /// Lets the library's HTTP service check the headers that mirror arguments (`x-mcp-header`), as
    /// 2026-07-28 requires.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let definition = serde_json::to_value(self.tools.definition(name)?);
        definition.and_then(serde_json::from_value).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call(&*self.tools, request, context).await.map(Into::into)
    }

    // The library answers these with empty lists by default. A server must not handle what it does
    // not declare.

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
        self.tells_of_changes
            .begin(self.tools.changes(), context.peer);
    }

    // From protocol version 2026-07-28 on there is no handshake: clients ask to be told.

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.tools.changes();
        changes.mark_unchanged();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    let told = context.sink().notify_tool_list_changed().await;
                    if changed.is_err() || told.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
