//! Launching the CLI, and launch failures.

use std::time::Duration;

use inhouse::launch::CommandLine;
use inhouse::process::ExitStatus;
use inhouse::{Client, ErrorKind, query};
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world;

/// Runs the CLI through a shell command, in the same environment and directory.
pub(crate) fn through_shell(script: &str, cli: CommandLine) -> CommandLine {
    let mut shell = CommandLine::new("/bin/sh")
        .args(["-c", script, "sh"])
        .args([cli.program])
        .args(cli.args);
    shell.env = cli.env;
    shell.cwd = cli.cwd;
    shell
}

#[tokio::test]
async fn promise_04_and_21_bad_flag_fails_at_once_with_the_reason() {
    world::pinned(async |world| {
        // A start that waits for its deadline would exceed the deadline of this test.
        let options = world
            .options()
            .extra_arg("no-such-flag", None::<&str>)
            .connect_timeout(Duration::from_secs(3600));

        let error = Client::connect(options).await.err().unwrap();

        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_code(1)));
        let tail = error.stderr_tail().unwrap();
        assert!(tail.contains("no-such-flag"), "{tail}");
        assert!(error.to_string().contains("no-such-flag"), "{error}");
        assert!(world.model.requests().is_empty());
    })
    .await;
}

#[tokio::test]
async fn promise_05_start_timeout_leaves_no_process() {
    world::pinned(async |world| {
        let pipe = world.pipe("pid").await;
        let options = world
            .options()
            .connect_timeout(Duration::from_secs(2))
            .wrap_command(|cli| through_shell(r#"echo $$ > pid; kill -STOP $$; exec "$@""#, cli));

        let (connected, pid) = tokio::join!(Client::connect(options), pipe.read());

        let error = connected.err().unwrap();
        assert!(error.is_timeout(), "{error:?}");
        world::gone(pid.trim().parse().unwrap()).await;
        assert!(world.model.requests().is_empty());
    })
    .await;
}

#[tokio::test]
async fn missing_cli_is_reported_as_such() {
    world::pinned(async |world| {
        let missing = world.cwd().join("no-such-cli");
        let options = world.options().cli_path(&missing);

        let error = query("Hello?").options(options).await.err().unwrap();

        assert_eq!(error.kind(), ErrorKind::CliNotFound);
        assert!(error.to_string().contains("no-such-cli"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn missing_working_directory_is_not_a_missing_cli() {
    world::pinned(async |world| {
        let options = world.options().cwd(world.cwd().join("no-such-directory"));

        let error = query("Hello?").options(options).await.err().unwrap();

        assert_ne!(error.kind(), ErrorKind::CliNotFound, "{error}");
        assert!(error.to_string().contains("no-such-directory"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn wrapper_runs_the_cli() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let options = world
            .options()
            .wrap_command(|cli| through_shell(r#"echo "$#" > wrapped; exec "$@""#, cli));

        let stream = query("How are you?").options(options).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "Fine.");
        let count = std::fs::read_to_string(world.cwd().join("wrapped")).unwrap();
        assert!(count.trim().parse::<u32>().unwrap() > 3, "{count}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn application_label_reaches_the_api() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let options = world.options().client_app("sheep-counter/1.0");

        let stream = query("How are you?").options(options).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "Fine.");
        let request = world.next_request().await;
        let agent = request.header("user-agent").unwrap();
        assert!(agent.contains("sheep-counter/1.0"), "{agent}");
    })
    .await;
}

/// Settings with `env` are in a private file, which the CLI must read.
async fn read_settings_with_a_secret(world: &world::World) {
    let call = json!({"command": "echo $PROBE"});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
        .turn("Done.");
    let options = world
        .options()
        .settings(json!({"env": {"PROBE": "from the settings"}}))
        .allow_tools(["Bash"]);
    let stream = query("Look.").options(options).await.unwrap();

    assert_eq!(stream.text().await.unwrap(), "Done.");
    let seen = world.model.conversation()[1].tool_results();
    assert_eq!(seen[0].text, "from the settings");
}

#[tokio::test]
async fn settings_with_secrets_reach_the_cli() {
    world::pinned(read_settings_with_a_secret).await;
}

#[tokio::test]
async fn settings_with_secrets_reach_the_oldest_cli() {
    world::oldest(read_settings_with_a_secret).await;
}
