use std::fs::File;
use std::future;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, process};

use inhouse::ExitStatus;
use rustix::process::{Signal, getpid, kill_process};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::{LaunchRecord, end_process};
use crate::fake::conversation::Conversation;
use crate::fake::script::{Process, Script, play};

pub(super) fn main() -> ExitCode {
    let outcome = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .and_then(|runtime| runtime.block_on(run()));
    match outcome {
        Ok(status) => end_process(status),
        Err(error) => {
            // Nothing can be reported if stderr fails too.
            let _ = writeln!(io::stderr(), "fake-cli: {error}");
            process::exit(Script::MISMATCH)
        }
    }
}

async fn run() -> io::Result<ExitStatus> {
    if let Some(path) = env::var_os(LaunchRecord::VARIABLE) {
        LaunchRecord::of_this_process().write(Path::new(&path))?;
    }
    let path = env::var_os(Script::VARIABLE).ok_or_else(|| {
        let text = format!("set {} to the path of a script", Script::VARIABLE);
        io::Error::new(io::ErrorKind::NotFound, text)
    })?;
    let script = Script::read(Path::new(&path))?;
    let (stdin, stdout) = take_streams()?;
    let mut process = ThisProcess {
        stdout: Some(stdout.try_clone()?),
    };
    let mut conversation = Conversation::new(
        Receiver::from_owned_fd(stdin)?,
        Sender::from_owned_fd(stdout)?,
    );
    play(&script, &mut conversation, &mut process)
        .await
        .map_err(|failure| io::Error::other(failure.to_string()))
}

/// Sends this process the signal of a status.
pub(super) fn raise(status: ExitStatus) {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        // An error shows as an exit with a code.
        let _ = kill_process(getpid(), signal);
    }
}

/// Takes over stdin and stdout: with no other descriptor in the process, closing them closes the pipes.
fn take_streams() -> io::Result<(OwnedFd, OwnedFd)> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok((stdin, stdout))
}

/// This process, as a script sees it.
struct ThisProcess {
    stdout: Option<OwnedFd>,
}

impl Process for ThisProcess {
    fn write_stderr(&mut self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn ignore_terminate(&mut self) -> io::Result<()> {
        // Registering a handler replaces the default action for the rest of the process.
        signal(SignalKind::terminate()).map(drop)
    }

    fn leave_grandchild(&mut self, stubborn: bool) -> io::Result<()> {
        let stdout = match &self.stdout {
            Some(stdout) => Stdio::from(stdout.try_clone()?),
            None => Stdio::null(),
        };
        // Ignored signals stay ignored across exec.
        let script = match stubborn {
            true => "trap '' HUP INT TERM; exec sleep 100000",
            false => "exec sleep 100000",
        };
        Command::new("/bin/sh")
            .args(["-c", script])
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::null())
            .spawn()
            .map(drop)
    }

    fn stdout_closed(&mut self) {
        self.stdout = None;
    }

    async fn hang(&mut self) {
        future::pending::<()>().await;
    }
}
