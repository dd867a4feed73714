//! Permanent and temporary API errors.

use inhouse::message::{Message, ResultSubtype, SystemMessage};
use inhouse::{Error, ErrorKind, ExitStatus, Options, query};
use inhouse_testkit::Turn;
use inhouse_testkit::model::ApiError;

use crate::world::{self, World, assistant_texts, result_of};

/// A session in which the API always fails, and the CLI does not retry.
fn failing(world: &World, error: ApiError) -> Options {
    world.model.when(|_| true, error.no_retry());
    world.options().env("CLAUDE_CODE_MAX_RETRIES", "0")
}

async fn failure(world: &World, error: ApiError) -> Error {
    let options = failing(world, error);
    let stream = query("Hello?").options(options).await.unwrap();
    let error = stream.text().await.unwrap_err();
    let request = world.next_request().await;
    assert_eq!(request.last_user_text().as_deref(), Some("Hello?"));
    error
}

#[tokio::test]
async fn refused_request_fails_with_the_api_message() {
    world::pinned(async |world| {
        let error = failure(world, Turn::error(400).message("The bees are tired.")).await;

        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.to_string().contains("The bees are tired."), "{error}");
        let result = error.result().unwrap();
        assert_eq!(result.subtype, ResultSubtype::Success);
        assert_eq!(result.api_error_status, Some(400));
    })
    .await;
}

#[tokio::test]
async fn result_of_a_failed_turn_explains_the_exit_of_the_process() {
    world::pinned(async |world| {
        let options = failing(world, Turn::error(400));
        let stream = query("Hello?").options(options).await.unwrap();
        let control = stream.control().clone();

        let (messages, end) = world.read_stream(stream).await;

        assert!(end.is_none(), "{end:?}");
        assert!(result_of(&messages).is_error);
        let late = control.models().await.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::Exited);
        assert_eq!(late.exit_status(), Some(ExitStatus::with_code(1)));
    })
    .await;
}

#[tokio::test]
async fn bad_key_fails_with_the_api_status() {
    world::pinned(async |world| {
        let error = failure(world, Turn::error(401)).await;

        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(error.result().unwrap().api_error_status, Some(401));
        let requests = world.model.conversation();
        assert_eq!(requests[0].header("x-api-key"), Some("dummy"));
    })
    .await;
}

#[tokio::test]
async fn too_many_requests_fail_with_the_api_status() {
    world::pinned(async |world| {
        let error = failure(world, Turn::error(429)).await;

        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(error.result().unwrap().api_error_status, Some(429));
    })
    .await;
}

/// What the message says for each status, and what the CLI adds.
const FAILURES: [(u16, &str, &str); 8] = [
    (
        401,
        "The key is not valid.",
        "the API rejected the credentials (HTTP 401);",
    ),
    (
        400,
        "model: not valid",
        "the API rejected the request (HTTP 400);",
    ),
    (
        402,
        "Payment required",
        "the account has no credit (HTTP 402);",
    ),
    (403, "Not for you.", "the API denied access (HTTP 403);"),
    (
        404,
        "model: bogus",
        "the model does not exist or the account may not use it (HTTP 404);",
    ),
    (
        429,
        "Slow down.",
        "the rate limit of the account was reached (HTTP 429);",
    ),
    (500, "Oh no.", "the API failed (HTTP 500);"),
    (529, "Overloaded", "the API is overloaded (HTTP 529);"),
];

async fn failure_is_explained(world: &World, (status, message, what): (u16, &str, &str)) {
    let error = failure(world, Turn::error(status).message(message)).await;
    assert_eq!(error.kind(), ErrorKind::Failed);
    let text = error.to_string();
    assert!(text.starts_with(what), "{text}");
    assert!(text.contains("(the CLI said: "), "{text}");
    assert!(!text.contains("success"), "{text}");
}

#[tokio::test]
async fn api_failure_is_explained() {
    for case in FAILURES {
        world::pinned(async |world| failure_is_explained(world, case).await).await;
    }
}

#[tokio::test]
async fn api_failure_is_explained_with_the_oldest_cli() {
    for case in FAILURES {
        world::oldest(async |world| failure_is_explained(world, case).await).await;
    }
}

#[tokio::test]
async fn low_credit_is_explained() {
    world::pinned(async |world| {
        let message = "Your credit balance is too low to access the Anthropic API.";
        let error = failure(world, Turn::error(400).message(message)).await;
        let text = error.to_string();
        assert!(text.starts_with("the account has no credit"), "{text}");
    })
    .await;
}

async fn missing_login_is_explained(world: &World) {
    let options = world.options().env_remove("ANTHROPIC_API_KEY");
    let stream = query("Hello?").options(options).await.unwrap();
    let error = stream.text().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    let text = error.to_string();
    assert!(text.starts_with("Claude Code is not logged in;"), "{text}");
    assert!(text.contains("ANTHROPIC_API_KEY"), "{text}");
    assert!(world.model.conversation().is_empty());
}

#[tokio::test]
async fn missing_login_says_how_to_log_in() {
    world::pinned(missing_login_is_explained).await;
}

#[tokio::test]
async fn missing_login_says_how_to_log_in_with_the_oldest_cli() {
    world::oldest(missing_login_is_explained).await;
}

#[tokio::test]
async fn overloaded_or_failing_api_is_retried() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::error(529))
            .turn(Turn::error(500))
            .turn("There I am.");

        let messages = world
            .read_query(query("Hello?").options(world.options()))
            .await;

        let retries: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::System(SystemMessage::ApiRetry(retry)) => {
                    Some((retry.attempt, retry.error_status))
                }
                _ => None,
            })
            .collect();
        assert_eq!(retries, [(1, Some(529)), (2, Some(500))]);
        assert_eq!(assistant_texts(&messages), ["There I am."]);
        assert!(result_of(&messages).is_success());
        assert_eq!(world.model.conversation().len(), 3);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn truncated_response_is_retried() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("It was a dark and").disconnect())
            .turn("It was a dark and stormy night.");

        let stream = query("Tell.").options(world.options()).await.unwrap();

        assert_eq!(
            stream.text().await.unwrap(),
            "It was a dark and stormy night."
        );
        let requests = world.model.conversation();
        assert_eq!(requests.len(), 2);
        assert_eq!(requests[1].last_user_text().as_deref(), Some("Tell."));
        world.model.assert_done();
    })
    .await;
}
