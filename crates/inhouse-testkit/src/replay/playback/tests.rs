use super::*;

const ASK_MODELS: &str =
    r#"{"type":"control_request","request_id":"h1","request":{"subtype":"list_models"}}"#;
const ASK_USAGE: &str =
    r#"{"type":"control_request","request_id":"h2","request":{"subtype":"get_usage"}}"#;
const MODELS: &str =
    r#"{"type":"control_response","response":{"subtype":"success","request_id":"h1"}}"#;

fn recording(events: &[&str]) -> Recording {
    let header = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z","redacted":true}"#;
    let lines = events
        .iter()
        .zip(1..)
        .map(|(event, time)| format!("\n{{\"t\":{time},{event}}}"));
    Recording::parse(&(header.to_owned() + &lines.collect::<String>() + "\n")).unwrap()
}

fn playback(events: &[&str]) -> Playback {
    Playback::new(&recording(events), Secrets::new([]), false)
}

fn host(line: &str) -> String {
    format!("\"host\":{line}")
}

fn cli(line: &str) -> String {
    format!("\"cli\":{line}")
}

/// Returns the line that is sent next.
fn sent(playback: &mut Playback) -> Value {
    match playback.next() {
        Next::Send { line, .. } => serde_json::from_str(&line).unwrap(),
        other => panic!("expected a line, got {other:?}"),
    }
}

fn is_awaiting(next: &Next, what: &str) -> bool {
    matches!(next, Next::Await(awaited) if awaited.contains(what))
}

#[test]
fn line_waits_for_the_host_lines_before_it() {
    let mut playback = playback(&[
        r#""cli":{"n":1}"#,
        &host(ASK_MODELS),
        &host(ASK_USAGE),
        &cli(MODELS),
    ]);
    assert_eq!(sent(&mut playback)["n"], 1);
    assert!(is_awaiting(&playback.next(), "`list_models`"));
    assert_eq!(playback.receive(ASK_USAGE), Received::Same);
    assert!(is_awaiting(&playback.next(), "`list_models`"));
    assert_eq!(playback.receive(ASK_MODELS), Received::Same);
    assert_eq!(sent(&mut playback)["type"], "control_response");
}

