//! A recording of a host whose environment has a secret.

use std::fs;

use inhouse::query;
use inhouse_testkit::Script;
use inhouse_testkit::host::this_test;
use serde_json::{Value, json};

use crate::support::{FakeProcess, within};

/// Names the file of the recording in the host process.
const FILE: &str = "INHOUSE_TEST_RECORDING";

/// A variable that only its name marks as a secret.
const VARIABLE: &str = "INHOUSE_TEST_TOKEN";

const SECRET: &str = r#"open "sesame" of Ali/Baba"#;

#[test]
fn inherited_secret_is_in_no_byte_of_a_recording() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("trace.jsonl");
    let output = this_test("recording::host")
        .unwrap()
        .env(FILE, &file)
        .env(VARIABLE, SECRET)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let recording = fs::read_to_string(&file).unwrap();
    for part in ["sesame", "Ali/Baba"] {
        assert!(!recording.contains(part), "{part}: {recording}");
    }
    let lines = recording.lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (mut streamed, mut places) = (String::new(), Vec::new());
    for line in lines {
        let delta = &line["cli"]["event"]["delta"]["text"];
        streamed.push_str(delta.as_str().unwrap_or_default());
        if line.to_string().contains("[redacted]") {
            let side = ["host", "cli", "stderr"].map(|side| line.get(side).map(|_| side));
            places.extend(side.into_iter().flatten());
        }
    }
    assert_eq!(streamed, "It is [redacted].");
    for place in ["host", "cli", "stderr"] {
        assert!(places.contains(&place), "{place}: {recording}");
    }
}

/// The host process; does nothing as a test.
#[tokio::test]
async fn host() {
    let Ok(file) = std::env::var(FILE) else {
        return;
    };
    let secret = std::env::var(VARIABLE).unwrap();
    let delta = |event: Value| json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null, "session_id": "s", "uuid": "u" });
    let text = format!("It is {secret}.");
    let mut script = Script::new()
        .accept()
        .expect_prompt()
        .stderr(format!("{secret}\n"));
    for character in text.chars() {
        let part = json!({ "type": "text_delta", "text": character });
        script = script.send(delta(
            json!({ "type": "content_block_delta", "index": 0, "delta": part }),
        ));
    }
    let stop = json!({ "type": "content_block_stop", "index": 0 });
    let fake = FakeProcess::new(&script.send(delta(stop)).turn(&text));
    let query = query(format!("Is it {secret}?")).options(fake.options().record(file));
    let answer = within(async { query.await?.text().await }).await.unwrap();
    assert_eq!(answer, text);
}
