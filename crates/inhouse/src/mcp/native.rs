use std::future::{Future, pending, ready};
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};

use inhouse_proto::control::incoming::Payload;
use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::{ErrorCode, RpcError, ToolCall, negotiate};
use inhouse_proto::wire::Text;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::native_client::NativeClient;
use super::{CliSender, Manifest, OpenCall, Reply, Server, ServerSession};
use crate::error::{Error, ErrorKind};
use crate::tool::{
    CallContext, Cancelled, Interrupted, Listed, McpClient, Progress, Repairing, ServedTools,
    Subscriber,
};

/// The in-process server of a [`ToolServer`](crate::tool::ToolServer).
pub(crate) struct NativeServer {
    tools: Arc<dyn ServedTools>,
}

struct NativeSession {
    tools: Arc<dyn ServedTools>,
    cli: CliSender,
    client: Arc<NativeClient>,
    /// The last revision of the tools that the client has listed.
    listed: watch::Sender<u64>,
}

impl NativeServer {
    pub(crate) fn new(tools: Arc<dyn ServedTools>) -> Self {
        Self { tools }
    }
}

impl Server for NativeServer {
    fn problems(&self) -> Vec<String> {
        self.tools.problems()
    }

    fn config(&self) -> Option<SdkMcpServerConfig> {
        self.tools.config()
    }

    fn identity(&self) -> *const () {
        self.tools.identity()
    }

    fn repair(&self, tool: &str, call: Interrupted) -> Option<Repairing> {
        self.tools.repair(tool, call)
    }

    fn open(&self, cli: CliSender) -> Arc<dyn ServerSession> {
        let session = Arc::new(NativeSession {
            tools: Arc::clone(&self.tools),
            client: Arc::new(NativeClient::new(cli.clone())),
            cli,
            // The client has not listed the tools yet; its first listing is at least this revision.
            listed: watch::Sender::new(self.tools.revision()),
        });
        let subscriber: Weak<NativeSession> = Arc::downgrade(&session);
        self.tools.subscribe(subscriber);
        session
    }
}

impl Subscriber for NativeSession {
    fn tools_changed(&self) {
        self.cli
            .notify("notifications/tools/list_changed", &json!({}));
    }

    fn listed(&self, revision: u64) -> Listed {
        let Some((mut session, limit)) = self.cli.session().end_and_timeout() else {
            return Box::pin(ready(Ok(())));
        };
        let mut listed = self.listed.subscribe();
        let deadline = Instant::now().checked_add(limit);
        Box::pin(async move {
            let expired = async {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    // The deadline is beyond the range of the clock.
                    None => pending().await,
                }
            };
            tokio::select! {
                // Fails if the server is no longer part of the session.
                _ = listed.wait_for(|listed| *listed >= revision) => Ok(()),
                // Fails if the session has ended.
                _ = session.changed() => Ok(()),
                () = expired => Err(Error::new(
                    ErrorKind::Timeout,
                    "the CLI did not list the changed tools in time; old CLIs never do, for others \
                     increase Options::control_timeout",
                )),
            }
        })
    }
}

impl ServerSession for NativeSession {
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>> {
        Box::pin(ready(Some(Manifest {
            initialize_result: self.initialize(None),
            tools_list_result: Some(self.list()),
        })))
    }

    fn is_read_only(&self, tool: &str) -> bool {
        self.tools.is_read_only(tool)
    }

    fn call(self: Arc<Self>, call: Box<ToolCall>, _: Text, open: OpenCall) -> Reply {
        Reply::Running(Box::pin(async move {
            let outcome = pin!(self.run(&call, &open));
            open.answer(outcome).await
        }))
    }

    fn request(self: Arc<Self>, method: Text, params: Option<Text>, open: OpenCall) -> Reply {
        let params = params.as_deref();
        let result = match &*method {
            "tools/list" => Ok(self.list()),
            "initialize" => {
                self.client.initialize(params);
                Ok(self.initialize(params))
            }
            "logging/setLevel" => self.client.set_log_level(params).map(|()| raw(&json!({}))),
            "ping" => Ok(raw(&json!({}))),
            method => {
                let text = format!("there is no method `{method}` on a server of tools");
                Err(RpcError::new(ErrorCode::METHOD_NOT_FOUND, text))
            }
        };
        let payload = result.and_then(|result| open.succeed(&result));
        Reply::Ready(open.answer_now(payload))
    }

    /// Ignores notifications: none concerns a server that has only tools.
    fn notification(&self, _: &str) {}

    fn response(&self, message: &str) {
        self.client.response(message);
    }
}

impl NativeSession {
    fn initialize(&self, params: Option<&str>) -> Box<RawValue> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct InitializeParams {
            protocol_version: Option<String>,
        }
        let params: Option<InitializeParams> =
            params.and_then(|params| serde_json::from_str(params).ok());
        let version = negotiate(params.and_then(|params| params.protocol_version).as_deref());
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": {"logging": {}, "tools": {"listChanged": true}},
            "serverInfo": {"name": self.tools.name(), "version": self.tools.version()},
        });
        if let Some(instructions) = self.tools.instructions() {
            result["instructions"] = instructions.into();
        }
        raw(&result)
    }

    fn list(&self) -> Box<RawValue> {
        #[derive(Serialize)]
        struct List<'a> {
            tools: &'a RawValue,
        }
        // Read before the listing: a change in between may be listed already, and is announced again.
        let revision = self.tools.revision();
        let list = raw(&List {
            tools: &self.tools.listing(),
        });
        self.listed
            .send_modify(|listed| *listed = revision.max(*listed));
        list
    }

    /// Runs a call, and returns the payload with its result.
    async fn run(&self, call: &ToolCall, open: &OpenCall) -> Result<Payload, RpcError> {
        let (cli, cancelled) = (&self.cli, open.cancelled());
        let context = CallContext {
            cancelled,
            progress: &|| progress(cli, call.progress_token.as_deref(), cancelled),
            client: &|| {
                let client: Arc<NativeClient> = Arc::clone(&self.client);
                McpClient::new(Some(client), cancelled)
            },
            session: cli.session(),
        };
        let finished = self.tools.run(call, context).await;
        open.succeed_in(&finished.span, finished.result)
    }
}

/// Returns a `Progress` that sends notifications with the CLI's progress token.
fn progress(cli: &CliSender, token: Option<&str>, cancelled: &Cancelled) -> Progress {
    let Some(token) = token.and_then(|token| RawValue::from_string(token.to_owned()).ok()) else {
        return Progress::new(None);
    };
    let (cli, cancelled) = (cli.clone(), cancelled.clone());
    Progress::new(Some(Arc::new(
        move |done, total: Option<f64>, message: Option<String>| {
            #[derive(Serialize)]
            #[serde(rename_all = "camelCase")]
            struct Params<'a> {
                progress_token: &'a RawValue,
                progress: f64,
                #[serde(skip_serializing_if = "Option::is_none")]
                total: Option<f64>,
                #[serde(skip_serializing_if = "Option::is_none")]
                message: Option<String>,
            }
            // A task that the handler has spawned may outlive the call; the token does not.
            if cancelled.is_cancelled() {
                return;
            }
            let params = Params {
                progress_token: &token,
                progress: done,
                total,
                message,
            };
            cli.notify("notifications/progress", &params);
        },
    )))
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("the value consists of strings, numbers and JSON")
}
