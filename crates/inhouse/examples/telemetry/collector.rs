//! A collector in memory for OTLP over HTTP with JSON: enough for an example and a test.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::runtime;
use tokio::sync::watch;

/// A server on loopback that keeps what exporters send.
pub(crate) struct Collector {
    address: SocketAddr,
    received: Received,
}

/// The bodies of requests, with their paths.
type Received = Arc<watch::Sender<Vec<(String, Value)>>>;

/// A span that was exported.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// The name of the service that exported the span.
    pub(crate) service: String,
    pub(crate) trace_id: String,
    pub(crate) id: String,
    /// Empty for the root of a trace.
    pub(crate) parent_id: String,
    pub(crate) name: String,
    /// In nanoseconds since 1970.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) is_error: bool,
}

impl Collector {
    /// Starts the server.
    pub(crate) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let received = Received::default();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let serving = serve(listener, Arc::clone(&received));
        // In a separate thread, because exporters block theirs when they are shut down.
        thread::spawn(move || runtime.block_on(serving));
        Ok(Self { address, received })
    }

    /// Returns the value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the spans that were received so far, by start time.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for body in self.bodies("/v1/traces") {
            for resource in list(&body["resourceSpans"]) {
                let service =
                    attributes(&resource["resource"]["attributes"]).remove("service.name");
                let service = service.unwrap_or_default();
                for scope in list(&resource["scopeSpans"]) {
                    let exported = list(&scope["spans"]).iter();
                    spans.extend(exported.map(|span| Span::new(&service, span)));
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// Waits until the spans that were received fulfil a condition.
    #[cfg(test)]
    pub(crate) async fn wait_for(&self, is_met: impl Fn(&[Span]) -> bool) {
        let mut changes = self.received.subscribe();
        while !is_met(&self.spans()) {
            changes.changed().await.expect("the collector is there");
        }
    }

    /// Returns the names of the metrics that were received so far.
    #[allow(dead_code, reason = "the tests that share this file do not use it")]
    pub(crate) fn metrics(&self) -> Vec<String> {
        let mut names = Vec::new();
        for body in self.bodies("/v1/metrics") {
            for resource in list(&body["resourceMetrics"]) {
                for scope in list(&resource["scopeMetrics"]) {
                    names.extend(
                        list(&scope["metrics"])
                            .iter()
                            .map(|metric| text(&metric["name"])),
                    );
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }

    fn bodies(&self, path: &str) -> Vec<Value> {
        let received = self.received.borrow();
        let bodies = received.iter().filter(|(at, _)| at == path);
        bodies.map(|(_, body)| body.clone()).collect()
    }
}

impl Span {
    fn new(service: &str, span: &Value) -> Self {
        let time = |member: &str| text(&span[member]).parse().unwrap_or_default();
        Self {
            service: service.to_owned(),
            trace_id: text(&span["traceId"]),
            id: text(&span["spanId"]),
            parent_id: text(&span["parentSpanId"]),
            name: text(&span["name"]),
            start: time("startTimeUnixNano"),
            end: time("endTimeUnixNano"),
            attributes: attributes(&span["attributes"]),
            is_error: span["status"]["code"] == 2,
        }
    }
}

async fn serve(listener: TcpListener, received: Received) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let received = Arc::clone(&received);
        let respond = service_fn(move |request: Request<Incoming>| {
            let received = Arc::clone(&received);
            async move {
                let path = request.uri().path().to_owned();
                if let Ok(body) = request.into_body().collect().await
                    && let Ok(body) = serde_json::from_slice(&body.to_bytes())
                {
                    received.send_modify(|received| received.push((path, body)));
                }
                Ok::<_, Infallible>(Response::new("{}".to_owned()))
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), respond));
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a string without quotes, `null` as an empty one, and any other value as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Reads `[{"key": "pid", "value": {"intValue": "7"}}]`.
fn attributes(value: &Value) -> BTreeMap<String, String> {
    let pair = |attribute: &Value| {
        let value = attribute["value"].as_object();
        let value = value.and_then(|typed| typed.values().next());
        (text(&attribute["key"]), value.map(text).unwrap_or_default())
    };
    list(value).iter().map(pair).collect()
}
