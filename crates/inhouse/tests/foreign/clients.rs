//! The official Python and TypeScript clients, over stdio and HTTP, with and without a handshake.
//!
//! The scripts check what a client sees of the tools, and print the negotiated version.

use tokio::process::Command;

use crate::example::example;
use crate::support::{HttpServer, beside, node, python, run};
use crate::tools;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

#[tokio::test]
async fn python_client_works_over_stdio_by_default() {
    over_stdio(python_client(), "auto", MODERN).await;
}

#[tokio::test]
async fn python_client_works_over_stdio_in_legacy_mode() {
    over_stdio(python_client(), "legacy", LEGACY).await;
}

#[tokio::test]
async fn python_client_works_over_http_by_default() {
    over_http(python_client(), "auto", MODERN).await;
}

#[tokio::test]
async fn python_client_works_over_http_in_legacy_mode() {
    over_http(python_client(), "legacy", LEGACY).await;
}

#[tokio::test]
async fn typescript_client_works_over_stdio_in_auto_mode() {
    over_stdio(typescript_client(), "auto", MODERN).await;
}

/// The handshake is the default of the TypeScript client.
#[tokio::test]
async fn typescript_client_works_over_stdio_in_legacy_mode() {
    over_stdio(typescript_client(), "legacy", LEGACY).await;
}

#[tokio::test]
async fn typescript_client_works_over_http_in_auto_mode() {
    over_http(typescript_client(), "auto", MODERN).await;
}

#[tokio::test]
async fn typescript_client_works_over_http_in_legacy_mode() {
    over_http(typescript_client(), "legacy", LEGACY).await;
}

async fn over_stdio(mut client: Command, mode: &str, version: &str) {
    client.arg(mode).arg(example("foreign_stdio"));
    prints(&mut client, version).await;
}

async fn over_http(mut client: Command, mode: &str, version: &str) {
    let handler = tools::server().into_rmcp().expect("valid tools");
    let server = HttpServer::start(handler).await;
    client.args([mode, &server.url]);
    prints(&mut client, version).await;
}

async fn prints(client: &mut Command, version: &str) {
    match run(client).await {
        Ok(printed) => assert_eq!(printed.trim(), version),
        Err(report) => panic!("{report}"),
    }
}

fn python_client() -> Command {
    let mut command = python();
    command.arg(beside("clients/client.py"));
    command
}

fn typescript_client() -> Command {
    let mut command = node();
    command.arg(beside("clients/client.cjs"));
    command
}
