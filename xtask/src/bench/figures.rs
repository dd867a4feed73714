//! All figures of a run, as they are kept in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::command::output;
use crate::workspace::Workspace;

/// The last complete run.
pub(crate) const PATH: &str = "docs/bench/result.json";

#[derive(Deserialize, Serialize)]
pub(crate) struct Figures {
    pub(crate) date: String,
    pub(crate) machine: BTreeMap<String, String>,
    pub(crate) versions: BTreeMap<String, String>,
    /// Hosts that could not be started, with the reason.
    pub(crate) absent: BTreeMap<String, String>,
    /// Trials that failed, with the reason.
    pub(crate) failed: BTreeMap<String, String>,
    /// The number of rounds; some scenarios have fewer or more.
    pub(crate) rounds: usize,
    /// The medians over the rounds.
    pub(crate) figures: Vec<Figure>,
    /// Operations without a process, by their name.
    pub(crate) in_process: Costs,
    /// Many sessions in one process, by the kind of their CLI.
    pub(crate) scale: Costs,
    /// Sessions on disk and in stores, by what is done with them.
    #[serde(default)]
    pub(crate) sessions: Costs,
    /// A fleet on PostgreSQL, by what it does.
    #[serde(default)]
    pub(crate) fleet: Costs,
}

/// Figures by name, for things that have names.
pub(crate) type Costs = BTreeMap<String, BTreeMap<String, f64>>;

/// The values of one host in one scenario.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Figure {
    pub(crate) scenario: String,
    pub(crate) cores: usize,
    pub(crate) host: String,
    pub(crate) values: BTreeMap<String, f64>,
}

/// One value of every host, with a title.
pub(crate) struct Selection {
    pub(crate) title: &'static str,
    scenario: &'static str,
    cores: usize,
    pub(crate) metric: &'static str,
}

impl Selection {
    pub(crate) const fn new(
        title: &'static str,
        scenario: &'static str,
        cores: usize,
        metric: &'static str,
    ) -> Self {
        Self {
            title,
            scenario,
            cores,
            metric,
        }
    }

    pub(crate) fn value(&self, figures: &Figures, host: &str) -> Option<f64> {
        figures.value(self.scenario, self.cores, host, self.metric)
    }
}

/// The slowest and the fastest round, which stand beside the median of `per_second`.
pub(crate) const RATE_RANGE: [&str; 2] = ["min_per_second", "max_per_second"];

impl Figures {
    /// Takes the medians of the samples, in the order of the trials.
    pub(crate) fn of(samples: Vec<Figure>, rounds: usize) -> Result<Self> {
        let mut figures: Vec<Figure> = Vec::new();
        for sample in &samples {
            let is_same = |other: &&Figure| {
                (&sample.scenario, sample.cores, &sample.host)
                    == (&other.scenario, other.cores, &other.host)
            };
            if !figures.iter().any(|figure| is_same(&figure)) {
                figures.push(Figure {
                    values: medians(samples.iter().filter(is_same)),
                    ..sample.clone()
                });
            }
        }
        Ok(Self {
            date: output(Command::new("date").args(["-u", "+%F"]))?
                .trim()
                .to_owned(),
            machine: machine(),
            versions: BTreeMap::new(),
            absent: BTreeMap::new(),
            failed: BTreeMap::new(),
            rounds,
            figures,
            in_process: Costs::new(),
            scale: Costs::new(),
            sessions: Costs::new(),
            fleet: Costs::new(),
        })
    }

    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        serde_json::from_str(&workspace.read(PATH)?).context(PATH)
    }

    pub(crate) fn write(&self, workspace: &Workspace) -> Result<()> {
        workspace.write(PATH, &(serde_json::to_string_pretty(self)? + "\n"))
    }

    pub(crate) fn value(
        &self,
        scenario: &str,
        cores: usize,
        host: &str,
        metric: &str,
    ) -> Option<f64> {
        let figure = self.figures.iter().find(|figure| {
            (figure.scenario.as_str(), figure.cores, figure.host.as_str())
                == (scenario, cores, host)
        })?;
        figure.values.get(metric).copied()
    }

    /// Returns a figure of what is done with sessions.
    pub(crate) fn session_value(&self, row: &str, metric: &str) -> Option<f64> {
        self.sessions.get(row)?.get(metric).copied()
    }

    /// Returns a figure of a fleet.
    pub(crate) fn fleet_value(&self, row: &str, metric: &str) -> Option<f64> {
        self.fleet.get(row)?.get(metric).copied()
    }

    /// Returns the hosts that were measured, in the order of their trials.
    pub(crate) fn hosts(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let hosts = self.figures.iter().map(|figure| figure.host.as_str());
        hosts.filter(|host| seen.insert(*host)).collect()
    }
}

