//! Sessions on disk and in stores: list, info and messages, mirror, resume.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::figures::{Costs, median};
use super::host::{self, Host};
use super::programs::Programs;
use super::server::Server;
use crate::command::output;

pub(crate) const NAMES: [&str; 4] = [
    "sessions-list",
    "sessions-long",
    "sessions-mirror",
    "sessions-resume",
];

/// Longer than any program takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// The figures of one program.
pub(super) type Values = BTreeMap<String, f64>;

/// Measures sessions, and collects the figures.
pub(crate) struct Sessions<'a> {
    programs: &'a Programs,
    hosts: &'a [Host],
    sizes: &'a Sizes,
    pub(crate) costs: Costs,
    /// What could not be measured here, with the reason.
    pub(crate) absent: BTreeMap<String, String>,
    /// What failed, with the reason.
    pub(crate) failed: BTreeMap<String, String>,
}

struct Sizes {
    sessions: &'static str,
    session_bytes: &'static str,
    long_bytes: &'static str,
    entries: &'static str,
    entry_bytes: &'static str,
    /// The sizes of resumed sessions, with the names of their rows.
    resumed: [(&'static str, &'static str); 2],
    rounds: usize,
    /// The rounds within one program.
    resumes: &'static str,
}

const COMPLETE: Sizes = Sizes {
    sessions: "10000",
    session_bytes: "84000",
    long_bytes: "1000000000",
    entries: "100000",
    entry_bytes: "2000",
    resumed: [("100 kB", "100000"), ("20 MB", "20000000")],
    rounds: 3,
    resumes: "7",
};

/// Sizes that only show that the programs work.
const QUICK: Sizes = Sizes {
    sessions: "20",
    long_bytes: "1000000",
    entries: "100",
    resumed: [("100 kB", "10000"), ("20 MB", "200000")],
    rounds: 1,
    resumes: "1",
    ..COMPLETE
};

impl<'a> Sessions<'a> {
    pub(crate) fn new(programs: &'a Programs, hosts: &'a [Host], quick: bool) -> Self {
        Self {
            programs,
            hosts,
            sizes: if quick { &QUICK } else { &COMPLETE },
            costs: Costs::new(),
            absent: BTreeMap::new(),
            failed: BTreeMap::new(),
        }
    }

    /// Measures one of [`NAMES`].
    pub(crate) fn measure(&mut self, name: &str) {
        eprint!("\r\x1b[2K{name} ");
        let measured = match name {
            "sessions-list" => self.list(),
            "sessions-long" => self.long(),
            "sessions-mirror" => self.mirror(),
            _ => self.resume(),
        };
        eprint!("\r\x1b[2K");
        if let Err(error) = measured {
            self.note_failure(name, &error);
        }
    }

    /// Lists many sessions, with this library and with the official SDKs.
    fn list(&mut self) -> Result<()> {
        let directory = self.write(self.sizes.sessions, self.sizes.session_bytes)?;
        let sdks = self.hosts.iter().filter_map(|host| {
            let mut command = host.list_command(DEADLINE)?;
            command.env("CLAUDE_CONFIG_DIR", &directory.0);
            Some((host.name, figures(&mut command)))
        });
        for (name, measured) in sdks.collect::<Vec<_>>() {
            let complete = measured.and_then(|values| self.with_all_sessions(values));
            self.add(&format!("list, {name}"), complete);
        }
        let own = self.medians(|| self.own(&["list"], &directory.0));
        let own = own.and_then(|values| self.with_all_sessions(values));
        self.add("list, inhouse", own);
        Ok(())
    }

    /// Refuses the figures of a list that lacks sessions.
    fn with_all_sessions(&self, values: Values) -> Result<Values> {
        let listed = values.get("sessions").map(f64::to_string);
        if listed.as_deref() != Some(self.sizes.sessions) {
            bail!("listed {listed:?} of {} sessions", self.sizes.sessions);
        }
        Ok(values)
    }

    /// Reads one long transcript.
    fn long(&mut self) -> Result<()> {
        let directory = self.write("1", self.sizes.long_bytes)?;
        for name in ["info", "messages"] {
            let measured = self.medians(|| self.own(&[name], &directory.0));
            self.add(name, measured);
        }
        Ok(())
    }

