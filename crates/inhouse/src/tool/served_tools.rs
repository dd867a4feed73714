use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};
use std::time::Duration;

use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::{CallToolResult, ToolCall};
use serde_json::value::RawValue;
#[cfg(feature = "rmcp")]
use tokio::sync::watch;
use tracing::{Instrument, Span};

use super::call::CallContext;
use super::interrupted::{Interrupted, Repairing};
use super::subscribers::Subscriber;
use super::telemetry::{CallSpan, FinishedCall, record_panic};
use super::timeout::run_with_limits;
use super::{Call, Canceller, McpClient, Progress, ToolError, ToolServer};
use crate::session::Session;
use crate::user_code::{self, Stopped};

/// How long a handler of interrupted calls may take if its tool has no timeout: it must not use up the time for loading a session.
const REPAIR_TIMEOUT: Duration = Duration::from_secs(20);

/// A [`ToolServer`] as a trait object, without the type of its state.
pub(crate) trait ServedTools: Send + Sync {
    fn name(&self) -> &str;
    fn version(&self) -> &str;
    fn instructions(&self) -> Option<&str>;
    /// Returns an address that only unchanged clones share, while one of them is alive.
    fn identity(&self) -> *const ();
    /// Returns configuration errors. If there are any, `connect` fails with `Config`.
    fn problems(&self) -> Vec<String>;
    /// Returns the settings that are sent to the CLI: timeout and policies.
    fn config(&self) -> Option<SdkMcpServerConfig>;
    /// Returns the definitions of the tools as a JSON array.
    fn listing(&self) -> Arc<RawValue>;
    /// Returns the definition of a tool.
    #[cfg(feature = "rmcp")]
    fn definition(&self, tool: &str) -> Option<inhouse_proto::mcp::ToolDefinition>;
    /// Returns a receiver of the revision, which changes whenever the listing does.
    #[cfg(feature = "rmcp")]
    fn changes(&self) -> watch::Receiver<u64>;
    /// Returns the number of changes so far.
    fn revision(&self) -> u64;
    /// Adds a session that is notified of each change.
    fn subscribe(&self, subscriber: Weak<dyn Subscriber>);
    /// Returns whether a tool has declared that it changes nothing.
    fn is_read_only(&self, tool: &str) -> bool;
    /// Asks a tool for the outcome of a call; `None` if it has no handler for that.
    fn repair(&self, tool: &str, call: Interrupted) -> Option<Repairing>;
    /// Runs the handler of a call.
    fn run<'a>(
        &'a self,
        call: &'a ToolCall,
        context: CallContext<'a>,
    ) -> Pin<Box<dyn Future<Output = FinishedCall> + Send + 'a>>;
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

    fn listing(&self) -> Arc<RawValue> {
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

    fn is_read_only(&self, tool: &str) -> bool {
        let entry = self.registry.find(tool);
        entry.is_some_and(|entry| entry.tool.definition.annotations.read_only_hint == Some(true))
    }

    fn repair(&self, tool: &str, call: Interrupted) -> Option<Repairing> {
        let entry = self.registry.find(tool)?;
        let handler = entry.tool.on_interrupted.as_ref()?;
        let mut tool_call = ToolCall::new(tool.to_owned(), call.input.to_string());
        tool_call.tool_use_id = Some(call.id.clone().into());
        let canceller = Canceller::new();
        let context_of_call = Call {
            state: &*self.state,
            call: &tool_call,
            context: &CallContext {
                cancelled: canceller.cancelled(),
                progress: &|| Progress::new(None),
                client: &|| McpClient::new(None, canceller.cancelled()),
                // The CLI is not started yet.
                session: &Session::default(),
            },
        };
        // The parameters of the handler are extracted here, by code of the user, too.
        let running = user_code::catch_panic_of(|| handler.call(&context_of_call, call));
        let timeout = entry.tool.timeout.or(self.settings.timeout);
        let timeout = Some(timeout.unwrap_or(REPAIR_TIMEOUT));
        Some(Box::pin(async move {
            // Dropping it cancels the token that the handler may have extracted.
            let _canceller = canceller;
            let repaired = match running {
                Ok(running) => user_code::run(running, timeout).await,
                Err(text) => Err(Stopped::Panicked(text)),
            };
            match repaired {
                Ok(repair) => repair,
                Err(Stopped::TimedOut(timeout)) => {
                    Err(ToolError::new(format!("no answer within {timeout:?}")))
                }
                Err(Stopped::Panicked(text)) => {
                    record_panic(&text);
                    Err(ToolError::new("the handler panicked"))
                }
            }
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a ToolCall,
        context: CallContext<'a>,
    ) -> Pin<Box<dyn Future<Output = FinishedCall> + Send + 'a>> {
        Box::pin(async move {
            let tool = &*call.name;
            let Some(entry) = self.registry.find(tool) else {
                let text = format!("there is no tool `{tool}` on the server `{}`", self.name);
                return FinishedCall {
                    result: CallToolResult::error(text),
                    span: Span::none(),
                };
            };
            let timeout = entry.tool.timeout.or(self.settings.timeout);
            let concurrency = [&self.settings.concurrency, &entry.concurrency];
            let span = CallSpan::begin(&self.name, call);
            let mut permits = [None, None];
            let handler = async {
                let call = Call {
                    state: &*self.state,
                    call,
                    context: &context,
                };
                // A separate statement, so that `call` is not held across the await.
                let handler = entry.tool.handler.call(&call);
                handler.await
            };
            let handler = pin!(handler.instrument(span.span().clone()));
            run_with_limits(span, tool, timeout, concurrency, &mut permits, handler).await
        })
    }
}
