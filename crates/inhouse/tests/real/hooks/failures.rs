//! Hooks that fail.

use std::future::pending;
use std::time::Duration;

use inhouse::hook::*;
use inhouse::message::{Message, SystemMessage};
use inhouse::{HandlerError, Options};
use tokio::sync::mpsc;

use super::running;
use crate::world::{self, World, result_of};

/// Runs a turn with a command; returns what the CLI reports of failed hooks.
async fn play(world: &World, options: Options) -> (bool, Vec<String>) {
    running(world, "touch made");
    let mut client = world.connect(options.allow_tools(["Bash"])).await;
    let turn = client.send("Go.").await.unwrap();
    let messages = world.read(turn).await;
    assert!(result_of(&messages).is_success());
    let warnings = messages.iter().filter_map(|message| match message {
        Message::System(SystemMessage::Informational(note)) => Some(note.content.clone()),
        _ => None,
    });
    (world.cwd().join("made").exists(), warnings.collect())
}

#[tokio::test]
async fn hook_error_lets_the_call_run() {
    world::pinned(async |world| {
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Err(HandlerError::new("I do not know"))
            });
        let (ran, warnings) = play(world, options).await;
        assert!(ran);
        assert!(
            warnings.iter().any(|text| text.contains("hook_0 failed")),
            "{warnings:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn guard_error_blocks_the_call() {
    world::pinned(async |world| {
        let options = world.options().hook(
            Matcher::any().on_failure(OnFailure::Block),
            async |_: PreToolUse, _| Err(HandlerError::new("I do not know")),
        );
        let (ran, _) = play(world, options).await;
        assert!(!ran);
        assert!(world.model.conversation()[1].tool_results()[0].is_error);
    })
    .await;
}

#[tokio::test]
async fn panic_is_handled_as_an_error() {
    world::pinned(async |world| {
        let options = world.options().hook(
            Matcher::any().on_failure(OnFailure::Block),
            async |_: PreToolUse, _| panic!("as requested"),
        );
        let (ran, _) = play(world, options).await;
        assert!(!ran);
    })
    .await;
}

/// Also without `OnFailure`: a timeout never lets a call run.
#[tokio::test]
async fn hook_timeout_blocks_the_call_and_drops_the_hook() {
    struct ReportOnDrop(mpsc::UnboundedSender<()>);

    impl Drop for ReportOnDrop {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    world::pinned(async |world| {
        let (sender, mut dropped) = mpsc::unbounded_channel();
        let options = world.options().hook(
            Matcher::any().timeout(Duration::from_millis(200)),
            move |_: PreToolUse, _: HookContext| {
                let until_dropped = ReportOnDrop(sender.clone());
                async move {
                    let _until_dropped = until_dropped;
                    pending().await
                }
            },
        );
        let (ran, _) = play(world, options).await;
        assert!(!ran);
        assert!(world.model.conversation()[1].tool_results()[0].is_error);
        dropped.recv().await.expect("the hook runs");
    })
    .await;
}

/// The call has run already, so a failing hook has no effect.
#[tokio::test]
async fn failure_after_the_call_keeps_its_result() {
    world::pinned(async |world| {
        let options = world.options().hook(
            Matcher::any().on_failure(OnFailure::Block),
            async |_: PostToolUse, _| Err(HandlerError::new("too late")),
        );
        let (ran, _) = play(world, options).await;
        assert!(ran);
        assert!(!world.model.conversation()[1].tool_results()[0].is_error);
    })
    .await;
}

#[tokio::test]
async fn interrupt_drops_a_running_hook() {
    world::pinned(async |world| {
        running(world, "touch made");
        let (sender, mut events) = mpsc::unbounded_channel();
        let options = world.options().hook(
            Matcher::any(),
            move |_: PreToolUse, context: HookContext| {
                let sender = sender.clone();
                async move {
                    sender.send("began").unwrap();
                    let cancelled = context.cancelled().clone();
                    tokio::spawn(async move {
                        cancelled.wait().await;
                        sender.send("cancelled").unwrap();
                    });
                    pending().await
                }
            },
        );
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        let turn = client.send("Go.").await.unwrap();
        let interrupting = async {
            assert_eq!(events.recv().await, Some("began"));
            control.interrupt().await.unwrap();
            assert_eq!(events.recv().await, Some("cancelled"));
        };
        tokio::join!(world.read(turn), interrupting);

        assert!(!world.cwd().join("made").exists());
    })
    .await;
}