#[test]
fn responses_and_results_have_the_current_ids() {
    let mut playback = playback(&[
        &host(ASK_MODELS),
        &cli(MODELS),
        r#""host":{"type":"user","uuid":"then"}"#,
        r#""cli":{"type":"result","user_message_uuid":"then"}"#,
        r#""cli":{"type":"control_request","request_id":"h1","request":{}}"#,
    ]);
    playback.receive(&ASK_MODELS.replace("h1", "h7"));
    assert_eq!(sent(&mut playback)["response"]["request_id"], "h7");
    playback.receive(r#"{"type":"user","uuid":"now"}"#);
    assert_eq!(sent(&mut playback)["user_message_uuid"], "now");
    // Ids chosen by the CLI are unchanged.
    assert_eq!(sent(&mut playback)["request_id"], "h1");
}

#[test]
fn line_with_another_content_differs() {
    let recorded = r#"{"type":"user","uuid":"a","message":{"content":"What is 1 + 1?"}}"#;
    let mut playback = playback(&[&host(recorded)]);
    let Received::End(difference) =
        playback.receive(r#"{"type":"user","uuid":"b","message":{"content":"What is 1 + 2?"}}"#)
    else {
        panic!("the prompts differ");
    };
    assert_eq!(
        difference.to_string(),
        "line 2 of the recording (0.000 s) differs: a prompt\n  \
           at message.content:\n    \
             - recorded  \"What is 1 + 1?\"\n    \
             + now       \"What is 1 + 2?\""
    );
}

#[test]
fn unrecorded_lines_end_a_strict_replay() {
    for line in [ASK_USAGE, r#"{"type":"user"}"#] {
        let mut playback = playback(&[&host(ASK_MODELS)]);
        let received = playback.receive(line);
        assert!(
            matches!(&received, Received::End(difference) if difference.line.is_none()),
            "{received:?}"
        );
    }
    let mut playback = playback(&[&host(ASK_MODELS)]);
    let other = r#"{"type":"control_cancel_request","request_id":"h2"}"#;
    assert_eq!(playback.receive(other), Received::Same);
}

#[test]
fn lenient_replay_refuses_unrecorded_requests() {
    let mut playback = Playback::new(&recording(&[&host(ASK_MODELS)]), Secrets::new([]), true);
    let Received::Continue(_, Some(answer)) = playback.receive(ASK_USAGE) else {
        panic!("the recording has no such request");
    };
    assert!(
        answer.contains("h2") && answer.contains("get_usage"),
        "{answer}"
    );
    let prompt = playback.receive(r#"{"type":"user"}"#);
    assert!(matches!(prompt, Received::End(_)));
}

#[test]
fn redacted_part_is_equal_only_to_a_redacted_part() {
    let prompt = |text: &str| json!({ "type": "user", "text": text }).to_string();
    for (recorded, now, is_same) in [
        ("token=[redacted]", "token=abcdefgh1", true),
        ("token=[redacted] of a", "token=abcdefgh1 of b", false),
        ("token=[redacted]", "token=none, login failed", false),
        ("[redacted] and [redacted]", "hunter2 and hunter2", true),
        ("it is [redacted]", "it is another one", false),
    ] {
        let recording = recording(&[&host(&prompt(recorded))]);
        let secrets = Secrets::new(["hunter2".to_owned()]);
        let received = Playback::new(&recording, secrets, false).receive(&prompt(now));
        assert_eq!(
            received == Received::Same,
            is_same,
            "{recorded}: {received:?}"
        );
        // A difference shows no secret of today.
        assert!(
            !format!("{received:?}").contains("abcdefgh1"),
            "{received:?}"
        );
    }
}

#[test]
fn recording_with_secrets_is_compared_with_them() {
    let header = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z","redacted":false}"#;
    let prompt = r#"{"type":"user","token":"abcdefgh1"}"#;
    let text = format!("{header}\n{{\"t\":1,\"host\":{prompt}}}\n");
    let recording = Recording::parse(&text).unwrap();
    let mut playback = Playback::new(&recording, Secrets::new([]), false);
    assert_eq!(playback.receive(prompt), Received::Same);
}

#[test]
fn tool_is_not_called_with_redacted_arguments() {
    let call = r#"{"type":"control_request","request_id":"c1","request":{"subtype":"mcp_message","server_name":"s","message":{"method":"tools/call","params":{"name":"t","arguments":{"key":"[redacted]"}}}}}"#;
    let next = playback(&[&cli(call)]).next();
    assert!(
        matches!(&next, Next::Fail(reason) if reason.contains("redacted") && reason.contains("line 2")),
        "{next:?}"
    );
}

#[test]
fn end_comes_at_its_recorded_position() {
    let mut after_host = playback(&[r#""end":"host""#, r#""cli":{"n":1}"#, r#""end":"cli""#]);
    assert!(is_awaiting(&after_host.next(), "end"));
    after_host.receive_end();
    sent(&mut after_host);
    assert_eq!(after_host.next(), Next::End);

    let mut by_itself = playback(&[r#""cli":{"n":1}"#, r#""end":"cli""#]);
    sent(&mut by_itself);
    assert_eq!(by_itself.next(), Next::End);

    let mut closed_early = playback(&[&host(ASK_MODELS), &cli(MODELS)]);
    closed_early.receive_end();
    assert!(matches!(closed_early.next(), Next::Differ(_)));
}

#[test]
fn recording_that_stopped_ends_with_the_reason() {
    let next = playback(&[r#""stopped":"no space left""#]).next();
    assert!(matches!(&next, Next::Fail(reason) if reason.contains("no space left")));
}
