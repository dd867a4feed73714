//! Messages of a session whose reader was dropped.

use std::fs;

use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;

use crate::support::{run_alone, within};

const MIB: usize = 1024 * 1024;
const MESSAGE: usize = 64 * 1024;

// In a separate process, because it measures the memory of the process.
#[tokio::test]
async fn messages_are_not_kept_after_the_reader_is_dropped() {
    if !run_alone("unread_messages::messages_are_not_kept_after_the_reader_is_dropped").await {
        return;
    }
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(Options::new(), transport)
            .await
            .unwrap();
        let (control, messages) = client.split();
        drop(messages);
        control.set_model(None).await.unwrap();
        let before = resident();
        control.set_model(None).await.unwrap();
        let after = resident();
        control.close().await.unwrap();
        after.saturating_sub(before)
    };
    let cli = async move {
        cli.accept().await;
        let content = json!([{"type": "text", "text": "x".repeat(MESSAGE)}]);
        let message = json!({"type": "assistant", "message": {"content": content}});
        let line = format!("{message}\n").into_bytes();
        // The first request is answered after some messages, so that all buffers have their size.
        for messages in [20, 512] {
            let request = cli.expect_request("set_model").await;
            for _ in 0..messages {
                cli.send_bytes(&line).await;
            }
            request.succeed_empty().await;
        }
        cli.expect_end_of_input().await;
    };
    let (grown, ()) = within(async { tokio::join!(host, cli) }).await;
    assert!(
        grown < 8 * MIB,
        "{} MiB for 32 MiB of messages",
        grown / MIB
    );
}

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() * 1024
}
