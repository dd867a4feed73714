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

/// Longer than anything here takes, on any machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A `fake-cli` that is ready to be started, once.
pub(crate) struct Stage {
    directory: TempDir,
    script: PathBuf,
}

impl Stage {
    pub(crate) fn new(script: &Script) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let script = script.write_to(directory.path()).unwrap();
        Self { directory, script }
    }

    /// Options that start it, with little patience for a CLI that does not end.
    pub(crate) fn options(&self) -> Options {
        Options::new()
            .cli_path(env!("CARGO_BIN_EXE_fake-cli"))
            .env(Script::VARIABLE, &self.script)
            .env(LaunchRecord::VARIABLE, self.record_path())
            .shutdown(
                ShutdownTiming::default()
                    .grace(Duration::from_millis(200))
                    .term(Duration::from_millis(200)),
            )
    }

    pub(crate) async fn connect(&self) -> inhouse::Result<Client> {
        within(Client::connect(self.options())).await
    }

    /// How it was started, if it came so far.
    pub(crate) fn record(&self) -> Option<LaunchRecord> {
        LaunchRecord::read(&self.record_path()).ok()
    }

    /// Asserts that the process was reaped, and that nothing lives on in its group.
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
pub(crate) fn hear(wanted: &'static str, options: Options) -> (Options, oneshot::Receiver<()>) {
    let (tell, told) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let options = options.stderr(move |line| {
        if line == wanted
            && let Some(tell) = tell.lock().unwrap().take()
        {
            // The test does not wait any more if it has failed by now.
            let _ = tell.send(());
        }
    });
    (options, told)
}

/// Whether nothing is left of a child of this process, not even a zombie.
pub(crate) fn is_reaped(pid: u32) -> bool {
    rustix::process::test_kill_process(as_pid(pid)).is_err()
}

/// The living processes of a group. A zombie of which the parent is gone is somebody else's.
pub(crate) fn members_of_group(group: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else {
        // Without /proc there is no more to know than whether there is anyone at all.
        let there = rustix::process::test_kill_process_group(as_pid(group)).is_ok();
        return there.then_some(group).into_iter().collect();
    };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|&pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name of the program, in parentheses, may hold anything.
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let mut fields = fields.split(' ');
        let is_alive = fields
            .next()
            .is_some_and(|state| !["Z", "X", ""].contains(&state));
        is_alive && fields.nth(1) == Some(&group.to_string())
    })
    .collect()
}

/// For what processes do by themselves, and of which nothing tells.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < DEADLINE,
            "not within the deadline: {what}"
        );
        thread::yield_now();
    }
}

fn as_pid(pid: u32) -> rustix::process::Pid {
    let pid = i32::try_from(pid).expect("process ids are small");
    rustix::process::Pid::from_raw(pid).expect("process ids are not zero")
}
