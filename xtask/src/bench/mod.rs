//! `cargo xtask bench`: measures hosts side by side under the same load, and the cost of the hot paths.
//!
//! The load generator of `inhouse-bench` replaces the CLI. Hosts take turns in every round, so that other work on the
//! machine affects all of them. A figure is the median of its rounds; ratios to the floor say more than times.

mod budget;
mod chart;
mod figures;
mod fleet;
mod goals;
mod host;
mod in_process;
mod metric;
mod programs;
mod readme;
mod reports;
mod results;
mod scenario;
mod sdks;
mod server;
mod sessions;
mod table;
mod trial;
mod valgrind;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use figures::{Costs, Figure, Figures};
use fleet::Fleets;
use host::Host;
use programs::Programs;
use scenario::Scenario;
use sessions::Sessions;
use trial::Trial;

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Runs everything once and briefly, to show that it works
    #[arg(long)]
    quick: bool,
    #[arg(long, default_value_t = 3, value_parser = at_least_one)]
    rounds: usize,
    /// Measures only scenarios whose names begin with one of these
    #[arg(long, value_name = "SCENARIO", value_delimiter = ',')]
    only: Vec<String>,
    /// Measures only these hosts
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    hosts: Vec<String>,
    /// Compares instructions and allocations of the hot paths with bench/budget.json (needs valgrind)
    #[arg(long, exclusive = true)]
    check: bool,
    /// Writes the present instructions and allocations to bench/budget.json
    #[arg(long, exclusive = true)]
    update_budget: bool,
    /// Writes chart, tables and README.md again from docs/bench/result.json
    #[arg(long, exclusive = true)]
    pages: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "not a positive number".to_owned())
}

/// Runs the command; returns whether every host of this project was measured, or is within its budget.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    if arguments.pages {
        write_pages(workspace, &Figures::read(workspace)?)?;
    } else if arguments.check {
        return budget::check(workspace, &Programs::build(workspace)?);
    } else if arguments.update_budget {
        budget::update(workspace, &Programs::build(workspace)?)?;
    } else {
        arguments.check_names()?;
        return measure(workspace, arguments);
    }
    Ok(true)
}

impl Arguments {
    /// Refuses unknown names before anything is built.
    fn check_names(&self) -> Result<()> {
        let mut scenarios: Vec<_> = scenario::all(true)
            .iter()
            .map(|scenario| scenario.name)
            .collect();
        scenarios.extend([in_process::NAME, in_process::SCALE]);
        scenarios.extend(sessions::NAMES);
        scenarios.extend(fleet::NAMES);
        for only in &self.only {
            if !scenarios.iter().any(|name| name.starts_with(only.as_str())) {
                bail!(
                    "there is no scenario `{only}`; the scenarios are {}",
                    scenarios.join(", ")
                );
            }
        }
        for host in &self.hosts {
            if !host::NAMES.contains(&host.as_str()) {
                bail!(
                    "there is no host `{host}`; the hosts are {}",
                    host::NAMES.join(", ")
                );
            }
        }
        Ok(())
    }

    fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    fn is_complete(&self) -> bool {
        !self.quick && self.only.is_empty() && self.hosts.is_empty()
    }
}

