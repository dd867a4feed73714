//! What is measured, and with whom.

/// One thing that the generator does with a host.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What the generator is told.
    pub(crate) script: String,
    pub(crate) milliseconds: u32,
    /// On how many cores host and generator run, each a trial of its own.
    pub(crate) cores: &'static [usize],
    /// In how many rounds it takes part.
    pub(crate) rounds: usize,
    /// How often it is tried in each of them: more often where a trial gives a single time.
    pub(crate) repetitions: usize,
    pub(crate) servers: usize,
    pub(crate) reads_late: bool,
    hosts: Hosts,
}

#[derive(Clone, Copy)]
enum Hosts {
    All,
    /// Those where a difference could show: one way of writing tools, and the peers.
    OneOfEach,
    /// Those that do it in reasonable time.
    Quick,
}

/// How many servers the host has that has many.
pub(crate) const SERVERS: usize = 1_000;

const BOTH: &[usize] = &[1, 2];
const TWO: &[usize] = &[2];

/// All scenarios; `quick` ones only show that they work.
pub(crate) fn all(quick: bool) -> Vec<Scenario> {
    let small = if quick { 2_000 } else { 200_000 };
    let large = if quick { 2 } else { 64 };
    let unread = if quick { 1_000 } else { 50_000 };
    let many = if quick { 10_000 } else { 1_000_000 };
    let servers = if quick { 10 } else { SERVERS };
    let milliseconds = if quick { 100 } else { 1_000 };
    let starts = if quick { 1 } else { 10 };
    let base = |name, title, script: String| Scenario {
        name,
        title,
        script,
        milliseconds,
        cores: TWO,
        rounds: usize::MAX,
        repetitions: 1,
        servers: 1,
        reads_late: false,
        hosts: Hosts::OneOfEach,
    };
    let wide = |scenario| Scenario {
        cores: BOTH,
        hosts: Hosts::All,
        ..scenario
    };
    let all_on_two = |scenario| Scenario {
        hosts: Hosts::All,
        ..scenario
    };
    let once = |scenario| Scenario {
        rounds: 1,
        ..scenario
    };
    vec![
        wide(base(
            "sequential",
            "small calls one by one",
            "sequential".into(),
        )),
        once(all_on_two(base(
            "in-flight-8",
            "8 calls in flight",
            "in-flight:8".into(),
        ))),
        all_on_two(base(
            "in-flight-64",
            "64 calls in flight",
            "in-flight:64".into(),
        )),
        once(all_on_two(base(
            "in-flight-256",
            "256 calls in flight",
            "in-flight:256".into(),
        ))),
        once(base(
            "beside-slow",
            "calls beside 16 slow ones",
            "beside-slow".into(),
        )),
        once(base(
            "echo-1k",
            "argument and result of 1 KiB",
            "echo:1024".into(),
        )),
        once(base(
            "echo-64k",
            "argument and result of 64 KiB",
            "echo:65536".into(),
        )),
        Scenario {
            cores: BOTH,
            ..base(
                "echo-1m",
                "argument and result of 1 MiB",
                "echo:1048576".into(),
            )
        },
        once(base(
            "echo-16m",
            "argument and result of 16 MiB",
            "echo:16777216".into(),
        )),
        base("hook", "hooks one by one", "hook".into()),
        once(base(
            "permission",
            "permissions one by one",
            "permission".into(),
        )),
        base(
            "messages-small",
            "a stream of small messages",
            format!("messages:{small}:100"),
        ),
        once(base(
            "messages-1m",
            "a stream of messages of 1 MiB",
            format!("messages:{large}:1048576"),
        )),
        Scenario {
            reads_late: true,
            ..base(
                "backlog",
                "unread messages",
                format!("backlog:{unread}:100"),
            )
        },
        Scenario {
            repetitions: starts,
            ..base(
                "connect",
                "from `query` to the first call",
                "connect".into(),
            )
        },
        once(Scenario {
            servers,
            ..base("servers", "many servers", "connect".into())
        }),
        once(Scenario {
            hosts: Hosts::Quick,
            ..base("endurance", "a million calls", format!("endurance:{many}"))
        }),
    ]
}

impl Scenario {
    /// Whether it is worth the time with this host.
    pub(crate) fn suits(&self, host: &str) -> bool {
        match self.hosts {
            Hosts::All => true,
            Hosts::OneOfEach => host != "macro",
            Hosts::Quick => host != "macro" && host != "python",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_used_twice() {
        let mut names: Vec<_> = all(true).iter().map(|scenario| scenario.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all(false).len());
    }
}
