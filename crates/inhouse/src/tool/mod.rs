//! Tools that run in your own process.
//!
//! A [`Tool`] is an async function with a name and a description. A [`ToolServer`] is a named set of
//! tools with an optional state that they share. Claude calls a tool by `mcp__<server>__<tool>`.
//!
//! Tools are written with the attribute [`#[tool]`](macro@crate::tool), or from closures:
//!
//! ```
//! use inhouse::tool::{Input, Tool, ToolError, ToolServer};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Divide {
//!     /// The dividend
//!     a: f64,
//!     /// The divisor, not zero
//!     b: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let calc = ToolServer::new("calc").tool(Tool::new(
//!     "divide",
//!     "Divide two numbers",
//!     async |Input(Divide { a, b }): Input<Divide>| {
//!         if b == 0.0 {
//!             return Err(ToolError::new("division by zero"));
//!         }
//!         Ok(a / b)
//!     },
//! ));
//!
//! // A tool can be tested without a CLI:
//! let result = calc.call("divide", json!({"a": 84, "b": 2})).await;
//! assert_eq!(result.all_text(), "42");
//! # }
//! ```

mod call;
mod cancelled;
mod elicited;
mod error;
mod extract;
mod handle;
mod handler;
mod input;
mod interrupted;
mod log_level;
mod mcp_client;
mod mcp_client_error;
mod registry;
mod result;
mod router;
mod sampling;
mod schema;
#[cfg(feature = "rmcp")]
mod serve;
mod served_tools;
mod server;
mod state;
mod subscribers;
mod telemetry;
mod timeout;
#[expect(
    clippy::module_inception,
    reason = "private, and named after the type in it"
)]
mod tool;
#[cfg(feature = "json-schema")]
mod validation;

#[doc(inline)]
pub use inhouse_proto::control::outgoing::{ToolPermissionPolicy, ToolPolicy};
#[doc(inline)]
pub use inhouse_proto::mcp::{
    AudioContent, CallToolResult, Content, EmbeddedResource, ImageContent, ResourceContents,
    ResourceLink, TextContent, ToolAnnotations, ToolDefinition,
};

pub use self::call::{Call, CallId, Progress};
pub use self::cancelled::Cancelled;
pub use self::elicited::Elicited;
pub use self::error::ToolError;
pub use self::extract::Extract;
pub use self::handle::ToolHandle;
pub use self::handler::Handler;
pub use self::input::Input;
pub use self::interrupted::{Interrupted, InterruptedHandler, Repair};
pub use self::log_level::LogLevel;
pub use self::mcp_client::McpClient;
pub use self::mcp_client_error::McpClientError;
pub use self::result::{IntoToolResult, Json};
pub use self::router::McpRouter;
pub use self::sampling::{Sampled, SamplingMessage, SamplingRequest, SamplingRole};
pub use self::server::ToolServer;
pub use self::state::{FromRef, State};
pub use self::tool::Tool;

pub(crate) use self::call::CallContext;
pub(crate) use self::cancelled::Canceller;
pub(crate) use self::interrupted::Repairing;
pub(crate) use self::mcp_client::{
    ClientCapabilities, ClientCapability, ClientLink, ClientResponse,
};
pub(crate) use self::schema::drop_number_format;
pub(crate) use self::served_tools::ServedTools;
pub(crate) use self::subscribers::{Listed, Subscriber};
pub(crate) use self::telemetry::record_result;
#[cfg(feature = "rmcp")]
pub(crate) use self::telemetry::{CallSpan, FinishedCall, record_panic};
