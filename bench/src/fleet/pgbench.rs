//! pgbench with the statements of a turn: what the server does without the library.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use tokio::process::Command;
use uuid::Uuid;

use super::Database;
use crate::generator::Failure;
use crate::report::Report;
use crate::sessions::Transcript;

/// The statements of a turn; [`APPENDS`] stands for the appends to the transcript.
const TURN: &str = include_str!("turn.sql");
const APPENDS: &str = "-- appends\n";

/// A transaction that only notifies.
const NOTIFY: &str = "select pg_notify('inhouse_event', ':client_id');\n";

/// The entries of a small turn: those of [`turns`](super::turns()), in one append.
const SMALL: &[&[usize]] = &[&[250, 1_750]];

/// The entries of a turn with one tool call of CLI 2.1.325, each in a separate append: 77 kB, of which one entry has 48 kB.
const LARGE: &[&[usize]] = &[
    &[1_000],
    &[48_000],
    &[4_000],
    &[4_000],
    &[6_000],
    &[6_000],
    &[4_000],
    &[4_000],
];

/// The work that pgbench repeats and counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Script {
    /// The statements of a turn of [`turns`](super::turns()).
    SmallTurn,
    /// The statements of a turn with a transcript of 77 kB in eight appends.
    LargeTurn,
    /// A transaction that only notifies.
    Notify,
}

impl Script {
    /// Returns the script with this name on the command line.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "small-turn" => Self::SmallTurn,
            "large-turn" => Self::LargeTurn,
            "notify" => Self::Notify,
            _ => return None,
        })
    }

    fn appends(self) -> &'static [&'static [usize]] {
        match self {
            Self::SmallTurn => SMALL,
            Self::LargeTurn => LARGE,
            Self::Notify => &[],
        }
    }

    /// Returns the text of the script.
    fn text(self) -> String {
        if self == Self::Notify {
            return NOTIFY.to_owned();
        }
        let mut appends = String::new();
        let mut position = 0;
        for entries in self.appends() {
            let bodies: Vec<String> = entries
                .iter()
                .map(|bytes| format!("':body{bytes}'"))
                .collect();
            let _ = writeln!(
                appends,
                "execute append('inhouse-fleet', ':session', '', :epoch, :main_next + {position}, array[{}]::bytea[], ':summary');",
                bodies.join(", ")
            );
            position += entries.len();
        }
        TURN.replace(APPENDS, &appends)
    }
}

/// Runs pgbench with this many clients, each of which does this many turns or notifications.
///
/// # Errors
/// Returns an error if pgbench fails.
pub async fn pgbench(
    server: &str,
    programs: &Path,
    script: Script,
    sessions: usize,
    clients: usize,
    transactions: usize,
) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let host = Uuid::new_v4();
    fill(&database, host, sessions, clients).await?;
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("script.sql");
    std::fs::write(&path, script.text())?;
    let mut text = Transcript::new(0);
    let mut bodies: Vec<usize> = script.appends().concat();
    bodies.sort_unstable();
    bodies.dedup();

    let begin = database.counters().await?;
    let mut command = Command::new(programs.join("pgbench"));
    command
        .args(["--no-vacuum", "--protocol=simple", "--jobs=2"])
        .args(["--client", &clients.to_string()])
        .args(["--transactions", &transactions.to_string()])
        .arg("--file")
        .arg(&path)
        .args(["--define", "prepared=0", "--define", "tenant=-"])
        .args(["--define", &format!("sessions={sessions}")])
        // Not `host`: `\gset` makes a variable of each column of the claim, and one of them is `host`.
        .args(["--define", &format!("incarnation={host}")])
        .args(["--define", &format!("message={}", plain(&mut text, 450))])
        .args(["--define", &format!("summary={}", plain(&mut text, 200))]);
    for bytes in bodies {
        let body = format!("body{bytes}={}", plain(&mut text, bytes));
        command.args(["--define", &body]);
    }
    let output = command.arg(database.url()).output().await?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("pgbench: {stderr}")).into());
    }
    let spent = database.spent_since(&begin).await?;
    let rate = number_after(&stdout, "tps = ")
        .ok_or_else(|| Failure::new(format!("pgbench printed no rate: {stdout}")))?;
    let all = (clients * transactions) as f64;
    let statements = spent.transactions / all;
    let mut report = Report::default();
    report.set("per_second", rate);
    report.set("transactions", statements);
    report.set("log_kib", spent.log_bytes / 1024.0 / all);
    report.set("transactions_per_second", rate * statements);
    report.set("each_us", clients as f64 * 1e6 / (rate * statements));
    report.set("server_cpu_us", spent.cpu.as_secs_f64() * 1e6 / all);
    Ok(report)
}

