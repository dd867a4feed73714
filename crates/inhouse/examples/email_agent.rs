//! An agent that searches a mailbox: tools with shared state and structured results.
//!
//! Runs offline; `-- --live` uses the real CLI.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use std::sync::Arc;

use inhouse::tool::{Json, State, ToolServer};
use inhouse::{Options, query, tool};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

#[derive(Clone, Serialize, JsonSchema)]
struct Email {
    id: u32,
    from: String,
    subject: String,
    body: String,
    unread: bool,
}

#[derive(Serialize, JsonSchema)]
struct Emails {
    emails: Vec<Email>,
}

/// The state of the application, which the tools use directly.
struct Mailbox {
    emails: Vec<Email>,
}

type Mail = State<Arc<Mailbox>>;

/// List the newest emails of the inbox.
#[tool(read_only)]
async fn inbox(
    State(mailbox): Mail,
    /** List only unread emails */
    #[default]
    unread: bool,
    /** The maximum number of emails, by default 10 */
    limit: Option<usize>,
) -> Json<Emails> {
    let emails = mailbox.emails.iter().rev();
    let emails = emails.filter(|email| !unread || email.unread);
    Json(Emails {
        emails: emails.take(limit.unwrap_or(10)).cloned().collect(),
    })
}

/// Search emails by sender, subject and text.
#[tool(read_only)]
async fn search(
    State(mailbox): Mail,
    /** The text to search for */
    text: String,
) -> Json<Emails> {
    let text = text.to_lowercase();
    let emails = mailbox.emails.iter().filter(|email| {
        [&email.from, &email.subject, &email.body]
            .iter()
            .any(|field| field.to_lowercase().contains(&text))
    });
    Json(Emails {
        emails: emails.cloned().collect(),
    })
}

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let mailbox = Arc::new(Mailbox {
        emails: vec![
            email(1, "ada@example.com", "Lunch", "Noon on Friday?", false),
            email(
                2,
                "shop@example.com",
                "Invoice 4711",
                "42.00 due in May.",
                true,
            ),
            email(
                3,
                "ada@example.com",
                "Re: Lunch",
                "Make it one o'clock.",
                true,
            ),
        ],
    });
    let server = ToolServer::with_state("mail", mailbox)
        .instructions("Search before you say that an email does not exist.")
        .always_load()
        .tool(inbox::tool())
        .tool(search::tool());
    let options = Options::new()
        .tool_server(server)
        .allow_tools(["mcp__mail"]);
    let question = query("When is lunch with Ada?").options(options);

    if std::env::args().any(|argument| argument == "--live") {
        println!("{}", question.await?.text().await?);
        return Ok(());
    }
    println!("(with the fake CLI of the test kit; use -- --live for the real one)");
    let (transport, cli) = FakeCli::new();
    let (answer, ()) = tokio::join!(
        async { question.transport(transport).await?.text().await },
        play(cli)
    );
    println!("{}", answer?);
    Ok(())
}

fn email(id: u32, from: &str, subject: &str, body: &str, unread: bool) -> Email {
    Email {
        id,
        from: from.to_owned(),
        subject: subject.to_owned(),
        body: body.to_owned(),
        unread,
    }
}

/// Plays the CLI: a tool call and the answer of a model.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    let found = cli
        .call_tool("mail", "search", json!({"text": "lunch"}))
        .await;
    let found = found.structured_content.unwrap_or_default();
    println!("  search found {found}");
    cli.turn("Friday at one o'clock: Ada moved it from noon.")
        .await;
}
