//! A Restate server.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, io};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::ServerUnavailable;

/// How long the server may take to start.
const START: Duration = Duration::from_secs(120);
/// The pause between requests for the health of the server.
const POLL: Duration = Duration::from_millis(50);
/// Another program may take the free ports before the server listens on them.
const ATTEMPTS: usize = 3;

/// A Restate server on free ports of loopback, with its data in a temporary directory.
///
/// The program is the file in `INHOUSE_RESTATE`, `bin/restate-server` of the npm package `@restatedev/restate-server-linux-x64`. It runs without
/// telemetry and without a web page. Dropping the value kills the server and removes its data.
///
/// ```no_run
/// use inhouse_testkit::servers::RestateServer;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mut server = RestateServer::start("").await?;
/// server.register("http://127.0.0.1:9080").await?;
/// let (status, _body) = server.ingress("POST", "/Greeter/greet", "\"Ada\"").await?;
/// assert_eq!(status, 200);
/// server.crash();
/// server.restart().await?; // on the same ports, with what was accepted before
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RestateServer {
    program: PathBuf,
    /// Lines of the configuration that the test adds.
    settings: String,
    ports: Ports,
    process: Option<Child>,
    directory: TempDir,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ports {
    node: u16,
    ingress: u16,
    admin: u16,
}

impl RestateServer {
    /// Starts a server with an empty directory, and further lines for its configuration: TOML without sections, such as
    /// `worker.invoker.inactivity-timeout = "2s"`.
    ///
    /// # Errors
    /// Returns an error if the program is missing or does not start, with its log.
    pub async fn start(settings: &str) -> Result<Self, ServerUnavailable> {
        let program = std::env::var_os("INHOUSE_RESTATE").ok_or_else(|| {
            let text = "INHOUSE_RESTATE is not set; run `cargo xtask test --ring durable`";
            ServerUnavailable(text.to_owned())
        })?;
        let directory = tempfile::Builder::new()
            .prefix("inhouse-restate-")
            .tempdir();
        let mut server = Self {
            program: program.into(),
            settings: settings.to_owned(),
            ports: Ports::default(),
            process: None,
            directory: directory.map_err(|error| unavailable("temporary directory", &error))?,
        };
        let mut last = None;
        for _ in 0..ATTEMPTS {
            server.ports = Ports::free().map_err(|error| unavailable("free port", &error))?;
            match server.restart().await {
                Ok(()) => return Ok(server),
                Err(error) => last = Some(error),
            }
        }
        Err(last.expect("there was an attempt"))
    }

    /// Registers the services of an endpoint, given by its URL.
    ///
    /// # Errors
    /// Returns an error if the server refuses them, with its answer.
    pub async fn register(&self, endpoint: &str) -> io::Result<()> {
        let body = serde_json::json!({ "uri": endpoint, "force": true }).to_string();
        match self.admin("POST", "/deployments", &body).await? {
            (200..300, _) => Ok(()),
            (status, body) => Err(io::Error::other(format!("{status}: {body}"))),
        }
    }

    /// Sends a JSON request to the ingress, and returns the status and the body of the response.
    ///
    /// # Errors
    /// Returns an error if the connection fails, such as when the server is killed.
    pub async fn ingress(&self, method: &str, path: &str, body: &str) -> io::Result<(u16, String)> {
        request(self.ports.ingress, method, path, "", body).await
    }

    /// Sends a JSON request with a further header to the ingress, and returns the status and the body of the response.
    ///
    /// # Errors
    /// Returns an error if the connection fails, such as when the server is killed.
    pub async fn ingress_with_header(
        &self,
        method: &str,
        path: &str,
        (name, value): (&str, &str),
        body: &str,
    ) -> io::Result<(u16, String)> {
        let header = format!("{name}: {value}\r\n");
        request(self.ports.ingress, method, path, &header, body).await
    }

    /// Sends a JSON request to the admin API, and returns the status and the body of the response.
    ///
    /// # Errors
    /// Returns an error if the connection fails.
    pub async fn admin(&self, method: &str, path: &str, body: &str) -> io::Result<(u16, String)> {
        // Without it, queries are answered in a binary format.
        let accept = "accept: application/json\r\n";
        request(self.ports.admin, method, path, accept, body).await
    }

    /// Kills the server. What it has accepted stays.
    pub fn crash(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts the server again, on the same ports. Does nothing while it runs.
    ///
    /// # Errors
    /// Returns an error if the server exits or does not become healthy, with its log.
    pub async fn restart(&mut self) -> Result<(), ServerUnavailable> {
        if self.process.is_some() {
            return Ok(());
        }
        self.spawn()
            .map_err(|error| unavailable("restate-server", &error))?;
        let begin = Instant::now();
        while !self.is_healthy().await {
            let exited = match &mut self.process {
                Some(process) => process.try_wait().is_ok_and(|status| status.is_some()),
                None => true,
            };
            if exited || begin.elapsed() > START {
                self.crash();
                let log = fs::read_to_string(self.log()).unwrap_or_default();
                return Err(ServerUnavailable(format!("restate-server:\n{log}")));
            }
            sleep(POLL).await;
        }
        Ok(())
    }

    fn spawn(&mut self) -> io::Result<()> {
        let directory = self.directory.path();
        let configuration = directory.join("restate.toml");
        fs::write(&configuration, self.configuration())?;
        let log = fs::File::create(self.log())?;
        let process = Command::new(&self.program)
            .arg("--no-logo")
            .arg("--config-file")
            .arg(configuration)
            .current_dir(directory)
            .env_clear()
            .env("HOME", directory)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        self.process = Some(process);
        Ok(())
    }

    fn configuration(&self) -> String {
        let Ports {
            node,
            ingress,
            admin,
        } = self.ports;
        let settings = &self.settings;
        format!(
            r#"
            {settings}
            cluster-name = "inhouse"
            node-name = "inhouse"
            auto-provision = true
            default-num-partitions = 2
            base-dir = "data"
            disable-telemetry = true
            listen-mode = "tcp"
            bind-address = "127.0.0.1:{node}"
            advertised-address = "http://127.0.0.1:{node}/"
            rocksdb-total-memory-size = "256 MiB"
            log-filter = "warn"
            log-disable-ansi-codes = true

            [ingress]
            bind-address = "127.0.0.1:{ingress}"
            advertised-address = "http://127.0.0.1:{ingress}/"

            [admin]
            bind-address = "127.0.0.1:{admin}"
            advertised-address = "http://127.0.0.1:{admin}/"
            disable-web-ui = true

            "#
        )
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    async fn is_healthy(&self) -> bool {
        let ok = |response: io::Result<(u16, _)>| response.is_ok_and(|(status, _)| status == 200);
        ok(self.admin("GET", "/health", "").await)
            && ok(self.ingress("GET", "/restate/health", "").await)
    }
}

impl Drop for RestateServer {
    fn drop(&mut self) {
        self.crash();
    }
}

impl Ports {
    fn free() -> io::Result<Self> {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        // All are open at the same time, so that they differ.
        let listeners = [listen()?, listen()?, listen()?];
        let port = |at: usize| Ok::<_, io::Error>(listeners[at].local_addr()?.port());
        Ok(Self {
            node: port(0)?,
            ingress: port(1)?,
            admin: port(2)?,
        })
    }
}

/// Sends a request of HTTP/1.0, whose response ends with the connection.
async fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> io::Result<(u16, String)> {
    let length = body.len();
    let content = match body {
        "" => String::new(),
        _ => format!("content-type: application/json\r\ncontent-length: {length}\r\n"),
    };
    let head = format!("{method} {path} HTTP/1.0\r\nhost: localhost\r\n{headers}{content}\r\n");
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    let parsed = response.split_once("\r\n\r\n").and_then(|(head, body)| {
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    });
    parsed.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, response))
}

fn unavailable(what: &str, error: &io::Error) -> ServerUnavailable {
    ServerUnavailable(format!("{what}: {error}"))
}
