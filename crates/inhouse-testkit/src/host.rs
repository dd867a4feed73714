//! Hosts in separate processes, which a test kills, stops and continues.
//!
//! Whether a session survives its host can be tested only with a host that dies. [`HostProcess`] runs one: usually the test
//! executable starts itself with one of its tests ([`this_test`]), which is the host if [`Isolation::from_env`] returns a
//! value, and does nothing otherwise. The host [reports] events; the test waits for them and then sends a signal.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use inhouse_testkit::host::{HostProcess, exit_with_test, report, this_test};
//! use inhouse_testkit::{Isolation, RealCli, ScriptedModel};
//!
//! const DEADLINE: Duration = Duration::from_secs(60);
//!
//! #[tokio::test]
//! async fn answer_survives_its_host() {
//!     let model = ScriptedModel::start().await.unwrap();
//!     model.turn("It is noon.");
//!     let isolation = RealCli::pinned().unwrap().isolated(&model).unwrap();
//!     let mut command = this_test("host").unwrap();
//!     command.env_clear().envs(isolation.host_env());
//!     let mut host = HostProcess::start(command).unwrap();
//!     assert_eq!(host.event("answered", DEADLINE).await.unwrap(), "It is noon.");
//!     host.kill();
//!     // … start another host that resumes the session, and compare what the model sees.
//! }
//!
//! #[tokio::test]
//! async fn host() {
//!     let Some(isolation) = Isolation::from_env() else { return };
//!     exit_with_test();
//!     let query = inhouse::query("What time is it?").options(isolation.options());
//!     report("answered", query.await.unwrap().text().await.unwrap());
//!     std::future::pending::<()>().await;
//! }
//! ```
//!
//! [reports]: report
//! [`Isolation::from_env`]: crate::Isolation::from_env

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout};

/// The beginning of a line that reports an event.
const EVENT: &str = "inhouse-host ";

/// Interval between checks for the exit of a host. End of output is no sign: a process that it started may keep it open.
const EXIT_POLL: Duration = Duration::from_millis(5);

/// How many lines of other output are kept for error messages.
const KEPT_LINES: usize = 40;

/// Reports an event to the test that started this process with [`HostProcess`].
///
/// The name is one word. Without such a test, this prints a line.
///
/// ```
/// use inhouse_testkit::host::report;
///
/// report("finished", "two\nlines");
/// ```
pub fn report(name: &str, value: impl fmt::Display) {
    let value = serde_json::Value::from(value.to_string());
    // libtest may have printed the name of the test without a line break.
    let line = format!("\n{EVENT}{name} {value}\n");
    let mut stdout = io::stdout().lock();
    // Fails if the test has ended; then the event has no reader.
    let _ = stdout.write_all(line.as_bytes());
    let _ = stdout.flush();
}

/// Ends this process when the test that started it with [`HostProcess`] has ended, however it ended.
///
/// A test that is killed cannot kill its hosts. Its end of their stdin is closed then, which a thread of this process waits for.
/// Call this function once, at the start of a host that does not read its stdin.
///
/// ```no_run
/// use inhouse_testkit::Isolation;
/// use inhouse_testkit::host::exit_with_test;
///
/// #[tokio::test]
/// async fn host() {
///     let Some(isolation) = Isolation::from_env() else { return };
///     exit_with_test();
///     // …
/// #   drop(isolation);
/// }
/// ```
pub fn exit_with_test() {
    thread::spawn(|| {
        // An error means that stdin was closed before.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(1);
    });
}

/// Returns the command that runs one test of this test executable in another process.
///
/// `name` is the name with its modules inside of the executable, such as `killed::host`.
///
/// # Errors
/// If the path of this executable cannot be determined.
///
/// ```
/// use inhouse_testkit::host::this_test;
///
/// let command = this_test("killed::host")?;
/// assert!(command.get_args().any(|argument| argument == "killed::host"));
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn this_test(name: &str) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    Ok(command)
}

