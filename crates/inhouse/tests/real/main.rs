//! Ring 5: the real CLI with a scripted model, checked in the host and at the model.

mod api_errors;
#[cfg(unix)]
mod chat;
mod closing;
#[cfg(feature = "opentelemetry")]
#[path = "../../examples/telemetry/collector.rs"]
mod collector;
mod compaction;
mod control;
mod conversation;
#[cfg(target_os = "linux")]
mod deployment;
mod environment;
#[cfg(any(unix, feature = "rmcp"))]
#[path = "../common/example.rs"]
mod example;
#[cfg(feature = "opentelemetry")]
#[path = "../../examples/telemetry/export.rs"]
mod export;
mod files;
mod guides;
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
mod recording;
mod requests;
mod sessions;
mod steering;
mod stored_sessions;
mod stores;
mod structured;
mod tasks;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod tools;
#[cfg(feature = "opentelemetry")]
mod trace_picture;
mod world;
