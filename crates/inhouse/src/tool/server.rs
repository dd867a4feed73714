use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};
use std::time::Duration;

use inhouse_proto::control::outgoing::{SdkMcpServerConfig, ToolPolicy};
use inhouse_proto::mcp::CallToolResult;
use serde_json::Value;
#[cfg(feature = "rmcp")]
use tokio::sync::watch;
use tracing::Instrument;

use super::call::CallContext;
use super::registry::{Listing, Registry};
use super::subscribers::Subscriber;
use super::telemetry::{CallRecord, Finished};
use super::timeout::{Limits, run};
use super::{Call, Canceller, Progress, Tool, ToolHandle};
use crate::session::Session;

/// A set of tools with a name, and a state that they share.
///
/// A server is a definition: any number of sessions may use it at once, one after another or side
/// by side, and none of them changes or ends it. It is cheap to clone, and clones have the same
/// tools.
///
/// See the [module](super) for an example.
pub struct ToolServer<S = ()> {
    name: String,
    state: Arc<S>,
    registry: Arc<Registry<S>>,
    // Shared by clones until one of them is set otherwise: by this they are known to be the same.
    settings: Arc<Settings>,
}

#[derive(Clone)]
struct Settings {
    version: String,
    instructions: Option<String>,
    timeout: Option<Duration>,
    limits: Limits,
    policies: Vec<ToolPolicy>,
}

impl ToolServer {
    /// A server without a state of its own.
    ///
    /// The name is part of what Claude calls: the tool `add` of the server `calc` is
    /// `mcp__calc__add`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::tool::{Tool, ToolServer};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// let options = Options::new().tool_server(clock);
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let result = cli.call_tool("clock", "now", serde_json::json!({})).await;
    /// assert_eq!(result.all_text(), "noon");
    /// # }));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self::with_state(name, ())
    }
}

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// A server whose tools share a state; they get at it with [`State`](super::State).
    #[must_use]
    pub fn with_state(name: impl Into<String>, state: S) -> Self {
        Self {
            name: name.into(),
            state: Arc::new(state),
            registry: Arc::default(),
            settings: Arc::new(Settings {
                version: "1.0.0".to_owned(),
                instructions: None,
                timeout: None,
                limits: Limits::default(),
                policies: Vec::new(),
            }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version; `1.0.0` unless set.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings().version = version.into();
        self
    }

    /// How its tools are best used; Claude reads it before the first prompt.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings().instructions = Some(instructions.into());
        self
    }

    /// Adds a tool. Two of one name are an error when the server is used.
    #[must_use]
    pub fn tool(self, tool: Tool<S>) -> Self {
        self.registry.declare(tool);
        self
    }

    /// Adds several tools.
    #[must_use]
    pub fn tools(self, tools: impl IntoIterator<Item = Tool<S>>) -> Self {
        for tool in tools {
            self.registry.declare(tool);
        }
        self
    }

    /// Puts all of its tools before Claude from the start; otherwise Claude has to search for them
    /// first.
    #[must_use]
    pub fn always_load(self) -> Self {
        self.registry.always_load();
        self
    }

    /// Has the CLI ask before every call of a tool, or refuse it, whatever else is allowed.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.settings().policies.push(policy);
        self
    }

    /// Limits how long a call of any of the tools may take, unless the tool has a limit of its own.
    ///
    /// The longest of these limits is sent to the CLI when the server is registered, and cuts no call
    /// short before it: `MCP_TOOL_TIMEOUT`, which limits the calls of servers without a timeout,
    /// has no effect on this one. A tool that is [put](ToolHandle::put) into the server later cannot
    /// have a longer limit than that. The CLI ignores limits below one second; the host keeps them.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings().timeout = Some(timeout);
        self
    }

    /// How many calls of its tools may run at once, in all sessions together; more wait for their
    /// turn.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.settings().limits = Limits::new(Some(calls));
        self
    }

    /// Changes the tools while sessions use them.
    #[must_use]
    pub fn handle(&self) -> ToolHandle<S> {
        ToolHandle::new(Arc::clone(&self.registry))
    }

    /// Calls a tool as Claude would, without a CLI: for tests.
    ///
    /// What Claude would read is the result, also when there is no such tool or the arguments do
    /// not fit.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let canceller = Canceller::new();
        let context = CallContext {
            tool_use_id: None,
            cancelled: canceller.cancelled(),
            progress: &|| Progress::new(None),
            session: &Session::default(),
        };
        let arguments = arguments.to_string();
        self.run(tool, &arguments, context).await.result
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}

