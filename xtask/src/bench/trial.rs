//! One measurement of one host under one load.

use std::fmt;
use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figures::Figure;
use super::host::Host;
use super::programs::Programs;
use super::reports;
use super::scenario::Scenario;

/// Longer than any host takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// The deadline of a host that is known to hang.
const SHORT_DEADLINE: Duration = Duration::from_secs(10);

pub(crate) struct Trial<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) host: &'a Host,
    pub(crate) cores: usize,
    /// Whether the trial only shows that the scenario works.
    pub(crate) quick: bool,
}

impl Trial<'_> {
    pub(crate) fn run(&self, programs: &Programs) -> Result<Figure> {
        let [generator, host, marks, log] = ["generator.json", "host.json", "marks", "host.log"]
            .map(|name| programs.directory().join(name));
        for stale in [&generator, &host, &marks] {
            // A report of an earlier trial must not count for this one.
            File::create(stale)?;
            fs::remove_file(stale)?;
        }
        // The Python SDK answers no request while its messages are not read.
        let hangs = self.scenario.reads_late && self.host.name == "python";
        let deadline = if hangs { SHORT_DEADLINE } else { DEADLINE };
        let mut command = self.host.command(deadline);
        command
            .env("BENCH_CLI", programs.path("bench-cli"))
            .env("BENCH_SCENARIO", &self.scenario.script)
            .env("BENCH_WARM_UP", self.host.warm_up(self.quick))
            .env("BENCH_READ_MARKS", &marks)
            .env("BENCH_MILLISECONDS", self.scenario.milliseconds.to_string())
            .env("BENCH_SERVERS", self.scenario.servers.to_string())
            .env("BENCH_CLI_REPORT", &generator)
            .env("BENCH_HOST_REPORT", &host)
            .stdin(Stdio::null());
        if self.cores == 2 {
            command.env("BENCH_CLI_CORE", "1");
        }
        if self.scenario.reads_late {
            command.env("BENCH_READ_LATE", "1");
        }
        let file = File::create(&log)?;
        command.stdout(file.try_clone()?).stderr(file);
        let begin = Instant::now();
        let status = command.status().context("the host does not start")?;
        if begin.elapsed() >= deadline {
            bail!("no report within {} s", deadline.as_secs());
        }
        let values = reports::combine(&generator, &host).with_context(|| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            format!("{status}; {}", log.lines().next_back().unwrap_or_default())
        })?;
        Ok(Figure {
            scenario: self.scenario.name.to_owned(),
            cores: self.cores,
            host: self.host.name.to_owned(),
            values,
        })
    }
}

impl fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            scenario,
            host,
            cores,
            ..
        } = self;
        write!(f, "{} on {cores}, {}", scenario.name, host.name)
    }
}
