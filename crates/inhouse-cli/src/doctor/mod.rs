//! `inhouse doctor`: checks that the CLI works, and says what to do if it does not.

mod account;
mod tools;
mod version;

use std::path::PathBuf;

use anyhow::{Result, bail};
use inhouse::Options;
use inhouse::launch::Plan;
use serde::Serialize;

use crate::output::{bold, dim, green, print_json, print_line, red};

/// Options of `inhouse doctor`.
#[derive(clap::Args)]
#[command(after_help = "\
Starts the CLI with your settings to see whether it is logged in; no prompt is sent. Then calls a tool in a separate,
empty configuration with a model that is part of this program: that needs no account and costs nothing.")]
pub(crate) struct Arguments {
    /// The CLI to check; the one that a session would use by default
    #[arg(long, value_name = "FILE")]
    cli: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    name: &'static str,
    passed: bool,
    /// The finding, or the reason of a failure.
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            passed: true,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn failed(name: &'static str, detail: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            name,
            passed: false,
            detail: detail.into(),
            remedy: Some(remedy.to_owned()),
        }
    }

    fn print(&self) -> Result<()> {
        let mark = if self.passed {
            green("ok")
        } else {
            red("failed")
        };
        print_line(format!("{} {mark}", bold(self.name)))?;
        print_line(format!("  {}", self.detail.replace('\n', "\n  ")))?;
        if let Some(remedy) = &self.remedy {
            print_line(format!("  {} {remedy}", bold("→")))?;
        }
        Ok(())
    }
}

const INSTALL: &str =
    "`inhouse install --to <a directory in PATH>` downloads the CLI that inhouse is tested with";

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let mut options = Options::new();
    if let Some(cli) = &arguments.cli {
        options = options.cli_path(cli);
    }
    let mut report = Report {
        json: arguments.json,
        checks: Vec::new(),
    };
    examine(&options, &mut report).await?;
    if report.json {
        print_json(&report.checks)?;
    }
    let failed = report.checks.iter().filter(|check| !check.passed).count();
    if failed > 0 {
        bail!("{failed} of {} checks failed", report.checks.len());
    }
    if !report.json {
        print_line(dim("The CLI works with inhouse."))?;
    }
    Ok(())
}

/// Runs the checks; each needs what the ones before it have found.
async fn examine(options: &Options, report: &mut Report) -> Result<()> {
    let plan = match Plan::locate(options) {
        Ok(plan) => plan,
        // The error lists the places that were searched.
        Err(error) => return report.add(Check::failed("CLI", error.to_string(), INSTALL)),
    };
    let command = &plan.launch.command;
    // A CLI that is a script is the first argument of its runtime.
    let script = command.args.first();
    let script = script.filter(|argument| !argument.to_string_lossy().starts_with('-'));
    let cli = PathBuf::from(script.unwrap_or(&command.program));
    report.add(Check::passed("CLI", cli.display().to_string()))?;

    let version = version::check(&command.program, script.map(AsRef::as_ref)).await;
    let works = version.passed;
    report.add(version)?;
    if works {
        report.add(account::check(options.clone()).await)?;
        for check in tools::check(&cli).await {
            report.add(check)?;
        }
    }
    Ok(())
}

/// The checks so far, printed as they end unless JSON is wanted.
struct Report {
    json: bool,
    checks: Vec<Check>,
}

impl Report {
    fn add(&mut self, check: Check) -> Result<()> {
        if !self.json {
            check.print()?;
        }
        self.checks.push(check);
        Ok(())
    }
}
