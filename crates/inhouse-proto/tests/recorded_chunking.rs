//! Checks that the events of the engine do not depend on how the bytes of a recording are split.

mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use inhouse_proto::engine::{Config, Engine, Event};

use crate::support::recordings;

/// Largest size of the portions of equal size, in bytes.
const SMALL_PORTIONS: usize = 24;

/// Number of random splits of each recording.
const RANDOM_CUTS: u64 = 24;

#[test]
fn events_of_recordings_do_not_depend_on_the_chunking() {
    for path in &recordings(".jsonl") {
        let bytes = fs::read(path).expect("the recording can be read");
        let now = Instant::now();
        let whole = events([bytes.as_slice()], now);
        assert!(!whole.is_empty(), "{} has no events", path.display());

        for size in 1..=SMALL_PORTIONS {
            let portions = events(bytes.chunks(size), now);
            assert_same(&portions, &whole, path, &format!("portions of {size}"));
        }
        for seed in 0..RANDOM_CUTS {
            let portions = events(RandomPortions::new(&bytes, seed), now);
            assert_same(&portions, &whole, path, &format!("seed {seed}"));
        }
    }
}

#[test]
fn last_line_feed_of_a_recording_is_optional() {
    for path in recordings(".jsonl") {
        let bytes = fs::read(&path).expect("the recording can be read");
        let cut = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let now = Instant::now();
        let whole = events([bytes.as_slice()], now);
        assert_same(&events([cut], now), &whole, &path, "no line feed");
    }
}

/// Returns the events of the portions as debug text, which contains no time and no address.
fn events<'a>(portions: impl IntoIterator<Item = &'a [u8]>, now: Instant) -> Vec<String> {
    let mut engine = Engine::new(Config {
        max_line: usize::MAX,
        ceiling: None,
    });
    let mut events = Vec::new();
    for portion in portions {
        engine.space().extend_from_slice(portion);
        engine.receive(now);
        while let Some(event) = engine.poll_event() {
            events.push(shown(&event));
        }
    }
    engine.receive_end(now);
    while let Some(event) = engine.poll_event() {
        events.push(shown(&event));
    }
    events
}

fn shown(event: &Event) -> String {
    format!("{event:?}")
}

#[track_caller]
fn assert_same(portions: &[String], whole: &[String], path: &Path, cut: &str) {
    let differs = portions
        .iter()
        .zip(whole)
        .position(|(one, other)| one != other);
    if let Some(at) = differs {
        panic!(
            "{} differs with {cut} at event {at}:\n  {}\n  {}",
            path.display(),
            portions[at],
            whole[at]
        );
    }
    assert_eq!(portions.len(), whole.len(), "{} with {cut}", path.display());
}

/// Splits bytes into portions of one to 4,096 bytes, with small ones more often.
struct RandomPortions<'a> {
    rest: &'a [u8],
    state: u64,
}

impl<'a> RandomPortions<'a> {
    fn new(bytes: &'a [u8], seed: u64) -> Self {
        Self {
            rest: bytes,
            state: seed,
        }
    }

    /// Returns the next number of the SplitMix64 generator.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl<'a> Iterator for RandomPortions<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let most = 1 << (self.random() % 13);
        let length = 1 + usize::try_from(self.random() % most).expect("at most 4096");
        let (portion, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        Some(portion)
    }
}
