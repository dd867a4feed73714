use super::*;

const ASK_MODELS: &str =
    r#"{"type":"control_request","request_id":"h1","request":{"subtype":"list_models"}}"#;
const ASK_USAGE: &str =
    r#"{"type":"control_request","request_id":"h2","request":{"subtype":"get_usage"}}"#;
const MODELS: &str =
    r#"{"type":"control_response","response":{"subtype":"success","request_id":"h1"}}"#;

fn playback(steps: &[(&str, &str)]) -> Playback {
    let steps = steps.iter().map(|(by, line)| {
        let line = (*line).to_owned();
        match *by {
            "in" => Step::Line {
                by: Side::Host,
                line,
            },
            "out" => Step::Line {
                by: Side::Cli,
                line,
            },
            "in end" => Step::End(Side::Host),
            _ => Step::End(Side::Cli),
        }
    });
    Playback::new(&steps.collect())
}

fn say(line: &str) -> Next {
    Next::Say(line.to_owned())
}

fn is_awaiting(next: &Next, what: &str) -> bool {
    matches!(next, Next::Await(awaited) if awaited.contains(what))
}

#[test]
fn line_waits_for_the_host_lines_before_it() {
    let mut playback = playback(&[
        ("out", "1"),
        ("in", ASK_MODELS),
        ("in", ASK_USAGE),
        ("out", MODELS),
    ]);
    assert_eq!(playback.next(), say("1"));
    assert!(is_awaiting(&playback.next(), "`list_models`"));
    assert_eq!(playback.hear(ASK_USAGE), Heard::Fine);
    assert!(is_awaiting(&playback.next(), "`list_models`"));
    assert_eq!(playback.hear(ASK_MODELS), Heard::Fine);
    assert_eq!(playback.next(), say(MODELS));
}

#[test]
fn responses_and_results_have_the_current_ids() {
    let mut playback = playback(&[
        ("in", ASK_MODELS),
        ("out", MODELS),
        ("in", r#"{"type":"user","uuid":"then"}"#),
        ("out", r#"{"type":"result","user_message_uuid":"then"}"#),
        (
            "out",
            r#"{"type":"control_request","request_id":"h1","request":{}}"#,
        ),
    ]);
    playback.hear(&ASK_MODELS.replace("h1", "h7"));
    let Next::Say(answer) = playback.next() else {
        panic!("everything that came before the answer has been heard");
    };
    // The order of its members is not promised.
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["response"]["request_id"], "h7");
    assert_eq!(answer["response"]["subtype"], "success");
    playback.hear(r#"{"type":"user","uuid":"now"}"#);
    assert_eq!(
        playback.next(),
        say(r#"{"type":"result","user_message_uuid":"now"}"#)
    );
    // The CLI's own ids are left alone, whatever they look like.
    assert!(matches!(playback.next(), Next::Say(line) if line.contains("h1")));
}

#[test]
fn unrecorded_requests_are_refused_and_prompts_end_the_replay() {
    let mut playback = playback(&[("in", ASK_MODELS)]);
    let Heard::Unknown { answer } = playback.hear(ASK_USAGE) else {
        panic!("there is no such request in the recording");
    };
    assert!(
        answer.contains("h2") && answer.contains("get_usage"),
        "{answer}"
    );
    assert!(matches!(
        playback.hear(r#"{"type":"user"}"#),
        Heard::Astray(_)
    ));
    let aside = r#"{"type":"control_cancel_request","request_id":"h2"}"#;
    assert_eq!(playback.hear(aside), Heard::Fine);
}

#[test]
fn end_comes_at_its_recorded_position() {
    let mut after_host = playback(&[("in end", ""), ("out", "bye"), ("out end", "")]);
    assert!(is_awaiting(&after_host.next(), "end"));
    after_host.hear_end();
    assert_eq!(after_host.next(), say("bye"));
    assert_eq!(after_host.next(), Next::End);

    let mut by_itself = playback(&[("out", "bye"), ("out end", "")]);
    by_itself.next();
    assert_eq!(by_itself.next(), Next::End);

    let mut left_early = playback(&[("in", ASK_MODELS), ("out", MODELS)]);
    left_early.hear_end();
    assert_eq!(left_early.next(), Next::End);
}
