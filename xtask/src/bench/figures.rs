//! Everything that a run has measured, as it is kept in the repository.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{calendar, machine};
use crate::workspace::Workspace;

/// Where the last complete run is kept.
pub(crate) const PATH: &str = "docs/bench/result.json";

#[derive(Deserialize, Serialize)]
pub(crate) struct Figures {
    pub(crate) date: String,
    pub(crate) machine: BTreeMap<String, String>,
    pub(crate) versions: BTreeMap<String, String>,
    /// Hosts that took no part, and why.
    pub(crate) absent: BTreeMap<String, String>,
    /// Trials that gave no figures, and why.
    pub(crate) failed: BTreeMap<String, String>,
    pub(crate) rounds: usize,
    /// Medians over the rounds.
    pub(crate) figures: Vec<Figure>,
    /// Operations without any process, by their name.
    pub(crate) in_process: Costs,
    /// Many sessions in one process, by the kind of their CLI.
    pub(crate) scale: Costs,
}

/// Figures of things that have names.
pub(crate) type Costs = BTreeMap<String, BTreeMap<String, f64>>;

/// One host in one scenario.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Figure {
    pub(crate) scenario: String,
    pub(crate) cores: usize,
    pub(crate) host: String,
    pub(crate) values: BTreeMap<String, f64>,
}

impl Figures {
    /// The medians of the samples, in the order in which the trials were made.
    pub(crate) fn of(samples: Vec<Figure>, rounds: usize) -> Self {
        let mut figures: Vec<Figure> = Vec::new();
        for sample in &samples {
            if !figures.iter().any(|figure| figure.is_like(sample)) {
                let alike = samples.iter().filter(|other| other.is_like(sample));
                figures.push(sample.with(medians(alike)));
            }
        }
        Self {
            date: calendar::today(),
            machine: machine::describe(),
            versions: BTreeMap::new(),
            absent: BTreeMap::new(),
            failed: BTreeMap::new(),
            rounds,
            figures,
            in_process: Costs::new(),
            scale: Costs::new(),
        }
    }

    pub(crate) fn read(workspace: &Workspace) -> Result<Self, String> {
        serde_json::from_str(&workspace.read(PATH)?).map_err(|cause| format!("{PATH}: {cause}"))
    }

    pub(crate) fn write(&self, workspace: &Workspace) -> Result<(), String> {
        let mut text = serde_json::to_string_pretty(self).expect("figures are JSON");
        text.push('\n');
        let path = workspace.root().join(PATH);
        std::fs::create_dir_all(path.parent().expect("it lies in a directory"))
            .map_err(|cause| format!("{PATH}: {cause}"))?;
        std::fs::write(&path, text).map_err(|cause| format!("{PATH}: {cause}"))
    }

    pub(crate) fn value(
        &self,
        scenario: &str,
        cores: usize,
        host: &str,
        metric: &str,
    ) -> Option<f64> {
        let mut figures = self.figures.iter();
        let figure = figures.find(|figure| {
            (figure.scenario.as_str(), figure.cores, figure.host.as_str())
                == (scenario, cores, host)
        })?;
        figure.values.get(metric).copied()
    }

    /// The hosts that took part, in the order of their trials.
    pub(crate) fn hosts(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let hosts = self.figures.iter().map(|figure| figure.host.as_str());
        hosts.filter(|host| seen.insert(*host)).collect()
    }
}

impl Figure {
    fn is_like(&self, other: &Self) -> bool {
        (&self.scenario, self.cores, &self.host) == (&other.scenario, other.cores, &other.host)
    }

    fn with(&self, values: BTreeMap<String, f64>) -> Self {
        Self {
            values,
            ..self.clone()
        }
    }
}

fn medians<'a>(samples: impl Iterator<Item = &'a Figure>) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in samples.flat_map(|sample| &sample.values) {
        all.entry(name).or_default().push(*value);
    }
    let medians = all.into_iter();
    medians
        .map(|(name, values)| (name.to_owned(), median(values)))
        .collect()
}

/// The middle one, rounded to what can be told apart: four significant digits.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
    if middle == 0.0 || !middle.is_finite() {
        return middle;
    }
    let digits = 3 - middle.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits);
    (middle * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(host: &str, p50: f64) -> Figure {
        Figure {
            scenario: "sequential".to_owned(),
            cores: 1,
            host: host.to_owned(),
            values: BTreeMap::from([("p50_us".to_owned(), p50)]),
        }
    }

    #[test]
    fn the_median_of_the_rounds_counts() {
        let samples = [9.0, 1.0, 2.0].map(|p50| sample("floor", p50));
        let figures = Figures::of(samples.into(), 3);
        assert_eq!(figures.figures.len(), 1);
        assert_eq!(figures.value("sequential", 1, "floor", "p50_us"), Some(2.0));
        assert_eq!(figures.value("sequential", 2, "floor", "p50_us"), None);
    }

    #[test]
    fn hosts_stay_in_their_order() {
        let samples = ["floor", "closure", "floor"].map(|host| sample(host, 1.0));
        assert_eq!(Figures::of(samples.into(), 2).hosts(), ["floor", "closure"]);
    }

    #[test]
    fn four_digits_are_kept() {
        assert_eq!(median(vec![123_456.7]), 123_500.0);
        assert_eq!(median(vec![0.001_234_56]), 0.001_235);
        assert_eq!(median(vec![0.0]), 0.0);
    }
}