/// A host that runs as a child process and is killed and reaped when the value is dropped.
///
/// ```
/// use std::process::Command;
/// use std::time::Duration;
///
/// use inhouse_testkit::host::HostProcess;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut command = Command::new("/bin/sh");
/// command.args(["-c", "echo 'inhouse-host ready \"now\"'; read -r line"]);
/// let mut host = HostProcess::start(command)?;
/// assert_eq!(host.event("ready", Duration::from_secs(30)).await?, "now");
/// host.stop();
/// host.resume();
/// assert!(!host.kill().success());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HostProcess {
    process: Child,
    status: Option<ExitStatus>,
    events: UnboundedReceiver<HostEvent>,
    output: Output,
    /// The processes below the host that [`stop_tree`](Self::stop_tree) has stopped.
    #[cfg(target_os = "linux")]
    stopped: Vec<Pid>,
}

/// An event that a host [reported](report).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostEvent {
    /// The name of the event.
    pub name: String,
    /// The value of the event as text.
    pub value: String,
}

/// Error of a host that did not reach an awaited point in time; the message has the last lines of its output.
#[derive(Debug)]
pub struct HostProcessError {
    awaited: String,
    reason: String,
    output: String,
}

/// The last lines of stdout and stderr that are not events.
#[derive(Clone, Debug, Default)]
struct Output(Arc<Mutex<VecDeque<String>>>);

impl HostProcess {
    /// Starts a host, with both outputs read by this process and stdin open until the value is dropped.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn start(mut command: Command) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let (sender, events) = unbounded_channel();
        let output = Output::default();
        if let Some(stdout) = process.stdout.take() {
            let output = output.clone();
            thread::spawn(move || output.read(stdout, Some(&sender)));
        }
        if let Some(stderr) = process.stderr.take() {
            let output = output.clone();
            thread::spawn(move || output.read(stderr, None));
        }
        Ok(Self {
            process,
            status: None,
            events,
            output,
            #[cfg(target_os = "linux")]
            stopped: Vec::new(),
        })
    }

    /// Returns the process id of the host.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// If the host ends or the deadline passes first.
    ///
    /// # Cancellation
    /// Dropping the future loses no event.
    pub async fn next_event(&mut self, within: Duration) -> Result<HostEvent, HostProcessError> {
        match timeout(within, self.events.recv()).await {
            Ok(Some(event)) => Ok(event),
            Ok(None) => Err(self.error("an event", "it has closed its output".to_owned())),
            Err(_) => Err(self.error("an event", format!("{within:?} have passed"))),
        }
    }

    /// Waits for the next event with this name, skips those before it, and returns its value.
    ///
    /// # Errors
    /// If the host ends or the deadline passes first.
    pub async fn event(
        &mut self,
        name: &str,
        within: Duration,
    ) -> Result<String, HostProcessError> {
        let found = async {
            let mut skipped = Vec::new();
            loop {
                match self.events.recv().await {
                    Some(event) if event.name == name => return Ok(event.value),
                    Some(event) => skipped.push(format!("{} {:?}", event.name, event.value)),
                    None => return Err(skipped.join(", ")),
                }
            }
        };
        let reason = match timeout(within, found).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(skipped)) => format!("it has closed its output after [{skipped}]"),
            Err(_) => format!("{within:?} have passed"),
        };
        Err(self.error(&format!("the event {name}"), reason))
    }

    /// Waits until the host has exited by itself. Its events can still be read afterwards.
    ///
    /// # Errors
    /// If the deadline passes first.
    pub async fn exited(&mut self, within: Duration) -> Result<ExitStatus, HostProcessError> {
        let exited = async {
            loop {
                if let Some(status) = self.try_reap() {
                    return status;
                }
                sleep(EXIT_POLL).await;
            }
        };
        match timeout(within, exited).await {
            Ok(status) => Ok(status),
            Err(_) => Err(self.error("its exit", format!("{within:?} have passed"))),
        }
    }

    /// Kills the host with SIGKILL and reaps it. The processes that it has started keep running.
    pub fn kill(&mut self) -> ExitStatus {
        self.signal(Signal::KILL);
        self.reap()
    }

    /// Asks the host to end, with SIGTERM. The processes that it has started keep running.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Stops the host with SIGSTOP. The processes that it has started keep running.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// Continues a stopped host with SIGCONT.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Returns the ids of the processes below the host, each after its parent; none if the host has exited.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn descendants(&self) -> Vec<u32> {
        let found = descendants(self.pid()).into_iter();
        found
            .map(|process| process.as_raw_nonzero().get().cast_unsigned())
            .collect()
    }

    /// Kills the host, everything below it and everything that [`stop_tree`](Self::stop_tree) has stopped, and reaps the host.
    #[cfg(target_os = "linux")]
    pub fn kill_tree(&mut self) -> ExitStatus {
        self.stop_tree();
        // The host last: its watchdog must not have time to act.
        for process in std::mem::take(&mut self.stopped) {
            let _ = kill_process(process, Signal::KILL);
        }
        self.kill()
    }

    /// Stops the host and everything below it with SIGSTOP, as on a suspended machine.
    ///
    /// Does nothing if the host has exited: what it has left behind is not known.
    #[cfg(target_os = "linux")]
    pub fn stop_tree(&mut self) {
        if self.try_reap().is_some() {
            return;
        }
        self.signal(Signal::STOP);
        // A process may have started another one before it was stopped.
        loop {
            let mut all = descendants(self.pid());
            all.retain(|process| !self.stopped.contains(process));
            if all.is_empty() {
                return;
            }
            for process in &all {
                let _ = kill_process(*process, Signal::STOP);
            }
            self.stopped.extend(all);
        }
    }

    /// Continues what [`stop_tree`](Self::stop_tree) has stopped, the host last.
    #[cfg(target_os = "linux")]
    pub fn resume_tree(&mut self) {
        for process in std::mem::take(&mut self.stopped).into_iter().rev() {
            let _ = kill_process(process, Signal::CONT);
        }
        self.signal(Signal::CONT);
    }

    /// Sends a signal, unless the host is reaped: its number may be that of another process then.
    fn signal(&self, signal: Signal) {
        if self.status.is_none() {
            let _ = kill_process(Pid::from_child(&self.process), signal);
        }
    }

    fn try_reap(&mut self) -> Option<ExitStatus> {
        self.status = self
            .status
            .or_else(|| self.process.try_wait().ok().flatten());
        self.status
    }

    fn reap(&mut self) -> ExitStatus {
        let status = self.status.unwrap_or_else(|| {
            let status = self.process.wait();
            status.expect("no other code waits for this child")
        });
        self.status = Some(status);
        status
    }

    fn error(&mut self, awaited: &str, reason: String) -> HostProcessError {
        let status = self.try_reap().map(|status| format!(" ({status})"));
        HostProcessError {
            awaited: awaited.to_owned(),
            reason: reason + &status.unwrap_or_default(),
            output: self.output.text(),
        }
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        self.kill_tree();
        #[cfg(not(target_os = "linux"))]
        self.kill();
    }
}

