//! Start, exit and kill of the CLI's process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse::ErrorKind;
use inhouse::process::{ExitStatus, ShutdownTiming};
use inhouse_testkit::Turn;

use crate::world::{self, World};

/// Longer than any scenario may take, so that this step never happens.
const NEVER: Duration = Duration::from_secs(3600);

/// A client after its first turn, with this time limit for each shutdown step.
async fn idle_client(world: &World, limit: Duration) -> (inhouse::Client, u32) {
    world.model.turn("Fine.");
    let options = world
        .options()
        .shutdown(ShutdownTiming::default().grace(limit).term(limit));
    let mut client = world.connect(options).await;
    assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");
    let pid = client.control().pid().unwrap();
    (client, pid)
}

#[tokio::test]
async fn promise_14_idle_session_closes_at_once() {
    world::pinned(async |world| {
        let (client, pid) = idle_client(world, NEVER).await;
        let control = client.control().clone();

        let exit = client.close().await.unwrap();

        assert_eq!(exit, Some(ExitStatus::with_code(0)));
        world::gone(pid).await;
        let late = control.models().await.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::Closed);
        let late = control.send("Hello?").await.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::Closed);
        assert_eq!(
            control.close().await.unwrap(),
            exit,
            "a second close succeeds"
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_13_dropped_client_ends_its_process() {
    world::pinned(async |world| {
        let (client, pid) = idle_client(world, NEVER).await;
        drop(client);
        world::gone(pid).await;
    })
    .await;
}

#[tokio::test]
async fn promise_13_client_dropped_during_a_turn_kills_its_process() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Once upon a").stall());
        let options = world
            .options()
            .shutdown(ShutdownTiming::default().grace(NEVER).term(NEVER));
        let mut client = world.connect(options).await;
        let pid = client.control().pid().unwrap();
        drop(client.send("Tell.").await.unwrap());
        world.next_request().await;

        drop(client);

        world::gone(pid).await;
        world.disconnected().await;
    })
    .await;
}

#[tokio::test]
async fn promise_04_cli_killed_during_a_turn_fails_all_waiters_at_once() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Once upon a").stall());
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();
        let pid = control.pid().unwrap();

        let mut turn = client.send("Tell.").await.unwrap();
        world.next_request().await;
        // Stopped, so that the request below is still open when the kill comes.
        world::signal(pid, "STOP").await;
        let killing = async {
            world::signal(pid, "KILL").await;
        };
        let reading = async {
            loop {
                if let Err(error) = turn.next().await.expect("an error ends the turn") {
                    assert!(turn.next().await.is_none(), "an error is the last item");
                    return error;
                }
            }
        };
        let (waiting, (), reading) = tokio::join!(control.models(), killing, reading);

        for error in [waiting.unwrap_err(), reading] {
            assert_eq!(error.kind(), ErrorKind::Exited, "{error:?}");
            assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
            assert!(error.to_string().contains("signal 9"), "{error}");
        }
        let late = client.send("Hello?").await.err().unwrap();
        assert_eq!(late.kind(), ErrorKind::Exited);
        let closing = client.close().await.unwrap_err();
        assert_eq!(closing.exit_status(), Some(ExitStatus::with_signal(9)));
        world::gone(pid).await;
        world.disconnected().await;
    })
    .await;
}

#[tokio::test]
async fn cli_killed_between_turns_fails_the_next_one() {
    world::pinned(async |world| {
        let (mut client, pid) = idle_client(world, NEVER).await;

        world::signal(pid, "KILL").await;
        world::gone(pid).await;

        // The prompt may still be written to the pipe; its answer never comes.
        let failure = match client.send("Hello?").await {
            Ok(turn) => turn.text().await.unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(failure.kind(), ErrorKind::Exited);
        assert_eq!(failure.exit_status(), Some(ExitStatus::with_signal(9)));
        assert_eq!(world.model.conversation().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn query_fails_when_its_cli_is_killed() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Once upon a").stall());
        let stream = inhouse::query("Tell.").options(world.options()).await;
        let stream = stream.unwrap();
        let pid = stream.control().pid().unwrap();

        let killing = async {
            world.next_request().await;
            world::signal(pid, "KILL").await;
        };
        let ((), (_, end)) = tokio::join!(killing, world.read_stream(stream));

        let error = end.unwrap();
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
    })
    .await;
}

#[tokio::test]
async fn promise_14_cli_that_ignores_term_is_killed() {
    world::pinned(async |world| {
        let (client, pid) = idle_client(world, Duration::from_millis(100)).await;

        world::signal(pid, "STOP").await;
        let exit = client.close().await.unwrap();

        assert_eq!(exit, Some(ExitStatus::with_signal(9)));
        world::gone(pid).await;
    })
    .await;
}

#[tokio::test]
async fn lines_on_stderr_reach_the_host() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let options = world
            .options()
            .extra_arg("debug-to-stderr", None::<&str>)
            .stderr(move |line| sink.lock().unwrap().push(line.to_owned()));

        let stream = inhouse::query("How are you?").options(options).await;
        assert_eq!(stream.unwrap().text().await.unwrap(), "Fine.");

        let lines = lines.lock().unwrap();
        assert!(lines.len() > 1, "{lines:?}");
        assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
        assert!(
            lines.iter().any(|line| line.contains("[DEBUG]")),
            "{lines:?}"
        );
    })
    .await;
}
