//! Spans and log events.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock, Mutex};

use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::support::{connect_with, failed, settle, settled};

const SECRET: &str = "sk-hunter2-do-not-tell";

/// Records all events up to a level.
#[derive(Clone)]
pub(crate) struct Listener {
    level: Level,
    recorded: Arc<Mutex<Recorded>>,
}

#[derive(Default)]
struct Recorded {
    spans: BTreeSet<&'static str>,
    text: String,
    next_id: u64,
}

impl Listener {
    pub(crate) fn new(level: Level) -> Self {
        // With only one subscriber, `tracing` may cache the interest of a thread without a subscriber,
        // such as the threads of other tests.
        static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
        LazyLock::force(&ANOTHER);
        Self {
            level,
            recorded: Arc::default(),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.recorded.lock().unwrap().text.clone()
    }

    fn spans(&self) -> Vec<&'static str> {
        self.recorded
            .lock()
            .unwrap()
            .spans
            .iter()
            .copied()
            .collect()
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("inhouse") && *metadata.level() <= self.level
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut recorded = self.recorded.lock().unwrap();
        recorded.spans.insert(span.metadata().name());
        span.record(&mut *recorded);
        recorded.next_id += 1;
        Id::from_u64(recorded.next_id)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut *self.recorded.lock().unwrap());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut *self.recorded.lock().unwrap());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        writeln!(self.text, "{field}: {value:?}").expect("writing to a string succeeds");
    }
}

/// A conversation with every kind of event, full of secrets.
async fn run_every_event() {
    let options = || {
        Options::new()
            .env("COMPANY_TOKEN", SECRET)
            .system_prompt(SECRET)
            .max_line_bytes(5_000)
            .on_request("echo", async |request: Value| Ok::<_, Infallible>(request))
            .on_request("fail", async |_: Value| Err::<Value, _>(SECRET))
            .on_request("panic", async |_: Value| -> Result<Value, Infallible> {
                panic!("{SECRET}")
            })
    };
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options(), transport).await;
        client.send(SECRET).await.unwrap().text().await.unwrap();
        drop(client.send(SECRET).await.unwrap());
        client.send(SECRET).await.unwrap().text().await.unwrap();
        failed(client.control().set_model(Some(SECRET)).await);
        settled(client.control()).await;
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send_bytes(format!("{SECRET} is no JSON\n").as_bytes())
            .await;
        cli.assistant(&SECRET.repeat(1000)).await;
        cli.send(json!({"type": SECRET, "text": SECRET})).await;
        for subtype in ["echo", "fail", "panic", SECRET] {
            let id = cli.ask(json!({"subtype": subtype, "word": SECRET})).await;
            cli.expect_answer(&id).await;
        }
        cli.turn(SECRET).await;
        cli.expect_prompt().await;
        cli.turn(SECRET).await;
        cli.expect_prompt().await;
        cli.turn(SECRET).await;
        cli.expect_request("set_model")
            .await
            .refuse("no", None)
            .await;
        settle(&mut cli).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;

    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let asked = query(SECRET).options(options()).transport(transport);
        failed(asked.await.unwrap().text().await);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.assistant(SECRET).await;
        cli.exit(inhouse::ExitStatus::with_signal(9));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn prompts_and_secrets_are_not_logged_at_debug_or_above() {
    let listener = Listener::new(Level::DEBUG);
    let guard = tracing::subscriber::set_default(listener.clone());
    run_every_event().await;
    drop(guard);
    let text = listener.text();
    assert!(text.contains("session initialized"), "{text}");
    assert!(text.contains("line skipped"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

#[tokio::test(start_paused = true)]
async fn sessions_turns_and_requests_are_spans() {
    let listener = Listener::new(Level::DEBUG);
    let guard = tracing::subscriber::set_default(listener.clone());
    run_every_event().await;
    drop(guard);
    let spans = listener.spans();
    for span in ["inhouse::session", "inhouse::turn", "inhouse::control"] {
        assert!(spans.contains(&span), "{span} is not among {spans:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn turn_span_has_the_outcome() {
    let listener = Listener::new(Level::INFO);
    let guard = tracing::subscriber::set_default(listener.clone());
    run_every_event().await;
    drop(guard);
    let text = listener.text();
    assert!(text.contains("subtype: \"success\""), "{text}");
    assert!(
        !text.contains("accepted the session"),
        "this is logged at DEBUG only: {text}"
    );
}
