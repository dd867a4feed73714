//! `inhouse sessions`: the sessions on disk or in a store.

mod report;
mod store;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use inhouse::sessions::{SessionInfo, Sessions};
use serde::Serialize;

use self::report::{EntryWriter, Message, ago, print_message, summary, time};
use crate::file::is_same_file;
use crate::output::{bold, dim, one_line, print_json, print_line, print_table};

/// Options of `inhouse sessions`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    source: SessionSource,
}

/// Where the sessions are, and how they are printed.
#[derive(clap::Args)]
pub(crate) struct SessionSource {
    /// Only sessions of this project directory; with a store, its own directory instead of the current one
    #[arg(long, global = true, value_name = "DIRECTORY")]
    project: Option<PathBuf>,
    /// The configuration directory of the CLI; CLAUDE_CONFIG_DIR or ~/.claude by default
    #[arg(long, global = true, value_name = "DIRECTORY")]
    config_dir: Option<PathBuf>,
    /// A store instead of the disk: sqlite:<file> or postgres://<user>@<host>/<database>
    #[arg(
        long,
        global = true,
        value_name = "STORE",
        conflicts_with = "config_dir"
    )]
    store: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// List sessions, the newest first; the default
    List {
        /// The greatest number of sessions
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: usize,
    },
    /// Show the messages of a session
    Show {
        /// The id of the session
        session: String,
    },
    /// Copy a session under a new id, which is printed
    Fork {
        /// The id of the session
        session: String,
        /// The title of the copy; that of the session and ` (fork)` by default
        #[arg(long)]
        title: Option<String>,
        /// The id of the last message to copy; all by default
        #[arg(long, value_name = "MESSAGE")]
        up_to: Option<String>,
    },
    /// Write all entries of a session as JSON lines: {"entry":…}, and {"subpath":…,"entry":…} for subagents
    Export {
        /// The id of the session
        session: String,
        /// Where to write; standard output by default
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// A session in JSON.
#[derive(Serialize)]
struct Session<'a> {
    id: &'a str,
    summary: &'a str,
    title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    tag: Option<&'a str>,
    git_branch: Option<&'a str>,
    cwd: Option<&'a PathBuf>,
    created_at: Option<String>,
    last_modified: String,
    file_size: Option<u64>,
    is_archived: bool,
    transcript: Option<&'a Path>,
}

/// The output of `inhouse sessions show --json`.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    session: Session<'a>,
    messages: Vec<Message<'a>>,
}

/// The output of `inhouse sessions fork --json`.
#[derive(Serialize)]
struct Forked {
    id: String,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let Arguments { command, source } = arguments;
    let sessions = sessions(&source).await?;
    match command.unwrap_or(Command::List { limit: 20 }) {
        Command::List { limit } => list(&sessions, limit, source.json).await,
        Command::Show { session } => show(&sessions, &session, source.json).await,
        Command::Fork {
            session,
            title,
            up_to,
        } => fork(&sessions, &session, title, up_to, source.json).await,
        Command::Export { session, output } => export(&sessions, &session, output.as_deref()).await,
    }
}

/// Returns the sessions on disk, or those of a project in a store.
async fn sessions(source: &SessionSource) -> Result<Sessions> {
    let mut sessions = Sessions::new();
    if let Some(address) = &source.store {
        sessions = sessions.store(store::open(address).await?);
    }
    if let Some(directory) = &source.config_dir {
        sessions = sessions.config_dir(directory);
    }
    if let Some(directory) = &source.project {
        sessions = sessions.project(directory);
    }
    Ok(sessions)
}

async fn list(sessions: &Sessions, limit: usize, json: bool) -> Result<()> {
    let found = sessions.list().limit(limit).await?;
    if json {
        return print_json(&found.iter().map(Session::new).collect::<Vec<_>>());
    }
    if found.is_empty() {
        return print_line(
            "There are no sessions. Sessions of other projects or users: --project, --config-dir; in a database: --store, with the --project that they run in",
        );
    }
    let rows: Vec<_> = found
        .iter()
        .map(|session| {
            let cwd = session.cwd.as_ref();
            let cwd = cwd.map(|cwd| one_line(&cwd.display().to_string(), 80));
            [
                session.id.to_string(),
                ago(session.last_modified),
                summary(&session.summary),
                cwd.unwrap_or_default(),
            ]
        })
        .collect();
    print_table(["SESSION", "CHANGED", "SUMMARY", "DIRECTORY"], &rows)
}

async fn show(sessions: &Sessions, id: &str, json: bool) -> Result<()> {
    let info = sessions.info(id).await.with_context(|| hint(id))?;
    if json {
        let messages = sessions.messages(id).await?;
        let messages = messages
            .iter()
            .map(Message::new)
            .collect::<Result<Vec<_>>>()?;
        let session = Session::new(&info);
        return print_json(&Shown { session, messages });
    }
    print_line(bold(summary(&info.summary)))?;
    if let Some(transcript) = &info.transcript {
        print_line(dim(transcript.display()))?;
    }
    let mut messages = sessions.messages(id).stream();
    while let Some(message) = messages.next().await {
        print_message(&message?)?;
    }
    Ok(())
}

async fn fork(
    sessions: &Sessions,
    id: &str,
    title: Option<String>,
    up_to: Option<String>,
    json: bool,
) -> Result<()> {
    let mut fork = sessions.fork(id);
    if let Some(title) = title {
        fork = fork.title(title);
    }
    if let Some(message) = up_to {
        fork = fork.up_to(message);
    }
    let id = fork.await.with_context(|| hint(id))?.to_string();
    if json {
        return print_json(&Forked { id });
    }
    print_line(id)
}

async fn export(sessions: &Sessions, id: &str, output: Option<&Path>) -> Result<()> {
    // An unknown session must not leave an empty file behind.
    let info = sessions.info(id).await.with_context(|| hint(id))?;
    if let (Some(output), Some(transcript)) = (output, &info.transcript)
        && is_same_file(output, transcript)
    {
        bail!("the export would replace the transcript of the session; name another file");
    }
    let mut writer = EntryWriter::new(output)?;
    let mut entries = sessions.export(id);
    while let Some(entry) = entries.next().await {
        let entry = entry?;
        writer.write(entry.subpath.as_deref(), &entry.line)?;
    }
    writer.finish()
}

fn hint(id: &str) -> String {
    format!("session {id}; `inhouse sessions` lists those that exist")
}

impl<'a> Session<'a> {
    fn new(info: &'a SessionInfo) -> Self {
        Self {
            id: info.id.as_str(),
            summary: &info.summary,
            title: info.title.as_deref(),
            first_prompt: info.first_prompt.as_deref(),
            tag: info.tag.as_deref(),
            git_branch: info.git_branch.as_deref(),
            cwd: info.cwd.as_ref(),
            created_at: info.created_at.map(time),
            last_modified: time(info.last_modified),
            file_size: info.file_size,
            is_archived: info.is_archived,
            transcript: info.transcript.as_deref(),
        }
    }
}