/// A server without the type of its state.
pub(crate) trait ServedTools: Send + Sync {
    fn name(&self) -> &str;
    fn version(&self) -> &str;
    fn instructions(&self) -> Option<&str>;
    /// An address that this server shares with its unchanged clones, as long as one of them lives.
    fn identity(&self) -> *const ();
    /// What is wrong with it, in words for whoever wrote it.
    fn problems(&self) -> Vec<String>;
    /// Settings that the CLI keeps for it.
    fn config(&self) -> Option<SdkMcpServerConfig>;
    fn listing(&self) -> Listing;
    /// Returns the definition of one tool.
    #[cfg(feature = "rmcp")]
    fn definition(&self, tool: &str) -> Option<inhouse_proto::mcp::ToolDefinition>;
    /// Changes whenever the listing does.
    #[cfg(feature = "rmcp")]
    fn changes(&self) -> watch::Receiver<u64>;
    /// Returns the number of changes so far.
    fn revision(&self) -> u64;
    /// Adds a session that is notified of each change.
    fn subscribe(&self, subscriber: Weak<dyn Subscriber>);
    fn run<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        context: CallContext<'a>,
    ) -> Pin<Box<dyn Future<Output = Finished> + Send + 'a>>;
}

impl<S: Send + Sync + 'static> ServedTools for ToolServer<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.settings.version
    }

    fn instructions(&self) -> Option<&str> {
        self.settings.instructions.as_deref()
    }

    fn identity(&self) -> *const () {
        Arc::as_ptr(&self.settings).cast()
    }

    fn problems(&self) -> Vec<String> {
        self.registry.problems()
    }

    fn config(&self) -> Option<SdkMcpServerConfig> {
        let policies = &self.settings.policies;
        let timeout = self.registry.longest_timeout(self.settings.timeout);
        if policies.is_empty() && timeout.is_none() {
            return None;
        }
        let mut config = SdkMcpServerConfig::new();
        config.timeout = timeout;
        if !policies.is_empty() {
            config = config.tools(policies.iter().cloned());
        }
        Some(config)
    }

    fn listing(&self) -> Listing {
        self.registry.listing()
    }

    #[cfg(feature = "rmcp")]
    fn definition(&self, tool: &str) -> Option<inhouse_proto::mcp::ToolDefinition> {
        let entry = self.registry.find(tool)?;
        Some(entry.tool.definition.clone())
    }

    #[cfg(feature = "rmcp")]
    fn changes(&self) -> watch::Receiver<u64> {
        self.registry.changes()
    }

    fn revision(&self) -> u64 {
        self.registry.revision()
    }

    fn subscribe(&self, subscriber: Weak<dyn Subscriber>) {
        self.registry.subscribe(subscriber);
    }

    fn run<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        context: CallContext<'a>,
    ) -> Pin<Box<dyn Future<Output = Finished> + Send + 'a>> {
        Box::pin(async move {
            let Some(entry) = self.registry.find(tool) else {
                let text = format!("there is no tool `{tool}` on the server `{}`", self.name);
                return Finished::without_a_call(CallToolResult::error(text));
            };
            let timeout = entry.tool.timeout.or(self.settings.timeout);
            let limits = [&self.settings.limits, &entry.limits];
            let record = CallRecord::begin(&self.name, tool, arguments);
            let mut turns = [None, None];
            let handling = async {
                let call = Call {
                    state: &*self.state,
                    arguments,
                    context: &context,
                };
                let handling = entry.tool.handler.call(&call);
                handling.await
            };
            let handling = pin!(handling.instrument(record.span().clone()));
            run(record, tool, timeout, limits, &mut turns, handling).await
        })
    }
}

impl<S> Clone for ToolServer<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            state: Arc::clone(&self.state),
            registry: Arc::clone(&self.registry),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<S> fmt::Debug for ToolServer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolServer")
            .field("name", &self.name)
            .field("version", &self.settings.version)
            .field("tools", &self.registry.names())
            .finish_non_exhaustive()
    }
}