    /// Mirrors the entries of a transcript.
    fn mirror(&mut self) -> Result<()> {
        let Sizes {
            entries,
            entry_bytes,
            ..
        } = self.sizes;
        for (name, pace) in [
            ("mirror, one by one", "one-by-one"),
            ("mirror, burst", "burst"),
        ] {
            let arguments = ["mirror", pace, entries, entry_bytes];
            let measured = self.medians(|| self.own(&arguments, ""));
            self.add(name, measured);
        }
        Ok(())
    }

    /// Resumes sessions from databases.
    fn resume(&mut self) -> Result<()> {
        let server = Server::start(self.programs);
        let mut databases = vec![("sqlite", "sqlite")];
        match &server {
            Ok(server) => databases.push(("postgres", &server.url)),
            Err(error) => {
                eprintln!("\r\x1b[2KPostgreSQL is not measured: {error:#}");
                let reason = format!("{error:#}").replace('\n', " ");
                self.absent.insert("postgres".to_owned(), reason);
            }
        }
        for (size, bytes) in self.sizes.resumed {
            for (database, address) in &databases {
                let arguments = ["resume", address, bytes, self.sizes.resumes];
                let measured = self.own(&arguments, "");
                self.add(&format!("resume {size}, {database}"), measured);
            }
        }
        Ok(())
    }

    /// Writes sessions to a directory.
    fn write(&self, sessions: &str, bytes: &str) -> Result<Directory> {
        let directory = Directory::create(self.programs.directory().join("sessions"))?;
        let mut command = Command::new(self.programs.path("bench-sessions"));
        output(
            command
                .arg("write")
                .arg(&directory.0)
                .args([sessions, bytes]),
        )?;
        Ok(directory)
    }

    /// Runs `bench-sessions` and returns its figures.
    fn own(&self, arguments: &[&str], directory: impl AsRef<Path>) -> Result<Values> {
        let mut command = host::limited(DEADLINE, &[self.programs.path("bench-sessions")]);
        command.args(arguments);
        if directory.as_ref() != Path::new("") {
            command.arg(directory.as_ref());
        }
        figures(&mut command)
    }

    fn medians(&self, measure: impl Fn() -> Result<Values>) -> Result<Values> {
        let rounds: Vec<Values> = (0..self.sizes.rounds)
            .map(|_| measure())
            .collect::<Result<_>>()?;
        Ok(medians(&rounds))
    }

    fn add(&mut self, name: &str, measured: Result<Values>) {
        match measured {
            Ok(values) => drop(self.costs.insert(name.to_owned(), values)),
            Err(error) => self.note_failure(name, &error),
        }
    }

    fn note_failure(&mut self, name: &str, error: &anyhow::Error) {
        eprintln!("\r\x1b[2K{name}: {error:#}");
        self.failed.insert(name.to_owned(), format!("{error:#}"));
    }
}

/// Returns the figures that a program prints as a JSON object.
pub(super) fn figures(command: &mut Command) -> Result<Values> {
    let text = output(command)?;
    serde_json::from_str(&text).with_context(|| format!("not a report: {text}"))
}

pub(super) fn medians(rounds: &[Values]) -> Values {
    let names = rounds.iter().flat_map(|values| values.keys());
    let value = |name: &String| {
        let values = rounds.iter().filter_map(|values| values.get(name).copied());
        (name.clone(), median(values.collect()))
    };
    names.map(value).collect()
}

/// A directory that is removed with its content.
struct Directory(PathBuf);

impl Directory {
    fn create(path: PathBuf) -> Result<Self> {
        // A run that was killed leaves it behind.
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{}: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(wall: f64) -> Values {
        Values::from([("wall_ms".to_owned(), wall)])
    }

    #[test]
    fn figures_of_sessions_are_medians() {
        let rounds = [9.0, 1.0, 2.0].map(values);
        assert_eq!(medians(&rounds), values(2.0));
    }

    #[test]
    fn directories_are_removed_with_their_content() {
        let path = std::env::temp_dir().join(format!("xtask-bench-{}", std::process::id()));
        for _ in 0..2 {
            let directory = Directory::create(path.clone()).unwrap();
            fs::write(directory.0.join("file"), "").unwrap();
        }
        assert!(!path.exists());
    }
}
