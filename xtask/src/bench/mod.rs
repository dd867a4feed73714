//! `cargo xtask bench`: hosts side by side under the same load, and the cost of the hot paths.
//!
//! The load generator of `inhouse-bench` plays the CLI. Hosts take turns in every round, so that what the machine does
//! meanwhile hits all of them; the median of the rounds counts, and ratios to the floor more than times.

mod budget;
mod calendar;
mod chart;
mod figures;
mod goals;
mod host;
mod in_process;
mod machine;
mod metric;
mod peers;
mod plan;
mod programs;
mod readme;
mod reports;
mod results;
mod scale;
mod scenario;
mod table;
mod trial;
mod valgrind;

pub(crate) use plan::Plan;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::workspace::Workspace;
use figures::{Costs, Figure, Figures};
use host::Host;
use programs::Programs;
use scenario::Scenario;
use trial::Trial;

/// Does what the plan says; whether all went well, which for a check means that no budget is exceeded.
pub(crate) fn run(workspace: &Workspace, plan: &Plan) -> Result<bool, String> {
    match plan {
        Plan::Pages => write_pages(workspace, &Figures::read(workspace)?).map(|()| true),
        Plan::Check => budget::check(workspace, &Programs::build(workspace)?),
        Plan::UpdateBudget => {
            budget::update(workspace, &Programs::build(workspace)?).map(|()| true)
        }
        Plan::Measure(measure) => measure_all(workspace, measure),
    }
}

fn measure_all(workspace: &Workspace, plan: &plan::Measure) -> Result<bool, String> {
    let begin = Instant::now();
    let programs = Programs::build(workspace)?;
    let (hosts, absent) = host::available(workspace, &programs, &plan.hosts)?;
    let scenarios: Vec<Scenario> = scenario::all(plan.quick)
        .into_iter()
        .filter(|scenario| plan.includes(scenario.name))
        .collect();
    let mut samples: Vec<Figure> = Vec::new();
    let mut failed = BTreeMap::new();
    let rounds = if plan.quick { 1 } else { plan.rounds };
    for round in 0..rounds {
        for trial in trials(&scenarios, &hosts, round, plan.quick) {
            eprint!("\r\x1b[2Kround {} of {rounds}: {trial} ", round + 1);
            match trial.run(&programs) {
                Ok(figure) => samples.push(figure),
                Err(reason) => {
                    eprintln!("\r\x1b[2K{trial}: {reason}");
                    failed.insert(trial.to_string(), reason);
                }
            }
        }
    }
    eprintln!("\r\x1b[2Kmeasured in {} s", begin.elapsed().as_secs());

    let mut figures = Figures::of(samples, rounds);
    figures.versions = host::versions(workspace, &hosts)?;
    figures.absent = absent;
    let mut keep = |name: &str, outcome: Result<Costs, String>| {
        outcome.unwrap_or_else(|reason| {
            eprintln!("{name}: {reason}");
            failed.insert(name.to_owned(), reason);
            Costs::new()
        })
    };
    if plan.includes(in_process::NAME) {
        figures.in_process = keep(in_process::NAME, in_process::measure(&programs, plan.quick));
    }
    if plan.includes(scale::NAME) {
        figures.scale = keep(scale::NAME, scale::measure(&programs, plan.quick));
    }
    figures.failed = failed;
    print!("{}\n{}", table::render(&figures), goals::render(&figures));
    if plan.is_complete() {
        figures.write(workspace)?;
        // From the file, so that the pages are the same when they are written again.
        write_pages(workspace, &Figures::read(workspace)?)?;
    } else {
        println!("not the complete benchmark: nothing written");
    }
    // What a peer cannot do is a finding; what we cannot do is a failure.
    Ok(figures
        .failed
        .keys()
        .all(|name| name.ends_with("python") || name.ends_with("typescript")))
}

/// Writes the chart, the tables and the lines in README.
fn write_pages(workspace: &Workspace, figures: &Figures) -> Result<(), String> {
    chart::write(workspace, figures)?;
    results::write(workspace, figures)?;
    readme::write(workspace, figures)
}

/// Everything of one round, host after host within each scenario.
fn trials<'a>(
    scenarios: &'a [Scenario],
    hosts: &'a [Host],
    round: usize,
    quick: bool,
) -> Vec<Trial<'a>> {
    let mut trials = Vec::new();
    for scenario in scenarios.iter().filter(|scenario| round < scenario.rounds) {
        let repeated = scenario.cores.iter().cycle();
        for &cores in repeated.take(scenario.cores.len() * scenario.repetitions) {
            let hosts = hosts.iter().filter(|host| scenario.suits(host.name));
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