fn measure(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let begin = Instant::now();
    let programs = Programs::build(workspace)?;
    let quick = arguments.quick;
    let mut scenarios = scenario::all(quick);
    scenarios.retain(|scenario| arguments.includes(scenario.name));
    let (hosts, absent) = match scenarios.is_empty()
        && !sessions::NAMES.iter().any(|name| arguments.includes(name))
    {
        // Nothing has to be installed for what no host takes part in.
        true => (Vec::new(), BTreeMap::new()),
        false => host::available(workspace, &programs, &arguments.hosts)?,
    };
    let rounds_of = |scenario: &Scenario| {
        if quick {
            1
        } else {
            scenario.rounds(arguments.rounds)
        }
    };
    let rounds = scenarios.iter().map(rounds_of).max().unwrap_or(0);
    let mut samples: Vec<Figure> = Vec::new();
    let mut failed = BTreeMap::new();
    for round in 0..rounds {
        let scenarios = scenarios
            .iter()
            .filter(|scenario| round < rounds_of(scenario));
        for trial in scenarios.flat_map(|scenario| trials(scenario, &hosts, quick)) {
            eprint!("\r\x1b[2Kround {} of {rounds}: {trial} ", round + 1);
            match trial.run(&programs) {
                Ok(figure) => samples.push(figure),
                Err(error) => {
                    eprintln!("\r\x1b[2K{trial}: {error:#}");
                    failed.insert(trial.to_string(), format!("{error:#}"));
                }
            }
        }
    }
    eprint!("\r\x1b[2K");

    let mut figures = Figures::of(samples, arguments.rounds)?;
    figures.versions = host::versions(workspace, &hosts)?;
    figures.absent = absent;
    let mut costs = |name: &str, measure: fn(&Programs, bool) -> Result<Costs>| {
        if !arguments.includes(name) {
            return Costs::new();
        }
        measure(&programs, quick).unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            failed.insert(name.to_owned(), format!("{error:#}"));
            Costs::new()
        })
    };
    figures.in_process = costs(in_process::NAME, in_process::operations);
    figures.scale = costs(in_process::SCALE, in_process::sessions);
    let mut sessions = Sessions::new(&programs, &hosts, quick);
    for name in sessions::NAMES {
        if arguments.includes(name) {
            sessions.measure(name);
        }
    }
    let mut fleets = Fleets::new(&programs, quick);
    fleets.measure(|name| arguments.includes(name));
    eprintln!("measured in {} s", begin.elapsed().as_secs());
    figures.sessions = sessions.costs;
    figures.fleet = fleets.costs;
    figures.absent.append(&mut sessions.absent);
    figures.absent.append(&mut fleets.absent);
    failed.append(&mut sessions.failed);
    failed.append(&mut fleets.failed);
    figures.failed = failed;
    print!("{}\n{}", table::render(&figures), goals::render(&figures));
    if arguments.is_complete() {
        figures.write(workspace)?;
        // Read back, so that `--pages` writes the same pages.
        write_pages(workspace, &Figures::read(workspace)?)?;
    } else {
        println!("not the complete benchmark: nothing written");
    }
    // An official SDK may fail: that is a result of the benchmark.
    let is_sdk = |name: &String| name.ends_with("python") || name.ends_with("typescript");
    Ok(figures.failed.keys().all(is_sdk))
}

fn write_pages(workspace: &Workspace, figures: &Figures) -> Result<()> {
    chart::write(workspace, figures)?;
    results::write(workspace, figures)?;
    readme::write(workspace, figures)
}

/// Returns the trials of one scenario in one round, host after host.
fn trials<'a>(scenario: &'a Scenario, hosts: &'a [Host], quick: bool) -> Vec<Trial<'a>> {
    let mut trials = Vec::new();
    for _ in 0..scenario.repetitions {
        for &cores in scenario.cores {
            let hosts = hosts.iter().filter(|host| scenario.includes(host.name));
            trials.extend(hosts.map(|host| Trial {
                scenario,
                host,
                cores,
                quick,
            }));
        }
    }
    trials
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Result<Arguments> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        let arguments = Line::try_parse_from(words)?.arguments;
        arguments.check_names()?;
        Ok(arguments)
    }

    #[test]
    fn everything_is_measured_by_default() {
        let all = parse("").unwrap();
        assert!(all.is_complete() && all.includes("sequential"));
        assert!(!parse("--quick").unwrap().is_complete());
        assert_eq!(parse("--rounds 7").unwrap().rounds, 7);
    }

    #[test]
    fn scenarios_and_hosts_can_be_chosen() {
        let part = parse("--only echo,hook --hosts floor,closure --quick").unwrap();
        assert!(part.includes("echo-1k") && part.includes("hook") && !part.includes("sequential"));
        assert_eq!(part.hosts, ["floor", "closure"]);
        assert!(!part.is_complete());
    }

    #[test]
    fn unknown_names_are_refused_with_the_list_of_names() {
        let error = parse("--only in-flight,typo").unwrap_err().to_string();
        assert!(
            error.contains("`typo`") && error.contains("in-flight-64, in-flight-256"),
            "{error}"
        );
        let error = parse("--hosts typo").unwrap_err().to_string();
        assert!(error.contains("floor, closure"), "{error}");
        for line in [
            "--only",
            "--rounds 0",
            "--rounds many",
            "fast",
            "--check --quick",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
