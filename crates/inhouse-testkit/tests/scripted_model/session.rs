use std::process::Stdio;

use inhouse_testkit::Isolation;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::DEADLINE;

/// A running CLI with line-based stdin and stdout.
pub(crate) struct Session {
    pub(crate) child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    pub(crate) seen: Vec<Value>,
}

impl Session {
    pub(crate) async fn start(isolation: &Isolation, arguments: &[&str]) -> Self {
        Self::spawn(isolation.command(), arguments).await
    }

    pub(crate) async fn spawn(mut command: tokio::process::Command, arguments: &[&str]) -> Self {
        command
            .args([
                "--output-format",
                "stream-json",
                "--verbose",
                "--input-format",
                "stream-json",
            ])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut session = Self {
            child,
            stdin,
            lines,
            seen: Vec::new(),
        };
        session.control(json!({ "subtype": "initialize" })).await;
        session
    }

    pub(crate) async fn prompt(&mut self, text: &str) {
        let message = json!({ "role": "user", "content": text });
        self.write(json!({ "type": "user", "session_id": "", "parent_tool_use_id": null, "message": message })).await;
    }

    /// Sends a control request and returns the payload of the response.
    pub(crate) async fn control(&mut self, request: Value) -> Value {
        let id = format!("request-{}", self.seen.len());
        self.write(json!({ "type": "control_request", "request_id": id, "request": request }))
            .await;
        let mut frame = self
            .until(|frame| frame["response"]["request_id"] == id.as_str())
            .await;
        assert_eq!(frame["response"]["subtype"], "success", "{frame}");
        frame["response"]["response"].take()
    }

    pub(crate) async fn frame(&mut self, kind: &str, subtype: &str) -> Value {
        self.until(|frame| frame["type"] == kind && frame["subtype"] == subtype)
            .await
    }

    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let search = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                let frame: Value = serde_json::from_str(&line).unwrap();
                self.seen.push(frame.clone());
                if wanted(&frame) {
                    return Some(frame);
                }
            }
            None
        };
        match timeout(DEADLINE, search).await {
            Ok(Some(frame)) => frame,
            Ok(None) => panic!("the CLI exited before; it wrote {:#?}", self.seen),
            Err(_) => panic!("the deadline passed; the CLI wrote {:#?}", self.seen),
        }
    }

    /// Closes stdin and returns whether the process succeeded.
    pub(crate) async fn finish(mut self) -> bool {
        drop(self.stdin);
        let rest = async {
            while self.lines.next_line().await.unwrap().is_some() {}
            self.child.wait().await.unwrap()
        };
        timeout(DEADLINE, rest)
            .await
            .expect("the CLI ends with its input")
            .success()
    }

    pub(crate) async fn write(&mut self, frame: Value) {
        self.stdin
            .write_all(format!("{frame}\n").as_bytes())
            .await
            .unwrap();
    }
}
