//! The loads that are measured, and on which hosts.

/// One load that the generator puts on a host.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The value of `BENCH_SCENARIO` for the generator.
    pub(crate) script: String,
    pub(crate) milliseconds: u32,
    /// The numbers of cores for host and generator, each a separate trial.
    pub(crate) cores: &'static [usize],
    rounds: Rounds,
    /// The trials per round; more than one where a trial gives a single time.
    pub(crate) repetitions: usize,
    pub(crate) servers: usize,
    /// Whether the host starts to read its messages late.
    pub(crate) reads_late: bool,
    hosts: Hosts,
}

#[derive(Clone, Copy)]
enum Rounds {
    First,
    Every,
    AtLeast(usize),
}

#[derive(Clone, Copy)]
enum Hosts {
    All,
    /// One way to write tools, and the official SDKs.
    OneOfEach,
    /// The hosts that finish in reasonable time.
    Fast,
}

/// The number of servers in the scenario `servers`.
pub(crate) const SERVERS: usize = 1_000;

const BOTH: &[usize] = &[1, 2];
const TWO: &[usize] = &[2];

/// Returns all scenarios. `quick` ones only show that they work.
pub(crate) fn all(quick: bool) -> Vec<Scenario> {
    let small = if quick { 2_000 } else { 200_000 };
    let large = if quick { 2 } else { 64 };
    let unread = if quick { 1_000 } else { 50_000 };
    let many = if quick { 10_000 } else { 1_000_000 };
    let scenario = |name, title, rounds, script: &str| Scenario {
        name,
        title,
        script: script.to_owned(),
        milliseconds: if quick { 100 } else { 1_000 },
        cores: TWO,
        rounds,
        repetitions: 1,
        servers: 1,
        reads_late: false,
        hosts: Hosts::OneOfEach,
    };
    // On two cores of a small virtual machine the rate has two modes: either both processes run all the time, or both
    // sleep and wake each other for every call. A median needs more rounds than the others.
    let in_flight = |name, title, script| Scenario {
        hosts: Hosts::All,
        ..scenario(name, title, Rounds::AtLeast(5), script)
    };
    vec![
        Scenario {
            cores: BOTH,
            hosts: Hosts::All,
            ..scenario(
                "sequential",
                "small calls one by one",
                Rounds::Every,
                "sequential",
            )
        },
        in_flight("in-flight-8", "8 calls in flight", "in-flight:8"),
        in_flight("in-flight-64", "64 calls in flight", "in-flight:64"),
        in_flight("in-flight-256", "256 calls in flight", "in-flight:256"),
        scenario(
            "beside-slow",
            "calls beside 16 slow ones",
            Rounds::First,
            "beside-slow",
        ),
        scenario(
            "echo-1k",
            "argument and result of 1 KiB",
            Rounds::First,
            "echo:1024",
        ),
        scenario(
            "echo-64k",
            "argument and result of 64 KiB",
            Rounds::First,
            "echo:65536",
        ),
        Scenario {
            cores: BOTH,
            ..scenario(
                "echo-1m",
                "argument and result of 1 MiB",
                Rounds::Every,
                "echo:1048576",
            )
        },
        scenario(
            "echo-16m",
            "argument and result of 16 MiB",
            Rounds::First,
            "echo:16777216",
        ),
        scenario("hook", "hooks one by one", Rounds::Every, "hook"),
        scenario(
            "permission",
            "permissions one by one",
            Rounds::First,
            "permission",
        ),
        scenario(
            "messages-small",
            "a stream of small messages",
            Rounds::Every,
            &format!("messages:{small}:100"),
        ),
        scenario(
            "messages-1m",
            "a stream of messages of 1 MiB",
            Rounds::First,
            &format!("messages:{large}:1048576"),
        ),
        Scenario {
            reads_late: true,
            ..scenario(
                "backlog",
                "unread messages",
                Rounds::Every,
                &format!("backlog:{unread}:100"),
            )
        },
        Scenario {
            repetitions: if quick { 1 } else { 10 },
            ..scenario(
                "connect",
                "from `query` to the first call",
                Rounds::Every,
                "connect",
            )
        },
        Scenario {
            servers: if quick { 10 } else { SERVERS },
            ..scenario("servers", "many servers", Rounds::First, "connect")
        },
        Scenario {
            hosts: Hosts::Fast,
            ..scenario(
                "endurance",
                "a million calls",
                Rounds::First,
                &format!("endurance:{many}"),
            )
        },
    ]
}

impl Scenario {
    /// Returns whether the scenario is measured on this host.
    pub(crate) fn includes(&self, host: &str) -> bool {
        match self.hosts {
            Hosts::All => true,
            Hosts::OneOfEach => !["macro", "closure-recorded"].contains(&host),
            Hosts::Fast => !["macro", "closure-recorded", "python"].contains(&host),
        }
    }

    /// Returns the number of rounds of this scenario, when `default` rounds are asked for.
    pub(crate) fn rounds(&self, default: usize) -> usize {
        match self.rounds {
            Rounds::First => 1,
            Rounds::Every => default,
            Rounds::AtLeast(least) => default.max(least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = all(true).iter().map(|scenario| scenario.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all(false).len());
    }
}
