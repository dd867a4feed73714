//! The PostgreSQL server of a benchmark.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Result, bail};

use super::programs::Programs;

/// A PostgreSQL server, in a process that stops it at the end of its input.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The directory of the programs that come with the server.
    pub(crate) programs: PathBuf,
    process: Child,
    input: Option<ChildStdin>,
}

impl Server {
    pub(crate) fn start(programs: &Programs) -> Result<Self> {
        let mut process = Command::new(programs.example("postgres")?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take();
        let lines = process.stdout.take().map(BufReader::new);
        let mut lines = lines.into_iter().flat_map(BufReader::lines);
        let (Some(url), Some(directory)) = (lines.next(), lines.next()) else {
            bail!("no server was started: {}", process.wait()?);
        };
        Ok(Self {
            url: url?,
            programs: directory?.into(),
            process,
            input,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        if let Err(error) = self.process.wait() {
            eprintln!("PostgreSQL: {error}");
        }
    }
}
