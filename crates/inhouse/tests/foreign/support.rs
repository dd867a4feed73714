//! Serving and running foreign programs.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use inhouse::rmcp::ServerHandler;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::AbortHandle;

use crate::http;

/// A bound on one foreign program, far above what it needs.
const DEADLINE: Duration = Duration::from_secs(120);

/// A handler served over streamable HTTP until this value is dropped.
pub(crate) struct HttpServer {
    pub(crate) url: String,
    serving: AbortHandle,
}

impl HttpServer {
    pub(crate) async fn start(handler: impl ServerHandler + Clone) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        Self {
            url: format!("http://{address}/mcp"),
            serving: tokio::spawn(http::serve(listener, handler)).abort_handle(),
        }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Returns the pinned Node.js with its installed packages.
pub(crate) fn node() -> Command {
    let modules = installed().join("node_modules");
    let mut command = Command::new(modules.join("node/bin/node"));
    command.env("NODE_PATH", modules);
    command
}

/// Returns Python with the installed packages.
pub(crate) fn python() -> Command {
    Command::new(installed().join("venv/bin/python"))
}

/// Returns a file of an installed npm package.
pub(crate) fn package_file(path: &str) -> PathBuf {
    installed().join("node_modules").join(path)
}

/// Returns a file beside these tests.
pub(crate) fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/foreign")
        .join(path)
}

/// Runs a program to its end: its output, or all that it printed if it fails.
pub(crate) async fn run(command: &mut Command) -> Result<String, String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(DEADLINE, command.output()).await;
    let output = output.map_err(|_| format!("still running after {DEADLINE:?}: {command:?}"))?;
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    Err(format!("{status}: {command:?}\n{stdout}\n{stderr}"))
}

fn installed() -> PathBuf {
    let Some(directory) = std::env::var_os("INHOUSE_FOREIGN") else {
        panic!("INHOUSE_FOREIGN is not set: run `cargo xtask test --ring foreign`");
    };
    directory.into()
}
