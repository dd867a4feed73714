//! Ring 5: the real CLI with a scripted model, checked in the host and at the model.

mod api_errors;
#[cfg(unix)]
mod chat;
mod closing;
mod compaction;
mod control;
mod conversation;
mod environment;
#[cfg(any(unix, feature = "rmcp"))]
#[path = "../common/example.rs"]
mod example;
mod files;
mod hooks;
#[cfg(feature = "rmcp")]
#[path = "../../examples/serve_http/http.rs"]
mod http;
mod in_process;
mod interrupt;
mod journal;
mod launch;
mod limits;
mod mcp;
#[cfg(feature = "rmcp")]
mod mounted_rmcp;
mod oldest;
mod one_shot;
mod permissions;
mod process;
mod prompts;
mod queue;
mod requests;
mod sessions;
mod stored_sessions;
mod stores;
mod structured;
mod tasks;
mod tools;
mod world;
