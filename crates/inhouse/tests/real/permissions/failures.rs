//! Handlers that fail, and requests that are cancelled.

use std::future::pending;
use std::time::Duration;

use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, HandlerError, Options};
use tokio::sync::mpsc;

use super::{run, seen};
use crate::world::{self, World, result_of};

/// Returns what the model gets if a handler fails; the session continues.
async fn denial_of(world: &World, options: Options) -> String {
    run(world, "touch asked");
    world.model.turn("Still here.");
    let mut client = world.connect(options).await;
    assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");
    let seen = seen(world);
    assert!(seen[0].is_error, "{seen:?}");
    assert!(!world.cwd().join("asked").exists());
    assert_eq!(world.ask(&mut client, "Well?").await, "Still here.");
    world.model.assert_done();
    seen[0].text.clone()
}

#[tokio::test]
async fn handler_error_denies_the_call() {
    world::pinned(async |world| {
        let options = world.options().permissions(async |_: Asked<CanUseTool>| {
            Err(HandlerError::new("the vault is locked"))
        });
        let text = denial_of(world, options).await;
        assert!(text.contains("the vault is locked"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn handler_panic_denies_the_call() {
    world::pinned(async |world| {
        let options = world.options().permissions(
            async |_: Asked<CanUseTool>| -> Result<Decision, HandlerError> { panic!("oh") },
        );
        let text = denial_of(world, options).await;
        assert!(text.contains("panicked"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn handler_timeout_denies_the_call() {
    world::pinned(async |world| {
        let options = world
            .options()
            .permission_timeout(Duration::from_millis(50))
            .permissions(async |_: Asked<CanUseTool>| pending().await);
        let text = denial_of(world, options).await;
        assert!(text.contains("did not answer within 50ms"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn interrupt_cancels_the_request_and_drops_the_handler() {
    world::pinned(async |world| {
        struct Dropped(mpsc::UnboundedSender<&'static str>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                let _ = self.0.send("dropped");
            }
        }
        run(world, "touch asked");
        let (sender, mut events) = mpsc::unbounded_channel();
        let options = world
            .options()
            .permissions(async move |_: Asked<CanUseTool>| {
                sender.send("asked").expect("the test holds the receiver");
                let _until_dropped = Dropped(sender);
                pending().await
            });
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        let turn = client.send("Make it.").await.unwrap();
        let interrupting = async {
            assert_eq!(events.recv().await, Some("asked"));
            control.interrupt().await.unwrap();
            assert_eq!(events.recv().await, Some("dropped"));
        };
        let ((), messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        assert!(!world.cwd().join("asked").exists());
        assert_eq!(world.ask(&mut client, "Well?").await, "Done.");
    })
    .await;
}
