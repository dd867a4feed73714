//! The errors of turns that ended with an error result: what failed, and what to do.

use inhouse::{Client, Error, ErrorKind, ExitStatus, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};

use crate::support::{connect, failed, result_with, seconds};

/// Members of a result, as the CLI writes them for a failed API call.
fn api_failure(status: impl Into<Value>, kind: impl Into<Value>, said: &str) -> Value {
    json!({
        "is_error": true,
        "api_error_status": status.into(),
        "api_error_type": kind.into(),
        "terminal_reason": "api_error",
        "result": said,
    })
}

/// The synthetic assistant message with which the CLI reports a failed API call.
fn assistant(error: &str, said: &str) -> Value {
    json!({
        "type": "assistant",
        "message": {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": said}],
            "stop_reason": "stop_sequence",
            "usage": {},
        },
        "parent_tool_use_id": null,
        "error": error,
        "session_id": "s",
        "uuid": "00000000-0000-4000-8000-000000000000",
    })
}

/// Returns the error of a query that the CLI answers with these messages.
async fn asking(error: Option<&str>, result: Value) -> Error {
    let said = result["result"].as_str().unwrap_or_default().to_owned();
    let (error, ()) = FakeCli::play_with(
        async |transport| {
            Ok(failed(
                query("hello").transport(transport).await?.text().await,
            ))
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            if let Some(error) = error {
                cli.send(assistant(error, &said)).await;
            }
            cli.send(result_with(&cli, result)).await;
        },
    )
    .await;
    error
}

