//! A host that runs inside Claude Code.

use std::env;
use std::process::Stdio;
use std::time::Duration;

use inhouse::{Client, Options, query};
use tokio::process::Command;

use crate::launch::through_shell;
use crate::world::{self, World};

/// Set in the child process that the test starts: itself in another environment.
const INNER: &str = "INHOUSE_INSIDE_CLAUDE_CODE";

#[tokio::test]
async fn promise_22_claudecode_variable_is_not_inherited() {
    world::pinned(async |world| {
        if env::var_os(INNER).is_some() {
            return ask_with_inherited_environment(world).await;
        }
        // The environment belongs to the process, so the host with the marker runs in a separate process that
        // inherits nothing.
        let host = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--nocapture"])
            .arg("environment::promise_22_claudecode_variable_is_not_inherited")
            .env_clear()
            .envs(world.isolation().env())
            .env("INHOUSE_REAL_CLI", world.isolation().program())
            .env("CLAUDECODE", "1")
            .env(INNER, "1")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = host.await.unwrap();
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{report}");
        assert!(report.contains("1 passed"), "{report}");
    })
    .await;
}

async fn ask_with_inherited_environment(world: &World) {
    assert_eq!(env::var("CLAUDECODE").as_deref(), Ok("1"));
    world.model.turn("Fine.");
    let options = Options::new()
        .cli_path(world.isolation().program())
        .cwd(world.cwd())
        .envs(world.isolation().env())
        .wrap_command(|cli| through_shell(r#"env > environment; exec "$@""#, cli));

    let stream = query("How are you?").options(options).await.unwrap();

    assert_eq!(stream.text().await.unwrap(), "Fine.");
    world.model.assert_done();
    let seen = std::fs::read_to_string(world.cwd().join("environment")).unwrap();
    assert!(seen.contains(&format!("{INNER}=1")), "it inherits: {seen}");
    assert!(!seen.contains("CLAUDECODE="), "{seen}");
}

/// The CLI never reads `initialize`, and reports the steps of its start nevertheless.
#[tokio::test]
async fn connect_timeout_names_the_last_step_of_the_start() {
    world::pinned(async |world| {
        let options = world
            .options()
            .connect_timeout(Duration::from_secs(10))
            .wrap_command(|cli| through_shell(r#"tail -f /dev/null | "$@""#, cli));
        let error = Client::connect(options).await.unwrap_err();
        assert!(error.is_timeout());
        let text = error.to_string();
        assert!(text.contains("the last step of its start was `"), "{text}");
        assert!(world.model.conversation().is_empty());
    })
    .await;
}
