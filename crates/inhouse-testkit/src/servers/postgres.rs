//! A PostgreSQL server.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, io, thread};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

use super::ServerUnavailable;

/// The directory that Debian's packages install each version to.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user that the server runs as when the test runs as root, which PostgreSQL refuses.
const USER: &str = "postgres";
/// Another program may take the free port before the server listens on it.
const ATTEMPTS: usize = 5;

/// A PostgreSQL server on a free port of loopback, with an empty database in a temporary directory.
///
/// The programs come from the directory in `INHOUSE_POSTGRES`, or from the newest version below `/usr/lib/postgresql`. When the test runs as
/// root, the server runs as the user `postgres`. Dropping the value stops the server and removes its data.
///
/// ```no_run
/// use inhouse_testkit::servers::PostgresServer;
///
/// let mut server = PostgresServer::start()?;
/// println!("connect to {}", server.url());
/// server.crash();
/// server.restart()?; // on the same port, with what was committed before
/// # Ok::<_, inhouse_testkit::servers::ServerUnavailable>(())
/// ```
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    user: Option<(u32, u32)>,
    port: u16,
    process: Option<Child>,
    data: TempDir,
}

impl PostgresServer {
    /// Creates a database cluster and starts a server for it. Blocks the thread for some seconds.
    ///
    /// # Errors
    /// Returns an error if PostgreSQL is not installed or does not start.
    pub fn start() -> Result<Self, ServerUnavailable> {
        let user = if geteuid().is_root() {
            Some(user_ids()?)
        } else {
            None
        };
        let data = tempfile::Builder::new()
            .prefix("inhouse-postgres-")
            .tempdir();
        let data = data.map_err(|error| unavailable("temporary directory", &error))?;
        if let Some((user, group)) = user {
            chown(data.path(), Some(user), Some(group))
                .map_err(|error| unavailable("chown", &error))?;
        }
        let mut server = Self {
            programs: programs()?,
            user,
            port: 0,
            process: None,
            data,
        };
        server.create_cluster()?;
        let mut last = None;
        for _ in 0..ATTEMPTS {
            server.port = free_port().map_err(|error| unavailable("free port", &error))?;
            match server.restart() {
                Ok(()) => return Ok(server),
                Err(error) => last = Some(error),
            }
        }
        Err(last.expect("there was an attempt"))
    }

    /// Returns the URL of the database `postgres`, for its superuser, without a password.
    pub fn url(&self) -> String {
        let (host, port) = (Ipv4Addr::LOCALHOST, self.port);
        format!("postgres://{USER}@{host}:{port}/postgres")
    }

    /// Returns the directory of the programs that come with the server, such as `psql` and `pgbench`.
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Stops the server without a checkpoint, as `pg_ctl stop -m immediate` does. What was committed stays.
    pub fn crash(&mut self) {
        self.stop(Signal::QUIT);
    }

    /// Starts the server again, on the same port. Does nothing while it runs.
    ///
    /// # Errors
    /// Returns an error if the server exits before it accepts connections, with its log.
    pub fn restart(&mut self) -> Result<(), ServerUnavailable> {
        if self.process.is_some() {
            return Ok(());
        }
        let mut command = self.command("postgres");
        command
            .arg("-D")
            .arg(self.data.path().join("cluster"))
            .args(["-p", &self.port.to_string(), "-h", "127.0.0.1"])
            // No socket in a directory that only the package creates, and no wait for the disk: the machine itself does not crash here.
            .args(["-c", "unix_socket_directories=", "-c", "fsync=off"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| unavailable("postgres", &error))?;
        let stderr = process.stderr.take().expect("stderr is piped");
        let mut log = BufReader::new(stderr);
        let mut lines = String::new();
        loop {
            let begin = lines.len();
            let read = log.read_line(&mut lines);
            if lines[begin..].contains("database system is ready to accept connections") {
                break;
            }
            if read.is_ok_and(|length| length > 0) {
                continue;
            }
            let _ = process.kill();
            let _ = process.wait();
            return Err(ServerUnavailable(format!("postgres exited:\n{lines}")));
        }
        // A log that is not read would block the server.
        thread::spawn(move || io::copy(&mut log, &mut io::sink()));
        self.process = Some(process);
        Ok(())
    }

    fn create_cluster(&self) -> Result<(), ServerUnavailable> {
        let mut command = self.command("initdb");
        command
            .arg("-D")
            .arg(self.data.path().join("cluster"))
            .args(["-U", USER, "--auth=trust", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C"])
            .stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| unavailable("initdb", &error))?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(ServerUnavailable(format!("initdb: {stderr}")))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.data.path());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    fn stop(&mut self, signal: Signal) {
        if let Some(mut process) = self.process.take() {
            // The process is not reaped yet, so its number is still its own.
            let _ = kill_process(Pid::from_child(&process), signal);
            let _ = process.wait();
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop(Signal::QUIT);
    }
}

/// Returns the directory of the server's programs.
fn programs() -> Result<PathBuf, ServerUnavailable> {
    if let Some(directory) = std::env::var_os("INHOUSE_POSTGRES") {
        return Ok(directory.into());
    }
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|version| Some((version.file_name().to_str()?.parse::<u32>().ok()?, version)))
        .filter(|(_, version)| version.path().join("bin/postgres").exists())
        .max_by_key(|(number, _)| *number);
    match newest {
        Some((_, version)) => Ok(version.path().join("bin")),
        None => Err(ServerUnavailable(format!(
            "PostgreSQL is not installed: there is nothing below {DEBIAN}, and INHOUSE_POSTGRES is not set"
        ))),
    }
}

/// Returns the ids of the user `postgres` and its group.
fn user_ids() -> Result<(u32, u32), ServerUnavailable> {
    let path = Path::new("/etc/passwd");
    let users = fs::read_to_string(path).map_err(|error| unavailable("/etc/passwd", &error))?;
    let ids = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let is_user = fields.next() == Some(USER);
        let (user, group) = (fields.nth(1)?, fields.next()?);
        is_user.then_some((user.parse().ok()?, group.parse().ok()?))
    });
    ids.ok_or_else(|| ServerUnavailable(format!("there is no user {USER}")))
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

fn unavailable(what: &str, error: &io::Error) -> ServerUnavailable {
    ServerUnavailable(format!("{what}: {error}"))
}
