use std::str::FromStr;
use std::time::Duration;

use super::operation::{Operation, text_of};
use super::warm_up::WarmUp;
use super::{Failure, Session, messages, round_trips};
use crate::report::Report;

/// The lengths of warm-up and measurement.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The limits of the warm-up.
    pub warm_up: WarmUp,
    /// The length of the measurement.
    pub duration: Duration,
}

/// The load that the generator puts on a connected host.
#[derive(Debug, PartialEq)]
pub enum Scenario {
    /// Small calls, one after the other.
    Sequential,
    /// Small calls with this many open at all times.
    InFlight(usize),
    /// Small calls one after the other while slow ones are open.
    BesideSlow,
    /// Calls with an argument and a result of this many bytes.
    Echo(usize),
    /// Hook callbacks, one after the other.
    Hook,
    /// Permission requests, one after the other.
    Permission,
    /// This many messages with this many bytes of text.
    Messages(usize, usize),
    /// This many messages of that size, which the host does not read.
    Backlog(usize, usize),
    /// This many small calls, to measure the growth of the host's memory.
    Endurance(usize),
    /// No load: only the start is measured.
    Connect,
}

impl Scenario {
    /// Runs the scenario and notes its figures.
    ///
    /// # Errors
    /// Returns an error if a response is wrong or missing.
    pub fn run(
        &self,
        session: &mut Session,
        timing: Timing,
        report: &mut Report,
    ) -> Result<(), Failure> {
        match *self {
            Self::Sequential => round_trips::sequential(session, &Operation::Add, timing, report),
            Self::InFlight(count) => round_trips::in_flight(session, count, timing, report),
            Self::BesideSlow => round_trips::beside_slow(session, timing, report),
            Self::Echo(bytes) => {
                let echo = Operation::Echo(text_of(bytes).into());
                round_trips::sequential(session, &echo, timing, report)
            }
            Self::Hook => {
                let hook = Operation::Hook(session.hook.clone());
                round_trips::sequential(session, &hook, timing, report)
            }
            Self::Permission => {
                round_trips::sequential(session, &Operation::Permission, timing, report)
            }
            Self::Messages(count, bytes) => {
                messages::warm_stream(session, count, bytes, timing, report)
            }
            Self::Backlog(count, bytes) => messages::backlog(session, count, bytes, report),
            Self::Endurance(count) => round_trips::endurance(session, count, report),
            Self::Connect => Ok(()),
        }
    }
}

/// Parses a name and its numbers, separated by colons: `in-flight:64`.
impl FromStr for Scenario {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let numbers: Result<Vec<usize>, _> = parts.map(str::parse).collect();
        let numbers = numbers
            .map_err(|_| Failure::new(format!("`{text}` has a part that is not a number")))?;
        Ok(match (name, numbers.as_slice()) {
            ("sequential", []) => Self::Sequential,
            ("in-flight", &[count]) => Self::InFlight(count),
            ("beside-slow", []) => Self::BesideSlow,
            ("echo", &[bytes]) => Self::Echo(bytes),
            ("hook", []) => Self::Hook,
            ("permission", []) => Self::Permission,
            ("messages", &[count, bytes]) => Self::Messages(count, bytes),
            ("backlog", &[count, bytes]) => Self::Backlog(count, bytes),
            ("endurance", &[count]) => Self::Endurance(count),
            ("connect", []) => Self::Connect,
            _ => return Err(Failure::new(format!("`{text}` is not a scenario"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_parsed_with_their_numbers() {
        let parse = |text: &str| text.parse::<Scenario>().ok();
        assert_eq!(parse("in-flight:64"), Some(Scenario::InFlight(64)));
        assert_eq!(parse("messages:10:100"), Some(Scenario::Messages(10, 100)));
        for text in ["", "in-flight", "in-flight:many", "sequential:1", "else"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