impl HostEvent {
    /// Parses a line; `None` if it reports no event.
    fn read(line: &str) -> Option<Self> {
        let (name, value) = line.strip_prefix(EVENT)?.split_once(' ')?;
        Some(Self {
            name: name.to_owned(),
            value: serde_json::from_str(value).ok()?,
        })
    }
}

impl Output {
    fn read(&self, stream: impl Read, events: Option<&UnboundedSender<HostEvent>>) {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while stream
            .read_until(b'\n', &mut line)
            .is_ok_and(|length| length > 0)
        {
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            match (events, HostEvent::read(text)) {
                // Fails if the test no longer waits for events.
                (Some(events), Some(event)) => drop(events.send(event)),
                _ if text.is_empty() => {}
                _ => self.keep(text),
            }
            line.clear();
        }
    }

    fn keep(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line.to_owned());
        if lines.len() > KEPT_LINES {
            lines.pop_front();
        }
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| format!("\n  {line}")).collect()
    }
}

/// Returns the processes below a process, each behind its parent.
#[cfg(target_os = "linux")]
fn descendants(process: u32) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut parents = vec![process];
    while let Some(parent) = parents.pop() {
        let threads = std::fs::read_dir(format!("/proc/{parent}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children"));
            for child in children.unwrap_or_default().split_whitespace() {
                let Ok(child) = child.parse::<u32>() else {
                    continue;
                };
                found.extend(Pid::from_raw(child.cast_signed()));
                parents.push(child);
            }
        }
    }
    found
}

impl fmt::Display for HostProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            awaited,
            reason,
            output,
        } = self;
        write!(
            f,
            "the host did not reach {awaited}: {reason}; its output:{output}"
        )
    }
}

impl Error for HostProcessError {}
