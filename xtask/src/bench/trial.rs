//! One host under one load.

use std::fmt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::figures::Figure;
use super::host::Host;
use super::programs::Programs;
use super::reports;
use super::scenario::Scenario;

/// Longer than any host needs that does not hang, on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// How long a host may take that may hang.
const SHORT_DEADLINE: Duration = Duration::from_secs(10);

pub(crate) struct Trial<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) host: &'a Host,
    pub(crate) cores: usize,
    /// Whether the trial only shows that it works.
    pub(crate) quick: bool,
}

impl Trial<'_> {
    pub(crate) fn run(&self, programs: &Programs) -> Result<Figure, String> {
        let workshop = programs.workshop();
        let (generator, host) = (workshop.join("generator.json"), workshop.join("host.json"));
        let marks = workshop.join("marks");
        for left_over in [&generator, &host, &marks] {
            remove(left_over)?;
        }
        let mut command = self.host.command();
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
        let log = workshop.join("host.log");
        let file = std::fs::File::create(&log).map_err(|cause| cause.to_string())?;
        let file_too = file.try_clone().map_err(|cause| cause.to_string())?;
        let mut child = command
            .stdout(file)
            .stderr(file_too)
            .spawn()
            .map_err(|cause| format!("it does not start: {cause}"))?;
        let deadline = if self.may_hang() {
            SHORT_DEADLINE
        } else {
            DEADLINE
        };
        let status = wait(&mut child, deadline)?;
        let values = reports::combine(&generator, &host).map_err(|reason| {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            let last = log.lines().next_back().unwrap_or_default();
            format!("{reason} ({status}; {last})")
        })?;
        Ok(Figure {
            scenario: self.scenario.name.to_owned(),
            cores: self.cores,
            host: self.host.name.to_owned(),
            values,
        })
    }

    /// Whether the host is known not to be up to it: the Python SDK answers nothing while its messages are not read.
    fn may_hang(&self) -> bool {
        self.scenario.reads_late && self.host.name == "python"
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

fn wait(child: &mut Child, deadline: Duration) -> Result<ExitStatus, String> {
    let end = Instant::now() + deadline;
    loop {
        if let Some(status) = child.try_wait().map_err(|cause| cause.to_string())? {
            return Ok(status);
        }
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no answer within {} s", deadline.as_secs()));
        }
        sleep(Duration::from_millis(10));
    }
}

fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {cause}", path.display()))
        }
        _ => Ok(()),
    }
}
