//! The goals for speed and memory, and whether a run meets them.

use std::fmt::Write as _;

use super::figures::Figures;

/// A limit for one figure of inhouse, with closures where it has tools.
pub(crate) struct Goal {
    pub(crate) title: &'static str,
    limit: Limit,
    value: fn(&Figures) -> Option<f64>,
}

enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// In megabytes of 1,000,000 bytes.
    BelowMegabytes(f64),
    /// A figure that is not a ratio, with its unit.
    AtMostUnits(f64, &'static str),
}

const OURS: &str = "closure";

pub(crate) const GOALS: [Goal; 21] = [
    Goal {
        title: "small call, p50, one core, in comparison with the floor",
        limit: Limit::AtMost(1.6),
        value: |f| ratio(f, ("sequential", 1, "p50_us"), OURS, "floor"),
    },
    Goal {
        title: "small call, p50, two cores, in comparison with the floor",
        limit: Limit::AtMost(1.3),
        value: |f| ratio(f, ("sequential", 2, "p50_us"), OURS, "floor"),
    },
    Goal {
        title: "calls per second, 64 in flight, two cores, in comparison with the TypeScript SDK",
        limit: Limit::AtLeast(15.0),
        value: |f| ratio(f, ("in-flight-64", 2, "per_second"), OURS, "typescript"),
    },
    Goal {
        title: "calls per second, 64 in flight, two cores, in comparison with the Python SDK",
        limit: Limit::AtLeast(300.0),
        value: |f| ratio(f, ("in-flight-64", 2, "per_second"), OURS, "python"),
    },
    Goal {
        title: "small messages per second, in comparison with the TypeScript SDK",
        limit: Limit::AtLeast(2.0),
        value: |f| ratio(f, ("messages-small", 2, "stream_ms"), "typescript", OURS),
    },
    Goal {
        title: "small messages per second, in comparison with the Python SDK",
        limit: Limit::AtLeast(8.0),
        value: |f| ratio(f, ("messages-small", 2, "stream_ms"), "python", OURS),
    },
    Goal {
        title: "memory, connected",
        limit: Limit::BelowMegabytes(8.0),
        value: |figures| {
            let kib = figures.value("connect", 2, OURS, "connected_kib")?;
            Some(kib * 1024.0 / 1e6)
        },
    },
    Goal {
        title: "calls per second, 64 in flight, recorded, in comparison with not recorded",
        limit: Limit::AtLeast(0.9),
        value: |f| {
            let scenario = ("in-flight-64", 2, "per_second");
            ratio(f, scenario, "closure-recorded", OURS)
        },
    },
    Goal {
        title: "list of 10,000 sessions of 84 kB, CPU",
        limit: Limit::AtMostUnits(0.5, "s"),
        value: |f| {
            f.session_value("list, inhouse", "cpu_ms")
                .map(|ms| ms / 1e3)
        },
    },
    Goal {
        title: "list of 10,000 sessions of 84 kB, peak memory",
        limit: Limit::AtMostUnits(20.0, "MB"),
        value: |f| {
            f.session_value("list, inhouse", "peak_kib")
                .map(|kib| kib * 1024.0 / 1e6)
        },
    },
    Goal {
        title: "info of a transcript of 1 GB",
        limit: Limit::AtMostUnits(10.0, "ms"),
        value: |f| f.session_value("info", "wall_ms"),
    },
    Goal {
        title: "messages of a transcript of 1 GB, streamed, peak memory",
        limit: Limit::AtMostUnits(64.0, "MB"),
        value: |f| {
            f.session_value("messages", "peak_kib")
                .map(|kib| kib * 1024.0 / 1e6)
        },
    },
    Goal {
        title: "mirror of an entry of 2 kB, appended on its own, CPU",
        limit: Limit::AtMostUnits(20.0, "µs"),
        value: |f| f.session_value("mirror, one by one", "each_us"),
    },
    Goal {
        title: "mirror of an entry of 2 kB, appended with others, CPU",
        limit: Limit::AtMostUnits(20.0, "µs"),
        value: |f| f.session_value("mirror, burst", "each_us"),
    },
    Goal {
        title: "resume of 100 kB from SQLite, without the CLI",
        limit: Limit::AtMostUnits(50.0, "ms"),
        value: |f| f.session_value("resume 100 kB, sqlite", "wall_ms"),
    },
    Goal {
        title: "resume of 100 kB from PostgreSQL, without the CLI",
        limit: Limit::AtMostUnits(50.0, "ms"),
        value: |f| f.session_value("resume 100 kB, postgres", "wall_ms"),
    },
    Goal {
        title: "resume of 20 MB from SQLite, without the CLI",
        limit: Limit::AtMostUnits(500.0, "ms"),
        value: |f| f.session_value("resume 20 MB, sqlite", "wall_ms"),
    },
    Goal {
        title: "resume of 20 MB from PostgreSQL, without the CLI",
        limit: Limit::AtMostUnits(500.0, "ms"),
        value: |f| f.session_value("resume 20 MB, postgres", "wall_ms"),
    },
    Goal {
        title: "turns per second of a fleet, in comparison with pgbench and the same statements",
        limit: Limit::AtLeast(0.4),
        value: |f| fleet_ratio(f, "turns", "turns, pgbench", "per_second"),
    },
    Goal {
        title: "from enqueueing a prompt to the start of its CLI, p50",
        limit: Limit::AtMostUnits(20.0, "ms"),
        value: |f| f.fleet_value("begin", "p50_ms"),
    },
    Goal {
        title: "claim beside 100,000 queued prompts, p50, in comparison with 10",
        // The indexes have two more levels.
        limit: Limit::AtMost(1.5),
        value: |f| fleet_ratio(f, "claim, 100,000 prompts", "claim, 10 prompts", "p50_us"),
    },
];