/// The texts are those of CLI 2.1.325; the fields decide.
#[tokio::test(start_paused = true)]
async fn api_failure_says_what_failed_and_what_to_do() {
    let none = Value::Null;
    for (error, status, kind, said, what, remedy) in [
        (
            "authentication_failed",
            none.clone(),
            none.clone(),
            "Not logged in · Please run /login",
            "Claude Code is not logged in;",
            "ANTHROPIC_API_KEY",
        ),
        (
            "authentication_failed",
            json!(401),
            json!("authentication_error"),
            "Invalid API key · Fix external API key",
            "the API rejected the credentials (HTTP 401);",
            "ANTHROPIC_API_KEY",
        ),
        (
            "authentication_failed",
            json!(403),
            json!("permission_error"),
            "Failed to authenticate. API Error: 403 not allowed",
            "the API denied access (HTTP 403);",
            "organization",
        ),
        (
            "billing_error",
            json!(400),
            json!("invalid_request_error"),
            "Credit balance is too low",
            "the account has no credit (HTTP 400);",
            "add credit",
        ),
        (
            "unknown",
            json!(402),
            json!("billing_error"),
            "API Error: 402 Payment required",
            "the account has no credit (HTTP 402);",
            "add credit",
        ),
        (
            "model_not_found",
            json!(404),
            json!("not_found_error"),
            "There's an issue with the selected model (bogus).",
            "the model does not exist or the account may not use it (HTTP 404);",
            "`Options::model`",
        ),
        (
            "unknown",
            json!(400),
            json!("invalid_request_error"),
            "API Error: 400 model: not valid",
            "the API rejected the request (HTTP 400);",
            "check the model",
        ),
        (
            "rate_limit",
            json!(429),
            json!("rate_limit_error"),
            "API Error: Request rejected (429) · slow down",
            "the rate limit of the account was reached (HTTP 429);",
            "wait and try again",
        ),
        (
            "server_error",
            json!(500),
            json!("api_error"),
            "API Error: 500 Internal server error.",
            "the API failed (HTTP 500);",
            "try again",
        ),
        (
            "server_error",
            json!(529),
            json!("overloaded_error"),
            "API Error: 529 Overloaded.",
            "the API is overloaded (HTTP 529);",
            "`Options::fallback_model`",
        ),
        (
            "unknown",
            none.clone(),
            none.clone(),
            "API Error: Connection refused",
            "the call of the API failed;",
            "check the network",
        ),
    ] {
        let result = api_failure(status.clone(), kind, said);
        let shown = asking(Some(error), result).await;
        assert_eq!(shown.kind(), ErrorKind::Failed);
        let shown = shown.to_string();
        assert!(shown.starts_with(what), "{shown}");
        assert!(shown.contains(remedy), "{shown}");
        assert!(
            shown.ends_with(&format!("(the CLI said: {said})")),
            "{shown}"
        );
        // CLI 2.1.197 sends no type, and a reader that fell behind has lost the assistant message.
        if !status.is_null() && !["billing_error", "model_not_found"].contains(&error) {
            let bare = asking(None, api_failure(status, Value::Null, said)).await;
            assert_eq!(bare.to_string(), shown);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn credential_in_an_api_error_is_redacted() {
    let said = "API Error: 401 sk-ant-api03-abcdefgh is not valid";
    let result = api_failure(401, Value::Null, said);
    let error = asking(Some("authentication_failed"), result).await;
    for shown in [
        format!("{error}"),
        format!("{error:?}"),
        format!("{error:#?}"),
    ] {
        assert!(shown.contains("sk-ant-*** is not valid"), "{shown}");
        assert!(!shown.contains("abcdefgh"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn exhausted_limit_names_its_option() {
    for (subtype, option) in [
        ("error_max_turns", "`Options::max_turns`"),
        ("error_max_budget_usd", "`Options::max_budget_usd`"),
        ("error_max_structured_output_retries", "schema"),
    ] {
        let result = json!({"is_error": true, "subtype": subtype, "errors": ["enough"]});
        let shown = asking(None, result).await.to_string();
        assert!(shown.contains(option), "{shown}");
        assert!(shown.ends_with("(the CLI said: enough)"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn refused_start_of_an_old_cli_says_to_update_it() {
    let result = json!({
        "is_error": true,
        "subtype": "error_during_execution",
        "errors": ["Claude Code 1.0 is too old."],
        "startup_failure_reason": "cli_version_too_old",
    });
    let shown = asking(None, result).await.to_string();
    assert!(shown.contains("it is too old"), "{shown}");
    assert!(shown.contains("npm install -g"), "{shown}");
    assert!(shown.contains("Claude Code 1.0 is too old."), "{shown}");
}

/// An error of an earlier turn does not explain a later one.
#[tokio::test(start_paused = true)]
async fn api_error_belongs_to_its_own_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let first = failed(client.send("one").await.unwrap().text().await);
        let second = failed(client.send("two").await.unwrap().text().await);
        (first.to_string(), second.to_string())
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(assistant("rate_limit", "slow down")).await;
        let failure = json!({"is_error": true, "result": "slow down"});
        cli.send(result_with(&cli, failure)).await;
        cli.expect_prompt().await;
        let failure = json!({"is_error": true, "result": "something else"});
        cli.send(result_with(&cli, failure)).await;
    };
    let ((first, second), ()) = join(host, cli).await;
    assert!(first.contains("rate limit"), "{first}");
    assert_eq!(second, "the turn failed: something else");
}

#[tokio::test(start_paused = true)]
async fn unknown_flag_says_that_the_cli_may_be_too_old() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { failed(Client::connect_with(Options::new(), transport).await) };
    let cli = async move {
        cli.stderr("error: unknown option '--await-initialize'\n");
        cli.exit(ExitStatus::with_code(1));
    };
    let shown = join(host, cli).await.0.to_string();
    assert!(
        shown.contains("unknown option '--await-initialize'"),
        "{shown}"
    );
    assert!(shown.contains("too old"), "{shown}");
    assert!(shown.contains("npm install -g"), "{shown}");
}

#[tokio::test]
async fn missing_cli_says_how_to_install_it() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = Options::new()
        .env("PATH", directory.path())
        .env("HOME", directory.path());
    // Only where no CLI is installed for all users.
    if std::path::Path::new("/usr/local/bin/claude").exists() {
        return;
    }
    let error = failed(Client::connect(nowhere).await);
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
    assert!(error.to_string().contains("npm install -g"), "{error}");
}

/// `main` prints the `Debug` form of the error that it returns.
#[tokio::test(start_paused = true)]
async fn debug_is_a_report_with_line_breaks() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        failed(
            query("hello")
                .transport(transport)
                .await
                .unwrap()
                .text()
                .await,
        )
    };
    let part = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.stderr("first\nsecond\n");
        cli.exit(ExitStatus::with_code(2));
    };
    let error = join(host, part).await.0;
    assert_eq!(
        format!("{error:?}"),
        "the CLI ended with exit code 2 before its turn had a result; the last line on its stderr: \
         second\n\nThe CLI ended with exit code 2.\n\nThe last lines of its stderr:\n    first\n    \
         second"
    );
}

#[tokio::test(start_paused = true)]
async fn refused_start_shows_its_reason_once() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().connect_timeout(seconds(5));
    let host = async { failed(Client::connect_with(options, transport).await) };
    let part = async move {
        let initialize = cli.expect_request("initialize").await;
        initialize.refuse("not today", None).await;
        cli.exit(ExitStatus::with_code(0));
    };
    let error = join(host, part).await.0;
    assert_eq!(error.kind(), ErrorKind::Handshake);
    let (display, debug) = (error.to_string(), format!("{error:?}"));
    for shown in [&display, &debug] {
        assert!(
            shown.starts_with("the CLI did not accept the session"),
            "{shown}"
        );
        assert_eq!(shown.matches("not today").count(), 1, "{shown}");
    }
    assert!(debug.contains("\n\nCaused by:\n    "), "{debug}");
}
