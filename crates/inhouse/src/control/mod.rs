//! Control requests: changes to a session while it runs, and queries about it.
//!
//! [`Control`] has a method for each common request. Every other request that the CLI understands is
//! a struct in [`outgoing`], sent with [`Control::request`]. A request that inhouse does not know is
//! your own struct:
//!
//! ```
//! use inhouse::control::ControlRequest;
//! use serde::Serialize;
//! use serde_json::Value;
//!
//! #[derive(Serialize)]
//! struct GetPlan {}
//!
//! impl ControlRequest for GetPlan {
//!     const SUBTYPE: &'static str = "get_plan";
//!     type Reply = Value;
//! }
//!
//! # use inhouse_testkit::{FakeCli, run};
//! # run(FakeCli::play(inhouse::Options::new(), async |client| {
//! let plan = client.control().request(GetPlan {}).await?;
//! assert_eq!(plan["steps"], 3);
//! # Ok(()) }, async |cli| {
//! #     let request = cli.expect_request("get_plan").await;
//! #     request.succeed(serde_json::json!({"steps": 3})).await;
//! # }));
//! ```

mod handle;
mod methods;

#[doc(inline)]
pub use inhouse_proto::control::{ControlRequest, Empty, PermissionMode, outgoing};

pub use self::handle::Control;