fn ratio(
    figures: &Figures,
    (scenario, cores, metric): (&str, usize, &str),
    dividend: &str,
    divisor: &str,
) -> Option<f64> {
    let value = |host| figures.value(scenario, cores, host, metric);
    Some(value(dividend)? / value(divisor)?)
}

fn fleet_ratio(figures: &Figures, dividend: &str, divisor: &str, metric: &str) -> Option<f64> {
    let value = |row| figures.fleet_value(row, metric);
    Some(value(dividend)? / value(divisor)?)
}

impl Goal {
    /// Returns the limit, the measured value and the outcome as text.
    pub(crate) fn cells(&self, figures: &Figures) -> [String; 3] {
        let (limit, unit) = match self.limit {
            Limit::AtMost(limit) => (format!("at most {limit} ×"), "×"),
            Limit::AtLeast(limit) => (format!("at least {limit} ×"), "×"),
            Limit::BelowMegabytes(limit) => (format!("below {limit} MB"), "MB"),
            Limit::AtMostUnits(limit, unit) => (format!("at most {limit} {unit}"), unit),
        };
        let value = (self.value)(figures);
        let measured = value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2} {unit}"));
        let outcome = match self.is_met(figures) {
            Some(true) => "met",
            Some(false) => "not met",
            None => "not measured",
        };
        [limit, measured, outcome.to_owned()]
    }

    /// Returns whether the goal is met, or `None` if it was not measured.
    fn is_met(&self, figures: &Figures) -> Option<bool> {
        let value = (self.value)(figures)?;
        Some(match self.limit {
            Limit::AtMost(limit) | Limit::AtMostUnits(limit, _) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
            Limit::BelowMegabytes(limit) => value < limit,
        })
    }
}

