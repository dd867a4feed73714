//! `inhouse sessions`: the sessions on disk or in a store.

mod disk;
mod report;
mod store;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Subcommand;

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

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let Arguments { command, source } = arguments;
    let command = command.unwrap_or(Command::List { limit: 20 });
    if let Some(address) = &source.store {
        let project = source.project.as_deref();
        let store = store::Store::open(address, project).await?;
        return match command {
            Command::List { limit } => store.list(limit, source.json).await,
            Command::Show { session } => store.show(&session, source.json).await,
            Command::Export { session, output } => store.export(&session, output.as_deref()).await,
            Command::Fork { .. } => bail!(
                "a session in a store is forked by a program: `Options::resume` with `Options::fork_session`"
            ),
        };
    }
    let sessions = disk::sessions(&source);
    match command {
        Command::List { limit } => disk::list(&sessions, limit, source.json).await,
        Command::Show { session } => disk::show(&sessions, &session, source.json).await,
        Command::Fork {
            session,
            title,
            up_to,
        } => disk::fork(&sessions, &session, title, up_to, source.json).await,
        Command::Export { session, output } => {
            disk::export(&sessions, &session, output.as_deref()).await
        }
    }
}
