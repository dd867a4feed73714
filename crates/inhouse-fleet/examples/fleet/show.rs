//! The first process: starts the others, kills one, and checks the outcome of the prompts.

use std::error::Error;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use inhouse_fleet::Work;
use inhouse_fleet::postgres::Fleet;
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::servers::PostgresServer;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::bank;

const CUSTOMERS: [&str; 3] = ["ada", "bob", "cleo"];
const AMOUNTS: [i32; 3] = [2, 3, 5];

/// Longer than any of the steps takes on a loaded machine.
const LIMIT: Duration = Duration::from_secs(120);

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let log = Log(Instant::now());
    log.line("example", "starts a PostgreSQL server on loopback");
    let server = PostgresServer::start().map_err(|error| {
        format!("{error}\nThis example needs PostgreSQL: apt-get install postgresql")
    })?;
    let store = PostgresStore::connect(&server.url()).await?;
    bank::open(store.pool()).await?;
    let fleet = Fleet::postgres(&store);

    let mut works = Vec::new();
    for dollars in AMOUNTS {
        for customer in CUSTOMERS {
            let work = Work::new(customer, format!("Charge {dollars} dollars"));
            let key = format!("order-{dollars}");
            works.push((customer, dollars, fleet.enqueue(work.dedupe(key)).await?));
        }
    }
    log.line(
        "example",
        &format!(
            "has enqueued {} prompts for {} sessions",
            works.len(),
            CUSTOMERS.len()
        ),
    );

    let directory = tempfile::tempdir()?;
    let mut first = Worker::start("worker-1", &server.url(), directory.path(), log)?;
    let second = Worker::start("worker-2", &server.url(), directory.path(), log)?;
    timeout(LIMIT, first.wait_for("charges")).await??;
    first.process.kill().await?;
    log.line(
        "example",
        "has killed worker-1 (SIGKILL) in the middle of this call",
    );

    for (customer, dollars, work) in &works {
        let reply = timeout(LIMIT, fleet.result(work)).await??;
        let text = reply.text.unwrap_or_default();
        log.line(
            "example",
            &format!("got the answer to {customer}, {dollars} dollars: {text}"),
        );
    }
    check(store.pool()).await?;
    log.line(
        "example",
        &format!(
            "found {} prompts answered once, in order, and {} charges",
            works.len(),
            works.len()
        ),
    );

    fleet.drain("worker-2").await?;
    let status = timeout(LIMIT, second.ended()).await??;
    log.line(
        "example",
        &format!("has drained worker-2, which ended with {status}"),
    );
    Ok(())
}

/// Checks that each customer was charged each amount once, in order.
async fn check(pool: &sqlx::PgPool) -> Result<(), Box<dyn Error>> {
    for customer in CUSTOMERS {
        let charged = bank::charges(pool, customer).await?;
        if charged != AMOUNTS {
            return Err(
                format!("{customer} was charged {charged:?} instead of {AMOUNTS:?}").into(),
            );
        }
    }
    Ok(())
}

/// A worker in a separate process.
struct Worker {
    name: &'static str,
    process: Child,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Worker {
    fn start(
        name: &'static str,
        url: &str,
        directory: &Path,
        log: Log,
    ) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["worker", name, url])
            .arg(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = process
            .stdout
            .take()
            .ok_or("the output of a worker is piped")?;
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut lines = BufReader::new(stdout).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                log.line(name, &line);
                // Fails once no line is waited for.
                let _ = sender.send(line);
            }
        });
        log.line("example", &format!("has started {name}"));
        Ok(Self {
            name,
            process,
            lines,
        })
    }

    /// Waits until the worker prints a line with this text.
    async fn wait_for(&mut self, text: &str) -> Result<(), Box<dyn Error>> {
        while let Some(line) = self.lines.recv().await {
            if line.contains(text) {
                return Ok(());
            }
        }
        Err(format!("{} ended early", self.name).into())
    }

    async fn ended(mut self) -> Result<std::process::ExitStatus, Box<dyn Error>> {
        Ok(self.process.wait().await?)
    }
}

/// Prints lines with the time since the start.
#[derive(Clone, Copy)]
struct Log(Instant);

impl Log {
    fn line(self, who: &str, what: &str) {
        println!(
            "{:>6.2} s  {who:<8}  {what}",
            self.0.elapsed().as_secs_f32()
        );
    }
}
