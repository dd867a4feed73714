use std::fs;
use std::future::IntoFuture;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use inhouse::process::ShutdownTiming;
use inhouse::{Client, Options};
use inhouse_testkit::Script;
use inhouse_testkit::fake::LaunchRecord;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// Longer than any step takes on a loaded machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// Longer than a process takes on a loaded machine to exit when it is asked to.
const PATIENT: Duration = Duration::from_secs(30);

/// For a step of the shutdown that the CLI ignores.
const SHORT: Duration = Duration::from_millis(200);

/// Returns the timing for a CLI that ignores the end of its input, but not SIGTERM.
pub(crate) fn until_sigterm() -> ShutdownTiming {
    ShutdownTiming::default().grace(SHORT).term(PATIENT)
}

/// Returns the timing for a CLI that ignores the end of its input and may ignore SIGTERM.
pub(crate) fn until_sigkill() -> ShutdownTiming {
    ShutdownTiming::default().grace(SHORT).term(SHORT)
}

/// A `fake-cli` with its script and its launch record.
pub(crate) struct FakeProcess {
    directory: TempDir,
    script: PathBuf,
}

impl FakeProcess {
    pub(crate) fn new(script: &Script) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let script = script.write_to(directory.path()).unwrap();
        Self { directory, script }
    }

    /// Returns options that start it, and give it the time to exit when its input ends.
    pub(crate) fn options(&self) -> Options {
        Options::new()
            .cli_path(env!("CARGO_BIN_EXE_fake-cli"))
            .env(Script::VARIABLE, &self.script)
            .env(LaunchRecord::VARIABLE, self.record_path())
            .shutdown(ShutdownTiming::default().grace(PATIENT).term(PATIENT))
    }

    pub(crate) async fn connect(&self) -> inhouse::Result<Client> {
        within(Client::connect(self.options())).await
    }

    pub(crate) async fn connect_with(&self, timing: ShutdownTiming) -> inhouse::Result<Client> {
        within(Client::connect(self.options().shutdown(timing))).await
    }

    /// Returns how it was started, if it was.
    pub(crate) fn record(&self) -> Option<LaunchRecord> {
        LaunchRecord::read(&self.record_path()).ok()
    }

    /// Asserts that the process was reaped, and that its group is empty.
    pub(crate) fn assert_gone(&self) {
        let pid = self.record().expect("it was started").pid;
        wait_until("nothing of the CLI is left", || {
            is_reaped(pid) && members_of_group(pid).is_empty()
        });
    }

    fn record_path(&self) -> PathBuf {
        self.directory.path().join("record")
    }
}

pub(crate) async fn within<F: IntoFuture>(future: F) -> F::Output {
    tokio::time::timeout(DEADLINE, future)
        .await
        .expect("not done within the deadline")
}

/// Resolves when the CLI has written this line to stderr.
pub(crate) fn on_stderr_line(
    wanted: &'static str,
    options: Options,
) -> (Options, oneshot::Receiver<()>) {
    let (sender, received) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let options = options.stderr(move |line| {
        if line == wanted
            && let Some(sender) = sender.lock().unwrap().take()
        {
            // The receiver is gone if the test has failed.
            let _ = sender.send(());
        }
    });
    (options, received)
}

/// Returns whether a child of this process was reaped.
pub(crate) fn is_reaped(pid: u32) -> bool {
    rustix::process::test_kill_process(as_pid(pid)).is_err()
}

/// Returns the running processes of a group; zombies do not count.
pub(crate) fn members_of_group(group: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else {
        // Without /proc only the existence of the group is known.
        let there = rustix::process::test_kill_process_group(as_pid(group)).is_ok();
        return there.then_some(group).into_iter().collect();
    };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|&pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The program name in parentheses may contain any character.
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let mut fields = fields.split(' ');
        let is_alive = fields
            .next()
            .is_some_and(|state| !["Z", "X", ""].contains(&state));
        is_alive && fields.nth(1) == Some(&group.to_string())
    })
    .collect()
}

/// Polls a condition of other processes, for which there is no event.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < DEADLINE, "deadline passed: {what}");
        thread::yield_now();
    }
}

fn as_pid(pid: u32) -> rustix::process::Pid {
    let pid = i32::try_from(pid).expect("process ids are small");
    rustix::process::Pid::from_raw(pid).expect("process ids are not zero")
}
