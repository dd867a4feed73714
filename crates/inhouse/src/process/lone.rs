use std::future::Future;
use std::io;
use std::process::Command;
use std::sync::Arc;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Notify, watch};

use super::ExitStatus;
use super::exit::{Exit, ended};

/// A running process where there are no process groups. Dropping it kills the process.
///
/// A task owns it; when the runtime ends the task is dropped, and the process with it.
pub(super) struct Group {
    pid: u32,
    kill: Arc<Notify>,
    exit: watch::Receiver<Exit>,
}

/// The pipes of the process.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Group {
    /// Starts `command`, whose three streams are piped.
    pub(super) fn start(command: Command) -> io::Result<(Self, Pipes)> {
        const PIPED: &str = "the streams of the command are piped";
        let mut child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().expect("a child that was not waited for");
        let pipes = Pipes {
            stdin: child.stdin.take().expect(PIPED),
            stdout: child.stdout.take().expect(PIPED),
            stderr: child.stderr.take().expect(PIPED),
        };
        let kill = Arc::new(Notify::new());
        let (end, exit) = watch::channel(Exit::Pending);
        let killed = Arc::clone(&kill);
        tokio::spawn(async move {
            end.send_replace(Exit::Ended(wait(child, &killed).await));
        });
        Ok((Self { pid, kill, exit }, pipes))
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Resolves once the process has ended.
    pub(super) fn exited(&self) -> impl Future<Output = Option<ExitStatus>> + Send + use<> {
        ended(self.exit.clone())
    }

    /// Nothing: without signals there is no gentle way, and the hard one is [`kill`](Self::kill).
    pub(super) fn terminate(&self) {}

    pub(super) fn kill(&self) {
        self.kill.notify_one();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn wait(mut child: Child, killed: &Notify) -> Option<ExitStatus> {
    let ended = tokio::select! {
        status = child.wait() => Some(status),
        () = killed.notified() => None,
    };
    let status = match ended {
        Some(status) => status,
        None => {
            let _ = child.start_kill();
            child.wait().await
        }
    };
    status.ok().map(ExitStatus::from)
}