/// Renders the goals for a terminal.
pub(crate) fn render(figures: &Figures) -> String {
    let mut text = "goals\n".to_owned();
    for goal in &GOALS {
        let [limit, measured, outcome] = goal.cells(figures);
        let _ = writeln!(
            text,
            "  {:<82}{limit:>16}{measured:>12}  {outcome}",
            goal.title
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::figures::Figure;
    use super::*;

    fn figures(values: &[(&str, usize, &str, &str, f64)]) -> Figures {
        let samples = values
            .iter()
            .map(|(scenario, cores, host, metric, value)| Figure {
                scenario: (*scenario).to_owned(),
                cores: *cores,
                host: (*host).to_owned(),
                values: [((*metric).to_owned(), *value)].into(),
            });
        Figures::of(samples.collect(), 1).unwrap()
    }

    /// Returns the outcomes of the goals for hosts.
    fn outcomes(figures: &Figures) -> [Option<bool>; 7] {
        let (hosts, _) = GOALS.split_first_chunk().unwrap();
        hosts.each_ref().map(|goal| goal.is_met(figures))
    }

    #[test]
    fn goals_at_their_limits_are_met() {
        let figures = figures(&[
            ("sequential", 1, "floor", "p50_us", 10.0),
            ("sequential", 1, "closure", "p50_us", 16.0),
            ("sequential", 2, "floor", "p50_us", 100.0),
            ("sequential", 2, "closure", "p50_us", 130.0),
            ("in-flight-64", 2, "closure", "per_second", 300_000.0),
            ("in-flight-64", 2, "typescript", "per_second", 20_000.0),
            ("in-flight-64", 2, "python", "per_second", 1_000.0),
            ("messages-small", 2, "closure", "stream_ms", 100.0),
            ("messages-small", 2, "typescript", "stream_ms", 200.0),
            ("messages-small", 2, "python", "stream_ms", 800.0),
            ("connect", 2, "closure", "connected_kib", 7_812.0),
        ]);
        assert_eq!(outcomes(&figures), [Some(true); 7]);
    }

    #[test]
    fn goals_beyond_their_limits_are_not_met() {
        let figures = figures(&[
            ("sequential", 1, "floor", "p50_us", 10.0),
            ("sequential", 1, "closure", "p50_us", 16.1),
            ("sequential", 2, "floor", "p50_us", 100.0),
            ("sequential", 2, "closure", "p50_us", 131.0),
            ("in-flight-64", 2, "closure", "per_second", 299_000.0),
            ("in-flight-64", 2, "typescript", "per_second", 20_000.0),
            ("in-flight-64", 2, "python", "per_second", 1_000.0),
            ("messages-small", 2, "closure", "stream_ms", 101.0),
            ("messages-small", 2, "typescript", "stream_ms", 200.0),
            ("messages-small", 2, "python", "stream_ms", 800.0),
            ("connect", 2, "closure", "connected_kib", 7_813.0),
        ]);
        assert_eq!(outcomes(&figures), [Some(false); 7]);
    }

    #[test]
    fn goals_for_sessions_are_met_up_to_their_limits() {
        let session = |row: &str, metric: &str, value: f64| {
            let mut figures = figures(&[]);
            let values = [(metric.to_owned(), value)].into();
            figures.sessions.insert(row.to_owned(), values);
            let outcomes = GOALS.iter().filter_map(|goal| goal.is_met(&figures));
            outcomes.collect::<Vec<_>>()
        };
        assert_eq!(session("list, inhouse", "cpu_ms", 500.0), [true]);
        assert_eq!(session("list, inhouse", "cpu_ms", 501.0), [false]);
        assert!(session("list, typescript", "cpu_ms", 501.0).is_empty());
        assert_eq!(session("messages", "peak_kib", 62_500.0), [true]);
        assert_eq!(session("messages", "peak_kib", 62_501.0), [false]);
        assert_eq!(session("resume 20 MB, postgres", "wall_ms", 500.0), [true]);
    }

    #[test]
    fn goals_for_fleets_are_met_up_to_their_limits() {
        let outcomes = |rate: f64, begin: f64, claim: f64| {
            let mut figures = figures(&[]);
            for (row, metric, value) in [
                ("turns", "per_second", rate),
                ("turns, pgbench", "per_second", 1_000.0),
                ("begin", "p50_ms", begin),
                ("claim, 10 prompts", "p50_us", 200.0),
                ("claim, 100,000 prompts", "p50_us", claim),
            ] {
                let values = [(metric.to_owned(), value)].into();
                figures.fleet.insert(row.to_owned(), values);
            }
            let outcomes = GOALS.iter().filter_map(|goal| goal.is_met(&figures));
            outcomes.collect::<Vec<_>>()
        };
        assert_eq!(outcomes(400.0, 20.0, 300.0), [true; 3]);
        assert_eq!(outcomes(399.0, 20.1, 301.0), [false; 3]);
    }

    #[test]
    fn goal_for_recordings_is_met_down_to_nine_tenths() {
        let recorded = |rate: f64| {
            let figures = figures(&[
                ("in-flight-64", 2, "closure", "per_second", 1_000.0),
                ("in-flight-64", 2, "closure-recorded", "per_second", rate),
            ]);
            GOALS[7].is_met(&figures)
        };
        assert_eq!(recorded(900.0), Some(true));
        assert_eq!(recorded(899.0), Some(false));
    }

    #[test]
    fn goals_without_figures_are_not_measured() {
        assert_eq!(outcomes(&figures(&[])), [None; 7]);
    }
}
