use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::{ErrorCode, RpcError, negotiate};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::task::AbortHandle;

use super::{Answered, Link, Manifest, RpcRequest, Server, ServerSession};
use crate::tool::{CallContext, Cancelled, Progress, ServedTools};

/// A [`ToolServer`](crate::tool::ToolServer) behind the bridge.
pub(crate) struct NativeServer {
    tools: Arc<dyn ServedTools>,
}

struct NativeSession {
    tools: Arc<dyn ServedTools>,
    link: Link,
    watch: AbortHandle,
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

    fn open(&self, link: Link) -> Arc<dyn ServerSession> {
        Arc::new(NativeSession {
            watch: tell_of_changes(&*self.tools, link.clone()),
            tools: Arc::clone(&self.tools),
            link,
        })
    }
}

impl Drop for NativeSession {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl ServerSession for NativeSession {
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>> {
        Box::pin(ready(Some(Manifest {
            initialize_result: self.initialize(None),
            tools_list_result: Some(self.list()),
        })))
    }

    fn request(&self, request: RpcRequest) -> Answered {
        let answer = match request.method.as_str() {
            "tools/call" => return self.call(request),
            "tools/list" => Ok(self.list()),
            "initialize" => Ok(self.initialize(request.params.as_deref())),
            "ping" => Ok(raw(&json!({}))),
            method => Err(RpcError::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{method}` on a server of tools"),
            )),
        };
        Box::pin(ready(answer))
    }

    /// Nothing that a client notifies of concerns a server of tools.
    fn notification(&self, _: &RawValue) {}

    /// It makes no requests.
    fn response(&self, _: &RawValue) {}
}

impl NativeSession {
    fn initialize(&self, params: Option<&RawValue>) -> Box<RawValue> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wish {
            protocol_version: Option<String>,
        }
        let wish: Option<Wish> = params.and_then(|params| serde_json::from_str(params.get()).ok());
        let version = negotiate(wish.and_then(|wish| wish.protocol_version).as_deref());
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": true}},
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
        raw(&List {
            tools: &self.tools.listing().tools,
        })
    }

    fn call(&self, request: RpcRequest) -> Answered {
        let params = request.params.as_deref().map_or("", RawValue::get);
        let params: CallParams<'_> = match serde_json::from_str(params) {
            Ok(params) => params,
            Err(error) => return invalid_params(error.to_string()),
        };
        let arguments = params.arguments.map_or("{}", RawValue::get);
        if !arguments.starts_with('{') {
            return invalid_params("`arguments` is not an object".to_owned());
        }
        let meta = params.meta.unwrap_or_default();
        let context = CallContext {
            tool_use_id: meta.tool_use_id,
            progress: self.progress(meta.progress_token, &request.cancelled),
            cancelled: request.cancelled,
            session: self.link.session().clone(),
        };
        let running = self.tools.start(&params.name, arguments, context);
        Box::pin(async move {
            let result = running.await.into_json();
            result.map_err(|error| RpcError::new(ErrorCode::INTERNAL, error.to_string()))
        })
    }

    fn progress(&self, token: Option<&RawValue>, over: &Cancelled) -> Progress {
        let Some(token) = token.map(ToOwned::to_owned) else {
            return Progress::new(None);
        };
        let (link, over) = (self.link.clone(), over.clone());
        Progress::new(Some(Arc::new(
            move |done, total: Option<f64>, message: Option<String>| {
                // A task of the handler's may outlive the call; the token does not.
                if over.is_cancelled() {
                    return;
                }
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
                let params = Params {
                    progress_token: &token,
                    progress: done,
                    total,
                    message,
                };
                notify(&link, "notifications/progress", &params);
            },
        )))
    }
}

#[derive(Deserialize)]
struct CallParams<'a> {
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<CallMeta<'a>>,
}

#[derive(Default, Deserialize)]
struct CallMeta<'a> {
    #[serde(default, rename = "claudecode/toolUseId")]
    tool_use_id: Option<String>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

fn invalid_params(text: String) -> Answered {
    let text = format!("invalid parameters of `tools/call`: {text}");
    Box::pin(ready(Err(RpcError::new(ErrorCode::INVALID_PARAMS, text))))
}

/// Tells the CLI whenever the tools of a server change, as long as the session lasts.
fn tell_of_changes(tools: &dyn ServedTools, link: Link) -> AbortHandle {
    let mut changes = tools.changes();
    changes.mark_unchanged();
    let telling = tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            notify(&link, "notifications/tools/list_changed", &json!({}));
        }
    });
    telling.abort_handle()
}

fn notify(link: &Link, method: &str, params: &impl Serialize) {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    link.send(&raw(&Notification {
        jsonrpc: "2.0",
        method,
        params,
    }));
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("made of strings, numbers and JSON")
}
