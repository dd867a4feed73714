//! A hook and a handler are called concurrently, and the first decides.

use std::future::pending;

use inhouse::hook::Matcher;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, Options};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{run, seen};
use crate::world::{self, World};

/// Reports its name when it is dropped.
struct Dropped(&'static str, mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

fn hook_decides(options: Options, decision: Value) -> Options {
    options.raw_hook(
        "PermissionRequest",
        Matcher::any(),
        async move |_: Value, _| {
            let output = json!({"hookEventName": "PermissionRequest", "decision": decision});
            Ok(json!({"hookSpecificOutput": output}))
        },
    )
}

/// A session with a handler that never decides, and reports its drop.
fn waiting(world: &World) -> (Options, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, events) = mpsc::unbounded_channel();
    let options = world
        .options()
        .permissions(async move |_: Asked<CanUseTool>| {
            let _until_dropped = Dropped("the handler", sender);
            pending().await
        });
    (options, events)
}

#[tokio::test]
async fn hook_that_allows_first_cancels_the_request() {
    world::pinned(async |world| {
        run(world, "touch asked && echo made");
        let (options, mut events) = waiting(world);
        let options = hook_decides(options, json!({"behavior": "allow"}));
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        assert_eq!(events.recv().await, Some("the handler"));
        assert!(world.cwd().join("asked").exists());
        assert_eq!(seen(world)[0].text, "made");
    })
    .await;
}

#[tokio::test]
async fn hook_that_denies_first_cancels_the_request() {
    world::pinned(async |world| {
        run(world, "touch asked");
        let (options, mut events) = waiting(world);
        let denial = json!({"behavior": "deny", "message": "said the hook"});
        let mut client = world.connect(hook_decides(options, denial)).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        assert_eq!(events.recv().await, Some("the handler"));
        assert!(!world.cwd().join("asked").exists());
        assert!(seen(world)[0].text.contains("said the hook"));
    })
    .await;
}

#[tokio::test]
async fn handler_that_decides_first_wins() {
    world::pinned(async |world| {
        run(world, "touch asked");
        let (begin, begun) = tokio::sync::watch::channel(false);
        let options = world
            .options()
            .raw_hook(
                "PermissionRequest",
                Matcher::any(),
                async move |_: Value, _| {
                    begin.send_replace(true);
                    pending().await
                },
            )
            .permissions(async move |_: Asked<CanUseTool>| {
                let mut begun = begun;
                begun.wait_for(|begun| *begun).await?;
                Ok(Decision::deny("said the handler"))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        assert!(!world.cwd().join("asked").exists());
        assert_eq!(seen(world)[0].text, "said the handler");
    })
    .await;
}