/// Gives each session a turn, and queues prompts, so that every claim finds one.
async fn fill(
    database: &Database,
    host: Uuid,
    sessions: usize,
    clients: usize,
) -> Result<(), Box<dyn Error>> {
    sqlx::query("insert into inhouse.host (incarnation, name, slots, alive_until) values ($1, 'bench', 1, 'infinity')")
        .bind(host)
        .execute(database.pool())
        .await?;
    for statement in [
        "insert into inhouse_session (project, session, epoch, owned)
         select 'inhouse-fleet', 'session-' || n, nextval('inhouse_epoch'), 0 from generate_series(1, $1) n",
        "insert into inhouse_stream (project, session, subpath, next, modified)
         select 'inhouse-fleet', 'session-' || n, subpath, 1, inhouse_now()
         from generate_series(1, $1) n, unnest(array['', 'results']) subpath",
        "insert into inhouse_entry (stream, position, epoch, body) select id, 0, 1, '{}' from inhouse_stream, (select $1) unused",
    ] {
        sqlx::query(statement)
            .bind(i32::try_from(sessions)?)
            .execute(database.pool())
            .await?;
    }
    let queued = i32::try_from(sessions.min(4 * clients))?;
    sqlx::query(
        "select inhouse.enqueue('session-' || n, '0 sent at 0') from generate_series(1, $1) n",
    )
    .bind(queued)
    .execute(database.pool())
    .await?;
    Ok(database.execute("analyze").await?)
}

/// Returns a text without quotation marks, backslashes and colons, which pgbench would read as its own.
fn plain(text: &mut Transcript, bytes: usize) -> String {
    let text = text.text(bytes);
    let mut plain: String = text
        .chars()
        .filter(|c| !matches!(c, '"' | '\'' | '\\' | ':'))
        .collect();
    plain.truncate(bytes);
    plain
}

fn number_after(text: &str, label: &str) -> Option<f64> {
    let (_, rest) = text.rsplit_once(label)?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources that have the statements.
    const SOURCES: [&str; 6] = [
        include_str!("../../../crates/inhouse-store/src/postgres/store.rs"),
        include_str!("../../../crates/inhouse-store/src/postgres/leases.rs"),
        include_str!("../../../crates/inhouse-store/src/postgres/journal.rs"),
        include_str!("../../../crates/inhouse-fleet/src/postgres/fleet.rs"),
        include_str!("../../../crates/inhouse-fleet/src/postgres/serve.rs"),
        include_str!("../../../crates/inhouse-fleet/src/postgres/turn.rs"),
    ];

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn statements_of_pgbench_are_those_of_the_crates() {
        let sources = words(&SOURCES.concat());
        let statements = TURN.split("\nprepare ").skip(1);
        let statements: Vec<&str> = statements
            .map(|rest| {
                let (statement, _) = rest.split_once(';').unwrap();
                statement.split_once(" as").unwrap().1
            })
            .collect();
        assert_eq!(statements.len(), 14);
        for statement in statements {
            let statement = words(statement);
            assert!(
                sources.contains(&statement),
                "not a statement of a turn: {statement}"
            );
        }
    }

    #[test]
    fn appends_of_a_turn_have_the_bytes_of_its_transcript() {
        assert_eq!(LARGE.concat().iter().sum::<usize>(), 77_000);
        let script = Script::LargeTurn.text();
        assert_eq!(script.matches("execute append").count(), LARGE.len() + 1);
        assert!(
            script.contains(":main_next + 7, array[':body4000']"),
            "{script}"
        );
    }
}
