use std::future::Future;
use std::io;
use std::process::Command;
use std::sync::Arc;

use tokio::process::Child;
use tokio::sync::{Notify, watch};

use super::ExitStatus;
use super::exit::{ExitState, wait_for_exit};
use super::spawn::Pipes;

/// A running process on a system without process groups. Dropping it kills the process, but not what
/// the process has started.
///
/// A task owns the child; when the runtime ends, the task is dropped and the child with it.
pub(super) struct Group {
    pid: u32,
    kill: Arc<Notify>,
    exit: watch::Receiver<ExitState>,
}

impl Group {
    /// Starts `command`, whose three streams are piped.
    pub(super) fn start(command: Command) -> io::Result<(Self, Pipes)> {
        const PIPED: &str = "the streams of the command are piped";
        let mut child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().expect("the child was not waited for");
        let pipes = Pipes {
            stdin: child.stdin.take().expect(PIPED),
            stdout: child.stdout.take().expect(PIPED),
            stderr: child.stderr.take().expect(PIPED),
        };
        let kill = Arc::new(Notify::new());
        let (sender, exit) = watch::channel(ExitState::Running);
        let killed = Arc::clone(&kill);
        tokio::spawn(async move {
            sender.send_replace(ExitState::Exited(wait(child, &killed).await));
        });
        Ok((Self { pid, kill, exit }, pipes))
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Resolves once the process has exited.
    pub(super) fn exited(&self) -> impl Future<Output = Option<ExitStatus>> + Send + use<> {
        wait_for_exit(self.exit.clone())
    }

    /// Does nothing: there is no TERM, and [`kill`](Self::kill) follows.
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
    let exited = tokio::select! {
        status = child.wait() => Some(status),
        () = killed.notified() => None,
    };
    let status = match exited {
        Some(status) => status,
        None => {
            let _ = child.start_kill();
            child.wait().await
        }
    };
    status.ok().map(ExitStatus::from)
}
