//! Connects an `rmcp` client to a server behind the bridge.

use std::collections::HashMap;

use inhouse::transport::duplex;
use inhouse::{Client, Options};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// The capacity of each stream.
const PIPE_BYTES: usize = 64 * 1024;

/// Connects a session whose CLI forwards messages between a client and the server `tools`.
///
/// Returns the session, and the client's stream of JSON-RPC lines.
pub(crate) async fn bridged(options: Options) -> (Client, DuplexStream) {
    let (host_in, cli_in) = tokio::io::duplex(PIPE_BYTES);
    let (host_out, cli_out) = tokio::io::duplex(PIPE_BYTES);
    let (theirs, ours) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(Forwarder::new(cli_in, cli_out, ours).run());
    let client = Client::connect_with(options, duplex(host_out, host_in)).await;
    (client.expect("the session opens"), theirs)
}

struct Forwarder {
    host_lines: Lines<BufReader<DuplexStream>>,
    host: DuplexStream,
    client_lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    client: WriteHalf<DuplexStream>,
    /// By control request id: whether the open message was a request of the client.
    requests: HashMap<String, bool>,
}

impl Forwarder {
    fn new(host_in: DuplexStream, host_out: DuplexStream, client: DuplexStream) -> Self {
        let (client_in, client) = tokio::io::split(client);
        Self {
            host_lines: BufReader::new(host_in).lines(),
            host: host_out,
            client_lines: BufReader::new(client_in).lines(),
            client,
            requests: HashMap::new(),
        }
    }

    /// Forwards messages until either side has ended.
    async fn run(mut self) {
        loop {
            tokio::select! {
                Ok(Some(line)) = self.host_lines.next_line() => self.on_host(&line).await,
                Ok(Some(line)) = self.client_lines.next_line() => self.on_client(&line).await,
                else => return,
            }
        }
    }

    async fn on_client(&mut self, line: &str) {
        let message: Value = serde_json::from_str(line).expect("the client writes JSON");
        let id = format!("m{}", self.requests.len());
        let is_request = message.get("method").is_some() && message.get("id").is_some();
        self.requests.insert(id.clone(), is_request);
        let request = json!({"subtype": "mcp_message", "server_name": "tools", "message": message});
        self.send_to_host(json!({"type": "control_request", "request_id": id, "request": request}))
            .await;
    }

    async fn on_host(&mut self, line: &str) {
        let line: Value = serde_json::from_str(line).expect("the host writes JSON");
        if line["type"] == "control_response" {
            let response = &line["response"];
            let id = response["request_id"].as_str().expect("an id");
            assert_eq!(response["subtype"], "success", "{line}");
            if self.requests[id] {
                self.send_to_client(&response["response"]["mcp_response"])
                    .await;
            }
            return;
        }
        let message = &line["request"]["message"];
        if !message.is_null() {
            self.send_to_client(message).await;
        }
        let id = &line["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": {}});
        self.send_to_host(json!({"type": "control_response", "response": response}))
            .await;
    }

    async fn send_to_host(&mut self, line: Value) {
        // Fails if the host has ended, which the next read notices.
        let _ = self.host.write_all(format!("{line}\n").as_bytes()).await;
    }

    async fn send_to_client(&mut self, line: &Value) {
        let _ = self.client.write_all(format!("{line}\n").as_bytes()).await;
    }
}
