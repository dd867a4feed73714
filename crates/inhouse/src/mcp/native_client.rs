use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inhouse_proto::mcp::{ErrorCode, Rpc, RpcError};
use inhouse_proto::wire::parse_json;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::CliSender;
use crate::tool::{
    ClientCapabilities, ClientCapability, ClientLink, ClientResponse, LogLevel, McpClientError,
};

/// The client of a native server: its settings, and the requests of tools that it has not answered.
pub(super) struct NativeClient {
    cli: CliSender,
    settings: Mutex<Settings>,
    next_id: AtomicU64,
    open: OpenRequests,
}

struct Settings {
    log_level: LogLevel,
    capabilities: ClientCapabilities,
}

type Outcome = Result<Value, McpClientError>;

/// The requests that wait for a response, by their ids.
#[derive(Clone, Default)]
struct OpenRequests(Arc<Mutex<HashMap<String, oneshot::Sender<Outcome>>>>);

/// A request that waits for its response. Dropping it before the response cancels the request.
struct OpenRequest {
    id: String,
    open: OpenRequests,
    cli: CliSender,
}

impl NativeClient {
    pub(super) fn new(cli: CliSender) -> Self {
        Self {
            cli,
            settings: Mutex::new(Settings::new(ClientCapabilities::default())),
            next_id: AtomicU64::new(1),
            open: OpenRequests::default(),
        }
    }

    /// Reads the capabilities of the client from its `initialize`.
    ///
    /// CLI 2.1.325 declares none to in-process servers, so a session that begins with a manifest, and
    /// without this request, has the same settings.
    pub(super) fn initialize(&self, params: Option<&str>) {
        let capabilities = params.and_then(|params| read_capabilities(params).ok());
        *self.settings() = Settings::new(capabilities.unwrap_or_default());
    }

    /// Handles `logging/setLevel`.
    pub(super) fn set_log_level(&self, params: Option<&str>) -> Result<(), RpcError> {
        #[derive(Deserialize)]
        struct SetLevelParams {
            level: LogLevel,
        }
        let params: SetLevelParams = serde_json::from_str(params.unwrap_or("{}"))
            .map_err(|error| RpcError::new(ErrorCode::INVALID_PARAMS, error.to_string()))?;
        self.settings().log_level = params.level;
        Ok(())
    }

    /// Passes the response to the tool that waits for it.
    pub(super) fn response(&self, message: &str) {
        let Ok(Rpc::Response { id, outcome }) = Rpc::parse(message) else {
            return;
        };
        let request = serde_json::from_str(id)
            .ok()
            .and_then(|id: String| self.open.take(&id));
        let Some(request) = request else {
            tracing::debug!(id, "MCP client answered a request that is not open");
            return;
        };
        // Fails if the tool has stopped waiting in this moment.
        let _ = request.send(decode(outcome));
    }

    // Poisoned settings are still consistent: no method panics in the middle of a change.
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientLink for NativeClient {
    fn log_level(&self) -> Option<LogLevel> {
        Some(self.settings().log_level)
    }

    fn log(&self, level: LogLevel, data: Value) {
        let params = json!({"level": level, "data": data});
        self.cli.notify("notifications/message", &params);
    }

    fn check(&self, capability: ClientCapability) -> Result<(), McpClientError> {
        if self.cli.is_detached() {
            return Err(McpClientError::NoClient);
        }
        self.settings().capabilities.check(capability)
    }

    fn request(&self, capability: ClientCapability, params: Value) -> ClientResponse {
        // Unique in this session, and a string, unlike the ids of the CLI.
        let id = format!("inhouse-{}", self.next_id.fetch_add(1, Ordering::Relaxed));
        let (sender, response) = oneshot::channel();
        self.open.lock().insert(id.clone(), sender);
        let request = OpenRequest {
            id,
            open: self.open.clone(),
            cli: self.cli.clone(),
        };
        let (id, method) = (&request.id, capability.method());
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.cli.send_value(&message);
        Box::pin(async move {
            let outcome = response.await;
            drop(request);
            outcome.unwrap_or(Err(McpClientError::Ended))
        })
    }
}

impl Settings {
    /// Creates the settings of a client that has not set a log level.
    fn new(capabilities: ClientCapabilities) -> Self {
        Self {
            log_level: LogLevel::Debug,
            capabilities,
        }
    }
}

impl OpenRequests {
    fn take(&self, id: &str) -> Option<oneshot::Sender<Outcome>> {
        self.lock().remove(id)
    }

    // A poisoned table is still consistent: no method panics in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Outcome>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        // Still there if no response has come.
        if self.open.take(&self.id).is_some() {
            let params = json!({"requestId": self.id});
            self.cli.notify("notifications/cancelled", &params);
        }
    }
}

/// Reads the capabilities in the parameters of `initialize`.
fn read_capabilities(params: &str) -> serde_json::Result<ClientCapabilities> {
    #[derive(Deserialize)]
    struct Params {
        capabilities: Declared,
    }
    #[derive(Deserialize)]
    struct Declared {
        elicitation: Option<Elicitation>,
        sampling: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Elicitation {
        form: Option<IgnoredAny>,
        url: Option<IgnoredAny>,
    }
    let declared = serde_json::from_str::<Params>(params)?.capabilities;
    Ok(ClientCapabilities {
        // A client of 2025-06-18 declares neither kind, and has forms.
        elicitation: declared
            .elicitation
            .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none()),
        sampling: declared.sampling.is_some(),
    })
}

fn decode(outcome: Result<&str, &str>) -> Outcome {
    #[derive(Deserialize)]
    struct Rejection {
        code: i32,
        message: String,
    }
    let invalid = McpClientError::InvalidAnswer;
    match outcome {
        Ok(result) => parse_json(result).map_err(invalid),
        Err(error) => {
            let Rejection { code, message } = parse_json(error).map_err(invalid)?;
            Err(McpClientError::Rejected { code, message })
        }
    }
}
