//! What errors contain, and what they must not contain.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use inhouse::{Client, Error, ErrorKind, ExitStatus, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;

use crate::support::{connect_with, failed, result_with, seconds};

/// A value that must not appear in errors or logs.
const SECRET: &str = "sk-hunter2-do-not-tell";

fn options_with_secrets() -> Options {
    Options::new()
        .env("COMPANY_TOKEN", SECRET)
        .system_prompt(format!("You know {SECRET}."))
        .control_timeout(seconds(5))
        .connect_timeout(seconds(5))
}

fn prompt() -> String {
    format!("The password is {SECRET}.")
}

/// Formats an error and all its sources.
fn shown(error: &Error) -> String {
    let mut text = format!("{error}\n{error:?}\n{error:#?}\n");
    let mut cause = error.source();
    while let Some(error) = cause {
        writeln!(text, "{error}\n{error:?}").expect("writing to a string succeeds");
        cause = error.source();
    }
    text
}

/// A conversation in which the CLI runs `cli_part` after it has read the prompt.
async fn asking(cli_part: impl AsyncFnOnce(FakeCli)) -> Error {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let asked = query(prompt())
            .options(options_with_secrets())
            .transport(transport);
        failed(asked.await.unwrap().json::<u8>().await)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli_part(cli).await;
    };
    join(host, cli).await.0
}

/// A session in which `cli_part` handles one control request.
async fn control_error(cli_part: impl AsyncFnOnce(FakeCli)) -> Error {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(options_with_secrets(), transport).await;
        failed(client.control().set_model(Some(SECRET)).await)
    };
    let cli = async move {
        cli.accept().await;
        cli_part(cli).await;
    };
    join(host, cli).await.0
}

async fn one_of_every_kind() -> Vec<Error> {
    let directory = tempfile::tempdir().unwrap();
    let no_program = directory.path().join("claude");
    fs::write(&no_program, "#!/nowhere/interpreter\n").unwrap();
    fs::set_permissions(&no_program, fs::Permissions::from_mode(0o755)).unwrap();

    let config = Client::connect(options_with_secrets().env("BAD=NAME", SECRET)).await;
    let not_found =
        Client::connect(options_with_secrets().cli_path(directory.path().join("nothing"))).await;
    let spawn = Client::connect(options_with_secrets().cli_path(no_program)).await;
    let (transport, mut cli) = FakeCli::new();
    let (handshake, ()) = join(
        async {
            let asked = query(prompt())
                .options(options_with_secrets())
                .transport(transport);
            failed(asked.await)
        },
        async move {
            let initialize = cli.expect_request("initialize").await;
            initialize.refuse("not today", None).await;
            cli.expect_terminate().await;
        },
    )
    .await;
    let (transport, mut cli) = FakeCli::new();
    let (closed, ()) = join(
        async {
            let client = connect_with(options_with_secrets(), transport).await;
            let control = client.control().clone();
            client.close().await.unwrap();
            failed(control.send(prompt()).await)
        },
        async move {
            cli.accept().await;
            cli.expect_end_of_input().await;
        },
    )
    .await;

    vec![
        failed(config),
        failed(not_found),
        failed(spawn),
        handshake,
        closed,
        asking(async |mut cli| cli.turn(SECRET).await).await,
        asking(async |mut cli| {
            let failure = json!({
                "is_error": true,
                "subtype": "error_max_turns",
                "errors": ["too many turns"],
                "result": SECRET,
            });
            cli.send(result_with(&cli, failure)).await;
        })
        .await,
        asking(async |mut cli| {
            cli.assistant(SECRET).await;
            cli.stderr("something broke\n");
            cli.exit(ExitStatus::with_code(2));
        })
        .await,
        control_error(async |mut cli| {
            cli.expect_request("set_model")
                .await
                .refuse("no such model", None)
                .await;
        })
        .await,
        control_error(async |mut cli| {
            let _never_answered = cli.expect_request("set_model").await;
            cli.expect_cancel().await;
        })
        .await,
    ]
}

#[tokio::test(start_paused = true)]
async fn errors_contain_no_prompt_and_no_environment_value() {
    let errors = one_of_every_kind().await;
    let kinds: BTreeMap<String, &Error> = errors
        .iter()
        .map(|error| (format!("{:?}", error.kind()), error))
        .collect();
    // There is no session store that could fail yet.
    let expected = [
        ErrorKind::CliNotFound,
        ErrorKind::Closed,
        ErrorKind::Config,
        ErrorKind::Exited,
        ErrorKind::Failed,
        ErrorKind::Handshake,
        ErrorKind::Protocol,
        ErrorKind::Refused,
        ErrorKind::Spawn,
        ErrorKind::Timeout,
    ]
    .map(|kind| format!("{kind:?}"));
    assert_eq!(
        kinds.keys().collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    for (kind, error) in kinds {
        let shown = shown(error);
        assert!(!shown.contains(SECRET), "{kind}: {shown}");
        assert!(!shown.contains("password"), "{kind}: {shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn debug_of_options_hides_values() {
    let options = options_with_secrets();
    let shown = format!("{options:?}\n{options:#?}");
    assert!(!shown.contains(SECRET), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn cloned_error_is_equal() {
    let error = asking(async |mut cli| {
        cli.stderr("it broke\n");
        cli.exit(ExitStatus::with_code(2));
    })
    .await;
    let clone = error.clone();
    assert_eq!(clone.to_string(), error.to_string());
    assert_eq!(clone.kind(), error.kind());
    assert_eq!(clone.exit_status(), Some(ExitStatus::with_code(2)));
    assert_eq!(clone.stderr_tail(), Some("it broke"));
}

#[tokio::test(start_paused = true)]
async fn source_of_a_refused_session_is_the_refusal() {
    let errors = one_of_every_kind().await;
    let handshake = errors
        .iter()
        .find(|error| error.kind() == ErrorKind::Handshake)
        .expect("one message of each kind");
    let cause = handshake.source().expect("a refusal");
    let cause = cause.downcast_ref::<Error>().expect("an `inhouse` error");
    assert_eq!(cause.kind(), ErrorKind::Refused);
    assert!(cause.to_string().contains("not today"), "{cause}");
    assert_eq!(handshake.to_string().matches("not today").count(), 1);
}
