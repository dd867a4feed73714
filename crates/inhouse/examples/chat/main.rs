//! A chat in the terminal: a complete agent host in a few files, to use and to copy from.
//!
//! ```text
//! cargo run --example chat                        uses the CLI on this machine, and your account
//! cargo run --example chat -- --continue          continues the newest conversation of this directory
//! cargo run --example chat -- --resume <id>       continues the given session
//! cargo run --example chat -- --plan              starts in plan mode
//! cargo run --example chat -- --cli <path>        uses another CLI
//! ```
//!
//! Enter sends a prompt; prompts entered during a turn are queued. Esc interrupts the turn, Shift-Tab changes
//! the permission mode, Ctrl-O shows the whole results of tools, Ctrl-D quits. `/help` lists the keys and
//! commands. One command shows a to-do list that Claude and the user share: in-process tools work on the
//! state of the program.
//!
//! | file | shows |
//! |---|---|
//! | `conversation` | prompts, turns, interrupts and user input |
//! | `transcript`, `tool_call`, `diff` | messages: streamed text, tool calls, their results and changes of files |
//! | `status` | model, cost, context use and permission mode of a session |
//! | `commands` | the slash commands of a session |
//! | `permission`, `question`, `plan` | handlers that wait for the user and can be cancelled |
//! | `to_do` | tools with state |
//! | `terminal` | screen and keyboard, with ratatui; independent of inhouse |

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints its output"
)]

mod arguments;
mod commands;
mod conversation;
mod diff;
mod permission;
mod plan;
mod question;
mod status;
mod terminal;
mod to_do;
mod tool_call;
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
            println!("\nTo continue: cargo run --example chat -- --resume {session}");
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

/// Runs a conversation; returns the id of its session, if one was started.
async fn chat(arguments: Arguments) -> Result<Option<String>, Box<dyn Error>> {
    let list = ToDoList::default();
    let (terminal, inputs) = Terminal::open()?;
    let options = options(&arguments, &terminal, &list);
    let conversation = async {
        match Conversation::start(options, terminal.clone(), inputs, list).await? {
            Some(conversation) => conversation.run().await,
            None => Ok(None),
        }
    };
    let session = conversation.await;
    // Restores the terminal before anything else is printed.
    terminal.close().await;
    Ok(session?)
}

fn options(arguments: &Arguments, terminal: &Terminal, list: &ToDoList) -> Options {
    let permission_terminal = terminal.clone();
    let question_terminal = terminal.clone();
    let plan_terminal = terminal.clone();
    let mut options = Options::new()
        .include_partial_messages(true)
        .tool_server(to_do::server(list.clone()))
        .allow_tools(["mcp__todo"])
        .permissions(async move |asked: Asked<CanUseTool>| {
            permission::decide(&permission_terminal, asked).await
        })
        .on_question(async move |asked: Asked<QuestionRequest>| {
            question::answer(&question_terminal, asked).await
        })
        .on_plan(async move |asked: Asked<PlanRequest>| plan::decide(&plan_terminal, asked).await);
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
