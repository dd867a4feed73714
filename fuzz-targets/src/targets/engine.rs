use std::time::{Duration, Instant};

use inhouse_proto::engine::{Config, Engine, Event};
use serde_json::json;

use super::is_json;

/// Feeds bytes to the engine in different portions, and answers its requests.
///
/// The first two bytes choose the portions and the maximum length of a line; the rest is the output of a CLI. The events
/// do not depend on the portions, and every line that the engine writes is JSON.
pub fn engine(bytes: &[u8]) {
    let [portions, limit, output @ ..] = bytes else {
        return;
    };
    // Not below 200, the length of a sample: a line that is discarded early has a shorter one.
    let limit = match limit % 4 {
        0 => 256,
        1 => 4096,
        _ => usize::MAX,
    };
    let now = Instant::now();
    let whole = events([output], limit, now);
    assert_eq!(
        events(output.chunks(1 + usize::from(*portions)), limit, now),
        whole,
        "portions of {}",
        1 + usize::from(*portions)
    );
    assert_eq!(
        events(uneven(output, *portions), limit, now),
        whole,
        "uneven portions"
    );
    answer_all(output, limit, now);
}

/// Returns an engine with an open run and open requests, which lines of the CLI may refer to.
fn prepared(limit: usize, now: Instant) -> Engine {
    let mut engine = Engine::new(Config {
        max_line: limit,
        ceiling: Some(Duration::from_secs(10)),
    });
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "Hello"}});
    engine.send(&prompt).expect("a value serializes");
    for _ in 0..4 {
        engine.request(
            r#"{"subtype":"interrupt"}"#,
            Some(now + Duration::from_secs(5)),
        );
    }
    engine
}

/// Returns the events as debug text, which contains no time and no address.
fn events<'a>(
    portions: impl IntoIterator<Item = &'a [u8]>,
    limit: usize,
    now: Instant,
) -> Vec<String> {
    let mut engine = prepared(limit, now);
    let mut events = Vec::new();
    for portion in portions {
        engine.space().extend_from_slice(portion);
        engine.receive(now);
        while let Some(event) = engine.poll_event() {
            events.push(format!("{event:?}"));
        }
    }
    engine.receive_end(now);
    engine.handle_timeout(now + Duration::from_secs(60));
    while let Some(event) = engine.poll_event() {
        events.push(format!("{event:?}"));
    }
    events
}

/// Splits bytes into portions of different lengths.
fn uneven(mut rest: &[u8], seed: u8) -> impl Iterator<Item = &[u8]> {
    let mut state = u32::from(seed) | 1;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let length = 1 + (state >> 24) as usize;
        let (portion, other) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        rest = other;
        (!portion.is_empty()).then_some(portion)
    })
}

/// Decodes every message and answers every request; checks the lines that the engine writes.
fn answer_all(output: &[u8], limit: usize, now: Instant) {
    let mut engine = prepared(limit, now);
    for portion in output.split_inclusive(|byte| *byte == b'\n') {
        engine.space().extend_from_slice(portion);
        engine.receive(now);
        answer(&mut engine);
    }
    engine.receive_end(now);
    answer(&mut engine);
    let mut written = Vec::new();
    while let Some(bytes) = engine.poll_transmit() {
        written.extend_from_slice(&bytes);
    }
    let written = std::str::from_utf8(&written).expect("the engine writes UTF-8");
    assert!(
        written.ends_with('\n'),
        "the last line is complete: {written}"
    );
    for line in written.lines() {
        assert!(is_json(line), "not JSON: {line}");
    }
}

fn answer(engine: &mut Engine) {
    while let Some(event) = engine.poll_event() {
        match event {
            Event::Request(ticket, request) => engine.respond(ticket, request.unhandled()),
            Event::Message(frame) | Event::Transcript(frame) => {
                let message = frame.decode();
                assert!(is_json(message.raw()), "not JSON: {}", message.raw());
            }
            _ => {}
        }
    }
}
