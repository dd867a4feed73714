//! A page on loopback that shows a fleet live and acts on it.
//!
//! The page connects to `events`, a stream of server-sent events with the members of the status that have changed. It posts actions to `action`,
//! with a token that only the page has: another page that a browser shows can neither read nor send it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use inhouse_fleet::postgres::{Fleet, FleetStatus};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::timeout;

use super::action::Action;
use super::database::Database;
use crate::loopback::{self, Body, attribute};
use crate::output::{bold, dim, print_json, print_line};

/// The page without the name of a fleet. `cargo xtask page` builds it from `fleet-page`.
const PAGE: &str = include_str!("page.html");

/// The place in the page for the name of the fleet and the token.
const PLACE: &str = "<script type=\"application/json\" id=\"fleet\">";

/// How often the database is asked for its status, for each open page.
const POLL: Duration = Duration::from_secs(1);

/// How long the database may take for an answer.
const ANSWER: Duration = Duration::from_secs(10);

/// The largest action: the input of a call may be part of it.
const LARGEST_ACTION: usize = 4 * 1024 * 1024;

/// The output of `inhouse fleet --web --json`.
#[derive(Serialize)]
struct Report<'a> {
    url: &'a str,
}

/// Serves the page until the process ends.
///
/// # Errors
/// Returns an error if the port is taken.
pub(super) async fn serve(database: Database, port: u16, json: bool) -> Result<()> {
    let server = loopback::Server::bind(port).await?;
    let url = server.url();
    if json {
        print_json(&Report { url: &url })?;
    } else {
        print_line(format!("{} {}", bold(&url), dim("press Ctrl+C to stop")))?;
    }
    let site = Arc::new(Site::new(database));
    server
        .run(move |path, request| Arc::clone(&site).answer(path, request))
        .await
}

struct Site {
    fleet: Fleet,
    name: String,
    token: String,
    /// Changes when an action was performed.
    acted: watch::Sender<()>,
}

impl Site {
    fn new(database: Database) -> Self {
        Self {
            fleet: database.fleet,
            name: database.name,
            token: loopback::secret(),
            acted: watch::Sender::default(),
        }
    }

    async fn answer(self: Arc<Self>, path: String, request: Request<Incoming>) -> Response<Body> {
        match (request.method(), path.as_str()) {
            (&Method::GET, "/") => loopback::html(page(&self.name, &self.token)),
            (&Method::GET, "/events") => {
                let (sender, channel) = Channel::new(1);
                tokio::spawn(async move { self.send_status(sender).await });
                loopback::events(channel)
            }
            (&Method::POST, "/action") => self.act(request).await,
            (_, "/" | "/events" | "/action") => loopback::method_not_allowed(),
            _ => loopback::not_found(),
        }
    }

    /// Sends the status once and what changes in it, until the browser closes the connection.
    async fn send_status(&self, mut sender: Sender<Bytes, Infallible>) {
        let mut acted = self.acted.subscribe();
        let mut sent = Members::new();
        loop {
            acted.mark_unchanged();
            let event = match timeout(ANSWER, self.fleet.status()).await {
                Ok(Ok(status)) => changes(&mut sent, &status).unwrap_or_else(|error| {
                    event(
                        "problem",
                        &format!("The status cannot be written: {error}."),
                    )
                }),
                Ok(Err(error)) => event("problem", &format!("{error}.")),
                Err(_) => event("problem", "The database does not answer."),
            };
            if sender.send_data(event).await.is_err() {
                return;
            }
            // Fails only without a site.
            let _ = timeout(POLL, acted.changed()).await;
        }
    }

    async fn act(&self, request: Request<Incoming>) -> Response<Body> {
        // Only a page of this server knows the token. A page of another site could not even send the header without the consent of this server.
        let token = request.headers().get("x-inhouse-token");
        if token.is_none_or(|token| token.as_bytes() != self.token.as_bytes()) {
            return loopback::text(StatusCode::FORBIDDEN, "Load this page again.");
        }
        match self.perform(request).await {
            Ok(message) => {
                self.acted.send_replace(());
                loopback::text(StatusCode::OK, message)
            }
            Err(error) => loopback::text(StatusCode::BAD_REQUEST, format!("{error:#}.")),
        }
    }

