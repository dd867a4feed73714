//! Sessions on disk: lists them, or prints the messages of one of them.
//!
//! `cargo run --example sessions` lists the latest sessions of the CLI on this machine, and
//! `cargo run --example sessions -- <id>` prints the messages of a session. Nothing is changed, and no CLI is started.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use inhouse::sessions::{self, SessionMessageKind};

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    match std::env::args().nth(1) {
        Some(id) => print_messages(&id).await,
        None => print_list().await,
    }
}

async fn print_list() -> inhouse::Result<()> {
    for session in sessions::list().limit(20).await? {
        let tag = session
            .tag
            .map(|tag| format!("#{tag} "))
            .unwrap_or_default();
        let cwd = session.cwd.unwrap_or_default();
        println!("{}  {tag}{}", session.id, session.summary);
        let size = session.file_size.unwrap_or_default();
        println!("    {}, {} kB", cwd.display(), size / 1000);
    }
    Ok(())
}

async fn print_messages(id: &str) -> inhouse::Result<()> {
    // A stream, because a transcript can be larger than the memory.
    let mut messages = sessions::messages(id).stream();
    while let Some(message) = messages.next().await {
        let message = message?;
        let author = match message.kind {
            SessionMessageKind::User => "user",
            SessionMessageKind::Assistant => "assistant",
            _ => "system",
        };
        let text = message.text();
        if !text.is_empty() {
            println!("{author}: {text}");
        }
    }
    Ok(())
}
