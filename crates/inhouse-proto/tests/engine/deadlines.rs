use std::time::Duration;

use inhouse_proto::engine::{Event, Outcome};

use crate::Host;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn engine_without_requests_has_no_timeout() {
    assert_eq!(Host::new().engine.poll_timeout(), None);
}

#[test]
fn timeout_is_the_earliest_deadline() {
    let mut host = Host::new();
    host.engine.request("{}", Some(host.now + 3 * SECOND));
    let early = host.engine.request("{}", Some(host.now + SECOND));
    host.engine.request("{}", None);
    assert_eq!(host.engine.poll_timeout(), Some(host.now + SECOND));
    host.engine.withdraw(early);
    assert_eq!(host.engine.poll_timeout(), Some(host.now + 3 * SECOND));
}

#[test]
fn request_past_its_deadline_times_out_and_is_cancelled() {
    let mut host = Host::new();
    let first = host.engine.request("{}", Some(host.now + SECOND));
    let second = host.engine.request("{}", Some(host.now + 2 * SECOND));
    host.sent();
    assert!(host.advance(SECOND - Duration::from_nanos(1)).is_empty());
    let events = host.advance(Duration::from_nanos(1));
    assert!(matches!(
        &events[..],
        [Event::Reply { id, outcome: Outcome::TimedOut }] if *id == first
    ));
    let sent = host.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["type"], "control_cancel_request");
    assert_eq!(sent[0]["request_id"], first.to_string());
    let events = host.advance(10 * SECOND);
    assert!(matches!(&events[..], [Event::Reply { id, .. }] if *id == second));
    assert_eq!(host.engine.poll_timeout(), None);
}
