//! Requests and their responses.

use std::time::{Duration, Instant};

use super::operation::Operation;
use super::{Failure, Session, Timing};
use crate::report::Report;

/// The number of slow calls that are open beside the fast ones.
const SLOW_CALLS: usize = 16;

/// The number of open calls in the scenario `endurance`.
const ENDURANCE_IN_FLIGHT: usize = 64;

/// Measures the latency of operations one after the other.
pub(super) fn sequential(
    session: &mut Session,
    operation: &Operation,
    timing: Timing,
    report: &mut Report,
) -> Result<(), Failure> {
    measure(session, timing, report, |session| {
        session.round_trip(operation)?;
        Ok(1)
    })
}

/// Measures the rate of calls with `count` open at all times.
pub(super) fn in_flight(
    session: &mut Session,
    count: usize,
    timing: Timing,
    report: &mut Report,
) -> Result<(), Failure> {
    for _ in 0..count {
        session.request(&Operation::Add)?;
    }
    let mut latencies = Vec::new();
    let measured = Measured::run(session, &mut latencies, timing, report, |session| {
        session.response()?;
        session.request(&Operation::Add)?;
        Ok(1)
    })?;
    measured.note(report);
    for _ in 0..count {
        session.response()?;
    }
    Ok(())
}

/// Measures fast calls one after the other, while slow ones are open at all times.
pub(super) fn beside_slow(
    session: &mut Session,
    timing: Timing,
    report: &mut Report,
) -> Result<(), Failure> {
    for _ in 0..SLOW_CALLS {
        session.request(&Operation::Slow)?;
    }
    measure(session, timing, report, |session| {
        let fast = session.request(&Operation::Add)?;
        loop {
            let (id, operation) = session.response()?;
            if id == fast {
                return Ok(1);
            }
            session.request(&operation)?;
        }
    })?;
    // Fast calls continue until all slow ones are answered: the floor checks its clock only when it reads a line.
    let mut open = SLOW_CALLS;
    while open > 0 {
        let fast = session.request(&Operation::Add)?;
        while session.response()?.0 != fast {
            open -= 1;
        }
    }
    Ok(())
}

/// Makes a fixed number of calls; notes the memory of the host after the first hundredth and at the end.
pub(super) fn endurance(
    session: &mut Session,
    count: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    let open = count.min(ENDURANCE_IN_FLIGHT);
    for _ in 0..open {
        session.request(&Operation::Add)?;
    }
    let rest = count - open;
    for done in 0..rest {
        if done == rest / 100 {
            session.note_memory(report, "early_kib")?;
        }
        session.response()?;
        session.request(&Operation::Add)?;
    }
    for _ in 0..open {
        session.response()?;
    }
    session.note_memory(report, "late_kib")
}

/// Warms up, then repeats `step` and notes the percentiles of its latency.
fn measure(
    session: &mut Session,
    timing: Timing,
    report: &mut Report,
    step: impl FnMut(&mut Session) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    let mut latencies = Vec::with_capacity(1 << 16);
    let measured = Measured::run(session, &mut latencies, timing, report, step)?;
    measured.note(report);
    latencies.sort_unstable();
    report.set("p50_us", percentile(&latencies, 50));
    report.set("p99_us", percentile(&latencies, 99));
    Ok(())
}

/// The cost of a measurement.
struct Measured {
    operations: u64,
    elapsed: Duration,
    host_cpu: u64,
}

impl Measured {
    fn run(
        session: &mut Session,
        latencies: &mut Vec<Duration>,
        timing: Timing,
        report: &mut Report,
        mut step: impl FnMut(&mut Session) -> Result<u64, Failure>,
    ) -> Result<Self, Failure> {
        timing.warm_up.run(session, report, &mut step)?;
        let cpu = session.host_cpu()?;
        let begin = Instant::now();
        let mut last = begin;
        let mut operations = 0;
        while last - begin < timing.duration {
            operations += step(session)?;
            let now = Instant::now();
            latencies.push(now - last);
            last = now;
        }
        Ok(Self {
            operations,
            elapsed: last - begin,
            host_cpu: session.host_cpu()? - cpu,
        })
    }

    fn note(&self, report: &mut Report) {
        report.count("operations", self.operations);
        let operations = self.operations as f64;
        report.set("per_second", operations / self.elapsed.as_secs_f64());
        report.set("host_cpu_us", self.host_cpu as f64 / operations);
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted
        .get(at)
        .map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e6)
}
