use std::collections::BTreeSet;

use inhouse::hook::{HookOutput, Matcher, PreToolUse};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, Options};
use inhouse_testkit::{FakeCli, run};

use super::is_json;
use super::rpc::SERVER;

/// The number of requests of one input that are sent.
const MOST: usize = 32;

/// Sends each line as a control request to a session with tools, a hook and a permission handler.
///
/// All requests are open at the same time, and each has exactly one answer.
pub fn requests(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let requests = text.split('\n').filter(|line| is_json(line)).take(MOST);
    let options = Options::new()
        .tool_server(SERVER.clone())
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("read only")))
        .hook(Matcher::any(), async |_: PreToolUse, _| {
            Ok(HookOutput::pass())
        });
    run(FakeCli::play_cli(options, async |cli| {
        let mut open = BTreeSet::new();
        for (number, request) in requests.enumerate() {
            let id = format!("request-{number}");
            let line =
                format!(r#"{{"type":"control_request","request_id":"{id}","request":{request}}}"#);
            cli.send_bytes(line.as_bytes()).await;
            cli.send_bytes(b"\n").await;
            open.insert(id);
        }
        while !open.is_empty() {
            let (id, _) = cli.expect_any_answer().await;
            assert!(
                open.remove(&id),
                "a second answer, or one to no request: {id}"
            );
        }
    }));
}