    async fn perform(&self, request: Request<Incoming>) -> Result<String> {
        let body = Limited::new(request.into_body(), LARGEST_ACTION).collect();
        let body = body.await.map_err(anyhow::Error::from_boxed)?.to_bytes();
        let action: Action = serde_json::from_slice(&body).context("not an action")?;
        timeout(ANSWER, action.perform(&self.fleet))
            .await
            .context("the database does not answer; whether the action took effect is unknown")?
    }
}

/// The text of each member of a status.
type Members = BTreeMap<String, Box<RawValue>>;

/// Returns an event with the members that differ from those in `sent`, and adds them there.
fn changes(sent: &mut Members, status: &FleetStatus) -> serde_json::Result<Bytes> {
    // As texts: the input of a call may contain escapes that are not Unicode, which a browser accepts.
    let mut members: Members = serde_json::from_str(&serde_json::to_string(status)?)?;
    members.retain(|name, text| sent.get(name).is_none_or(|sent| sent.get() != text.get()));
    let event = event("message", &serde_json::to_string(&members)?);
    sent.append(&mut members);
    Ok(event)
}

/// Returns a server-sent event.
fn event(name: &str, data: &str) -> Bytes {
    let mut event = format!("event: {name}\n");
    for line in data.lines() {
        let _ = writeln!(event, "data: {line}");
    }
    event.push('\n');
    event.into()
}

/// Returns the page of a fleet.
fn page(name: &str, token: &str) -> String {
    let tag = PLACE.trim_end_matches('>');
    let name = attribute(name);
    let opening = format!("{tag} data-name=\"{name}\" data-token=\"{token}\">");
    PAGE.replacen(PLACE, &opening, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(queued: u64, input: &str) -> FleetStatus {
        let id = uuid::Uuid::nil();
        let text = format!(
            r#"{{"now":1,"queue":{{"queued":{queued},"running":0,"deferred":0,"delayed":0,"parked":0,"sessions":0,"questions":1,"oldest":null}},
            "hosts":[],"sessions":[],"parked":[],"questions":[{{"asked":1,"expires":2,"question":{{"id":"{id}","work":"{id}","session":"a","tenant":"a",
            "call":"toolu_1","tool":"charge","input":{input},"fence":{{"project":"p","session":"{id}","epoch":1}}}}}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn page_has_one_place_for_the_name() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert!(PAGE.contains("Content-Security-Policy"));
        let page = page("a\"<b", "secret");
        assert!(page.contains("data-name=\"a&quot;&lt;b\" data-token=\"secret\">"));
    }

    #[test]
    fn only_changed_members_are_sent() {
        let mut sent = Members::new();
        let first = changes(&mut sent, &status(1, "{}")).unwrap();
        let first = String::from_utf8(first.into()).unwrap();
        assert!(first.contains(r#""hosts":[]"#) && first.contains(r#""queued":1"#));
        let second = changes(&mut sent, &status(2, "{}")).unwrap();
        let second = String::from_utf8(second.into()).unwrap();
        assert!(second.contains(r#""queued":2"#) && !second.contains("hosts"));
    }

    #[test]
    fn input_with_a_lone_surrogate_and_line_feeds_is_one_event() {
        let event = changes(&mut Members::new(), &status(1, "{\n\"a\": \"\\ud83d\"\n}")).unwrap();
        let event = String::from_utf8(event.into()).unwrap();
        assert!(event.contains("\\ud83d"));
        let (lines, end) = event.split_at(event.len() - 1);
        assert_eq!(end, "\n");
        assert!(lines.lines().skip(1).all(|line| line.starts_with("data: ")));
    }
}
