//! A chat in the terminal: a whole agent host in a few files, to use and to copy from.
//!
//! ```text
//! cargo run --example chat                        with the CLI on this machine, and your account
//! cargo run --example chat -- --continue          goes on with the newest conversation here
//! cargo run --example chat -- --resume <id>       goes on with this one
//! cargo run --example chat -- --plan              begins in plan mode
//! cargo run --example chat -- --cli <path>        with another CLI
//! ```
//!
//! Enter sends; what is sent while a turn runs is asked next. Ctrl-C stops the turn, and leaves when
//! pressed twice at the prompt, as Ctrl-D and `/quit` do. `/todo` shows the list that Claude and you
//! share: a tool in this process works on the program's own state.
//!
//! | file | shows |
//! |---|---|
//! | `conversation` | prompts and turns, interrupting, what to do with each input |
//! | `transcript` | reading messages: streamed text, tool calls and how they ended |
//! | `permission`, `question`, `plan` | handlers that wait for a person and can be called off |
//! | `to_do` | tools with state |
//! | `terminal` | the screen and the keyboard; nothing in it knows inhouse |

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to a person"
)]

mod arguments;
mod conversation;
mod permission;
mod plan;
mod question;
mod terminal;
mod to_do;
mod transcript;

use std::error::Error;
use std::process::ExitCode;

use inhouse::options::PermissionMode;
use inhouse::permission::CanUseTool;
use inhouse::plan::PlanRequest;
use inhouse::question::QuestionRequest;
use inhouse::{Asked, Options};

use arguments::{Arguments, USAGE};
use conversation::Conversation;
use terminal::Terminal;
use to_do::ToDoList;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match chat(arguments).await {
        Ok(Some(session)) => {
            println!("To go on: cargo run --example chat -- --resume {session}");
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            let causes = std::iter::successors(error.source(), |&cause| cause.source());
            causes.for_each(|cause| eprintln!("because: {cause}"));
            ExitCode::FAILURE
        }
    }
}

/// Holds a conversation; returns its session, if it came to one.
async fn chat(arguments: Arguments) -> Result<Option<String>, Box<dyn Error>> {
    let list = ToDoList::default();
    let (terminal, inputs) = Terminal::open()?;
    let options = options(&arguments, &terminal, &list);
    let chatting = async {
        match Conversation::start(options, terminal.clone(), inputs, list).await? {
            Some(conversation) => conversation.hold().await,
            None => Ok(None),
        }
    };
    let ended = chatting.await;
    // Before anything else is printed: the screen has to be an ordinary one again.
    terminal.close().await;
    Ok(ended?)
}

fn options(arguments: &Arguments, terminal: &Terminal, list: &ToDoList) -> Options {
    let [asks, wonders, plans] = [(); 3].map(|()| terminal.clone());
    let mut options = Options::new()
        .include_partial_messages(true)
        .tool_server(to_do::server(list.clone()))
        .allow_tools(["mcp__todo"])
        .permissions(async move |asked: Asked<CanUseTool>| permission::decide(&asks, asked).await)
        .on_question(async move |asked: Asked<QuestionRequest>| {
            question::answer(&wonders, asked).await
        })
        .on_plan(async move |asked: Asked<PlanRequest>| plan::decide(&plans, asked).await);
    if let Some(path) = &arguments.cli {
        options = options.cli_path(path);
    }
    if let Some(session) = &arguments.resume {
        options = options.resume(session);
    }
    if arguments.continue_latest {
        options = options.continue_latest();
    }
    if arguments.plan {
        options = options.permission_mode(PermissionMode::Plan);
    }
    options
}
