use inhouse::Options;
use inhouse::launch::{Environment, HostEnvironment, Plan};
use inhouse::{Client, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use tracing::{Instrument as _, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::Exported;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn remote_parent() -> Context {
    let state = TraceState::from_key_value([("vendor", "x")]).unwrap();
    let parent = SpanContext::new(
        TraceId::from_hex(TRACE).unwrap(),
        SpanId::from_hex("00f067aa0ba902b7").unwrap(),
        TraceFlags::SAMPLED,
        true,
        state,
    );
    Context::new().with_remote_span_context(parent)
}

/// Returns the environment of a plan that is made in a span with a remote parent.
fn environment(options: Options, host: &[(&str, &str)]) -> Environment {
    let span = info_span!("request");
    span.set_parent(remote_parent()).unwrap();
    let host = host.iter().copied().collect::<HostEnvironment>();
    let plan = span.in_scope(|| Plan::new(&options, "claude", &host));
    plan.unwrap().launch.command.env
}

fn variable<'a>(env: &'a Environment, name: &str) -> Option<&'a str> {
    let value = env.set.get(std::ffi::OsStr::new(name))?;
    value.to_str()
}

#[tokio::test]
async fn cli_gets_the_context_of_the_session_span() {
    let exported = Exported::install();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(Options::new(), transport)
            .await
            .unwrap();
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let parent = cli.launched().env("TRACEPARENT").map(str::to_owned);
        cli.expect_end_of_input().await;
        parent
    };
    let request = info_span!("request");
    let ((), parent) = join(host.instrument(request), cli).await;
    let (request, session) = (exported.span("request"), exported.span("inhouse::session"));
    let (trace, id) = (
        session.span_context.trace_id(),
        session.span_context.span_id(),
    );
    assert_eq!(parent, Some(format!("00-{trace}-{id}-01")));
    assert_eq!(session.parent_span_id, request.span_context.span_id());
}

#[tokio::test]
async fn query_without_a_span_of_the_caller_starts_a_trace() {
    let exported = Exported::install();
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("Hi").transport(transport).await.unwrap().text().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("Hello").await;
        cli.launched().env("TRACEPARENT").map(str::to_owned)
    };
    let (_, parent) = join(host, cli).await;
    let session = exported.span("inhouse::session").span_context;
    let parent = parent.expect("a trace context");
    assert!(parent.contains(&session.trace_id().to_string()), "{parent}");
}

#[test]
fn context_of_a_remote_parent_is_continued_with_its_state() {
    let _exported = Exported::install();
    let env = environment(Options::new(), &[]);
    let parent = variable(&env, "TRACEPARENT").unwrap();
    assert!(parent.starts_with(&format!("00-{TRACE}-")), "{parent}");
    assert!(parent.ends_with("-01"), "{parent}");
    assert_eq!(variable(&env, "TRACESTATE"), Some("vendor=x"));
}

#[test]
fn context_without_a_tracing_span_is_continued() {
    let guard = remote_parent().attach();
    let host = HostEnvironment::default();
    let plan = Plan::new(&Options::new(), "claude", &host).unwrap();
    drop(guard);
    let parent = variable(&plan.launch.command.env, "TRACEPARENT").map(str::to_owned);
    assert_eq!(parent, Some(format!("00-{TRACE}-00f067aa0ba902b7-01")));
}

#[test]
fn inherited_context_is_replaced_in_a_span_and_kept_outside_of_one() {
    let inherited = [("TRACEPARENT", "00-old"), ("TRACESTATE", "old=1")];
    let outside = Plan::new(&Options::new(), "claude", &inherited.into_iter().collect()).unwrap();
    let env = &outside.launch.command.env;
    assert!(!env.remove.contains(std::ffi::OsStr::new("TRACEPARENT")));
    assert_eq!(variable(env, "TRACEPARENT"), None, "the CLI inherits it");

    let exported = Exported::install();
    let span = info_span!("request");
    let inside =
        span.in_scope(|| Plan::new(&Options::new(), "claude", &inherited.into_iter().collect()));
    let env = inside.unwrap().launch.command.env;
    drop((span, exported));
    assert_ne!(variable(&env, "TRACEPARENT"), None);
    assert!(
        env.remove.contains(std::ffi::OsStr::new("TRACESTATE")),
        "the old state does not belong to the new parent"
    );
}

#[test]
fn user_takes_precedence() {
    let _exported = Exported::install();
    let env = environment(Options::new().env("TRACEPARENT", "00-mine"), &[]);
    assert_eq!(variable(&env, "TRACEPARENT"), Some("00-mine"));
    assert_eq!(variable(&env, "TRACESTATE"), None);

    let env = environment(
        Options::new().env_remove("TRACEPARENT"),
        &[("TRACEPARENT", "00-old")],
    );
    assert_eq!(variable(&env, "TRACEPARENT"), None);
    assert!(env.remove.contains(std::ffi::OsStr::new("TRACEPARENT")));
}
