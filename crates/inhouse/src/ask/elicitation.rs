//! Elicitations: questions that MCP servers ask the user.
//!
//! An MCP server that the CLI is connected to may ask the user to fill in a form or to visit a web page
//! while one of its tools runs. [`Options::on_elicitation`](crate::Options::on_elicitation) answers;
//! without a handler every elicitation is declined.
//!
//! ```
//! use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
//! use inhouse::{Asked, Options};
//! use serde_json::json;
//!
//! let options = Options::new().on_elicitation(async |asked: Asked<ElicitationRequest>| {
//!     match asked.request.mcp_server_name.as_str() {
//!         "crm" => Ok(ElicitationAnswer::accept(&json!({"region": "north"}))?),
//!         _ => Ok(ElicitationAnswer::Decline),
//!     }
//! });
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     let id = cli.ask(json!({
//! #         "subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?",
//! #     })).await;
//! #     let reply = cli.expect_answer(&id).await.payload();
//! #     assert_eq!(reply, json!({"action": "accept", "content": {"region": "north"}}));
//! # }));
//! ```

use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, IncomingRequest};
#[doc(inline)]
pub use inhouse_proto::control::incoming::{
    ElicitationAnswer, ElicitationMode, ElicitationRequest,
};

use super::asked::Subject;
use super::{AskHandlers, Asked, success};
use crate::session::Session;

impl Subject for ElicitationRequest {
    fn subject(&self) -> &str {
        &self.mcp_server_name
    }
}

impl AskHandlers {
    /// Answers `elicitation`; `None` if there is no handler.
    pub(crate) async fn elicitation(
        &self,
        incoming: &IncomingRequest,
        session: &Session,
    ) -> Option<Answer> {
        let handler = self.elicitation.as_ref()?;
        let request: Arc<ElicitationRequest> = Arc::new(incoming.decode().ok()?);
        let asked = |cancelled| Asked::new(&request, incoming, session, cancelled);
        let answer = handler.call(asked, None).await.unwrap_or_else(|failure| {
            failure.log("elicitation");
            // Not `Decline`, which the server would interpret as a decision of the user.
            ElicitationAnswer::Cancel
        });
        Some(success(&answer))
    }
}