/// Describes the machine.
fn machine() -> BTreeMap<String, String> {
    let cores = available_parallelism().map_or(1, usize::from);
    let mut machine = BTreeMap::from([("cores".to_owned(), cores.to_string())]);
    let mut add = |name: &str, path: &str, value: fn(&str) -> Option<&str>| {
        let text = fs::read_to_string(path).unwrap_or_default();
        if let Some(value) = value(&text) {
            machine.insert(name.to_owned(), value.trim().to_owned());
        }
    };
    add("processor", "/proc/cpuinfo", |text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1)
    });
    // A suffix of the kernel version names its builder.
    add("kernel", "/proc/sys/kernel/osrelease", |text| {
        text.split(['-', '+']).next()
    });
    add("load after the run", "/proc/loadavg", |text| {
        text.split(' ').next()
    });
    machine
}

fn medians<'a>(samples: impl Iterator<Item = &'a Figure>) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in samples.flat_map(|sample| &sample.values) {
        all.entry(name).or_default().push(*value);
    }
    let mut medians = BTreeMap::new();
    if let Some(rates) = all.get("per_second").filter(|rates| rates.len() > 1) {
        let [slowest, fastest] = RATE_RANGE.map(str::to_owned);
        medians.insert(
            slowest,
            rounded(rates.iter().copied().fold(f64::MAX, f64::min)),
        );
        medians.insert(fastest, rounded(rates.iter().copied().fold(0.0, f64::max)));
    }
    medians.extend(
        all.into_iter()
            .map(|(name, values)| (name.to_owned(), median(values))),
    );
    medians
}

/// Returns the middle value, rounded.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    rounded(values.get(values.len() / 2).copied().unwrap_or(f64::NAN))
}

/// Rounds to four significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(host: &str, metric: &str, value: f64) -> Figure {
        Figure {
            scenario: "sequential".to_owned(),
            cores: 1,
            host: host.to_owned(),
            values: BTreeMap::from([(metric.to_owned(), value)]),
        }
    }

    #[test]
    fn figures_are_medians_of_the_rounds() {
        let samples = [9.0, 1.0, 2.0].map(|p50| sample("floor", "p50_us", p50));
        let figures = Figures::of(samples.into(), 3).unwrap();
        assert_eq!(figures.figures.len(), 1);
        assert_eq!(figures.value("sequential", 1, "floor", "p50_us"), Some(2.0));
        assert_eq!(figures.value("sequential", 2, "floor", "p50_us"), None);
    }

    #[test]
    fn rates_keep_their_range() {
        let samples = [9.0, 1.0, 2.0].map(|rate| sample("floor", "per_second", rate));
        let figures = Figures::of(samples.into(), 3).unwrap();
        let range = RATE_RANGE.map(|name| figures.value("sequential", 1, "floor", name));
        assert_eq!(range, [Some(1.0), Some(9.0)]);
    }

    #[test]
    fn hosts_keep_their_order() {
        let samples = ["floor", "closure", "floor"].map(|host| sample(host, "p50_us", 1.0));
        assert_eq!(
            Figures::of(samples.into(), 2).unwrap().hosts(),
            ["floor", "closure"]
        );
    }

    #[test]
    fn four_digits_are_kept() {
        assert_eq!(rounded(123_456.7), 123_500.0);
        assert_eq!(rounded(0.001_234_56), 0.001_235);
        assert_eq!(rounded(0.0), 0.0);
    }
}
