//! `inhouse fleet`: the prompts, sessions and hosts of a fleet in a PostgreSQL database.

#[cfg(feature = "postgres")]
mod action;
#[cfg(feature = "postgres")]
mod database;
#[cfg(feature = "postgres")]
mod status;
#[cfg(feature = "postgres")]
mod web;

use anyhow::{Result, bail};
use clap::{Subcommand, ValueEnum};
use uuid::Uuid;

/// Options of `inhouse fleet`.
#[derive(clap::Args)]
#[command(after_help = "\
The fleet is in the database of the sessions. Other users of this machine can see the arguments of a command, so
put a URL with a password into INHOUSE_STORE.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The database of the fleet: postgres://<user>@<host>/<database>
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "INHOUSE_STORE",
        hide_env_values = true
    )]
    store: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Serve a page on 127.0.0.1 that shows the fleet live and acts on it
    #[arg(long)]
    web: bool,
    /// The port to serve on; a free one by default
    #[arg(long, requires = "web", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    /// Show the queue, the hosts, the sessions with open work, parked prompts and open questions; the default
    Status {
        /// The greatest number of sessions, of parked prompts and of questions in the tables
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: usize,
    },
    /// Set a prompt aside, so that its session continues without it; a running one is stopped
    Park {
        /// The id of the work
        work: Uuid,
        /// Why, for those who look at it later
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Queue a parked prompt again, before the prompts of its session that have not begun
    Retry {
        /// The id of the work
        work: Uuid,
    },
    /// Cancel a prompt; a running one is stopped
    Cancel {
        /// The id of the work
        work: Uuid,
    },
    /// Answer a question about a tool call; the turn continues when all its questions are answered
    Answer {
        /// The id of the question
        question: Uuid,
        /// Whether the call is made
        decision: Decision,
        /// Why not, which the model reads
        #[arg(required_if_eq("decision", "deny"))]
        reason: Option<String>,
        /// Make the call with this JSON object instead of the input of the model
        #[arg(long, value_name = "JSON", conflicts_with = "reason")]
        input: Option<String>,
    },
    /// Make a host take no further work, hand over what it has, and end
    Drain {
        /// The name of the host
        host: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Decision {
    /// Make the call
    Allow,
    /// Do not make the call
    Deny,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    if arguments.web && arguments.command.is_some() {
        bail!("`--web` serves the page; leave out the command");
    }
    run_with_database(arguments).await
}

#[cfg(feature = "postgres")]
async fn run_with_database(arguments: Arguments) -> Result<()> {
    use action::Action;

    let json = arguments.json;
    let command = arguments.command;
    // Invalid arguments are found before the database is asked.
    let action = command.clone().map(Action::from_command).transpose()?;
    let database = database::open(arguments.store.as_deref()).await?;
    if arguments.web {
        return web::serve(database, arguments.port, json).await;
    }
    match (action.flatten(), command) {
        (Some(action), _) => action.run(&database.fleet, json).await,
        (None, Some(Command::Status { limit })) => status::print(&database, limit, json).await,
        (None, _) => status::print(&database, 20, json).await,
    }
}

#[cfg(not(feature = "postgres"))]
async fn run_with_database(_: Arguments) -> Result<()> {
    bail!(
        "this program was built without PostgreSQL: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli --features postgres"
    )
}
