use std::time::Duration;

use inhouse_proto::engine::{Event, Outcome};

use crate::Host;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn nothing_asked_nothing_to_wait_for() {
    assert_eq!(Host::new().engine.poll_timeout(), None);
}

#[test]
fn the_next_deadline_is_the_earliest() {
    let mut host = Host::new();
    host.engine.request("{}", Some(host.now + 3 * SECOND));
    let early = host.engine.request("{}", Some(host.now + SECOND));
    host.engine.request("{}", None);
    assert_eq!(host.engine.poll_timeout(), Some(host.now + SECOND));
    host.engine.withdraw(early);
    assert_eq!(host.engine.poll_timeout(), Some(host.now + 3 * SECOND));
}

#[test]
fn a_request_past_its_deadline_fails_and_is_withdrawn() {
    let mut host = Host::new();
    let late = host.engine.request("{}", Some(host.now + SECOND));
    let patient = host.engine.request("{}", Some(host.now + 2 * SECOND));
    host.says();
    assert!(host.waits(SECOND - Duration::from_nanos(1)).is_empty());
    let events = host.waits(Duration::from_nanos(1));
    assert!(matches!(
        &events[..],
        [Event::Reply { id, outcome: Outcome::TimedOut }] if *id == late
    ));
    let said = host.says();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["type"], "control_cancel_request");
    assert_eq!(said[0]["request_id"], late.to_string());
    let events = host.waits(10 * SECOND);
    assert!(matches!(&events[..], [Event::Reply { id, .. }] if *id == patient));
    assert_eq!(host.engine.poll_timeout(), None);
}
