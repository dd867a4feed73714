//! Hooks with the oldest supported CLI.

use inhouse::error::ErrorKind;
use inhouse::hook::*;
use inhouse::{Client, Options};

use super::running;
use crate::world;

fn denying(options: Options) -> Options {
    options.hook(Matcher::tool("Bash"), async |_: PreToolUse, _| {
        Ok(HookOutput::deny("not here"))
    })
}

#[tokio::test]
async fn denied_call_does_not_run() {
    world::oldest(async |world| {
        running(world, "echo hi");
        let mut client = world.connect(denying(world.options())).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].text.contains("not here"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn guard_is_refused() {
    world::oldest(async |world| {
        let options = world.options().hook(
            Matcher::any().on_failure(OnFailure::Block),
            async |_: PreToolUse, _| Ok(HookOutput::pass()),
        );
        let error = Client::connect(options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Handshake);
        assert!(error.to_string().contains("too old"), "{error}");
    })
    .await;
}

/// The oldest CLI does not wait for hooks before it makes a deferred call, so no hook would see it.
#[tokio::test]
async fn resume_with_hooks_is_refused() {
    world::oldest(async |world| {
        world.model.turn("One.");
        let mut client = world.connect(world.options()).await;
        let turn = client.send("Begin.").await.unwrap();
        let messages = world.read(turn).await;
        let session = world::result_of(&messages).session_id.clone();
        client.close().await.unwrap();

        let resumed = Client::connect(denying(world.options().resume(session))).await;

        let error = resumed.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exited);
        let stderr = error.stderr_tail().unwrap_or_default();
        assert!(stderr.contains("--await-initialize"), "{stderr}");
    })
    .await;
}
