//! A work item is run on any host, and continued on another.

use inhouse_fleet::{Outcome, SharedVolume, StoreWorkspace, Work};
use inhouse_testkit::Turn;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::world::{self, done};

#[tokio::test]
async fn session_continues_with_the_next_work() {
    world::pinned(async |world| {
        let call =
            Turn::new().tool_use_with_id("toolu_1", "mcp__bank__charge", json!({"cents": 5}));
        world.model.turn(call).turn("Charged.").turn("As I said.");
        let host = world.host();
        let [first, second] = ["Charge 5.", "Sure?"].map(|prompt| Work::new("customer-42", prompt));

        let reply = done(host.run_turn(&first, CancellationToken::new()).await);
        assert_eq!(reply.text.as_deref(), Some("Charged."));
        let again = done(
            world
                .host()
                .run_turn(&first, CancellationToken::new())
                .await,
        );
        assert_eq!(again.result.get(), reply.result.get());
        let reply = done(
            world
                .host()
                .run_turn(&second, CancellationToken::new())
                .await,
        );
        assert_eq!(reply.text.as_deref(), Some("As I said."));

        assert_eq!(world.bank.charges(), [5]);
        let seen = [
            "Charge 5.",
            "call toolu_1",
            "result charged 5",
            "Charged.",
            "Sure?",
        ];
        assert_eq!(world.last_seen(), seen);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn work_that_was_stopped_in_a_call_continues_on_another_host() {
    world::pinned(async |world| {
        let call =
            Turn::new().tool_use_with_id("toolu_1", "mcp__bank__charge", json!({"cents": 666}));
        world.model.turn(call).turn("I will look at it.");
        let work = Work::new("customer-42", "Charge it.");
        let (first, stop) = (world.host(), CancellationToken::new());
        let turn = first.run_turn(&work, stop.clone());
        let (outcome, ()) = tokio::join!(turn, async {
            world.bank.hangs().await;
            stop.cancel();
        });
        assert!(matches!(outcome, Ok(Outcome::Cancelled)), "{outcome:?}");
        assert_eq!(
            world.model.conversation().len(),
            1,
            "a killed CLI sends no model request"
        );

        let reply = done(world.host().run_turn(&work, CancellationToken::new()).await);
        assert_eq!(reply.text.as_deref(), Some("I will look at it."));
        assert_eq!(world.bank.charges(), [666], "the call is not made again");
        let seen = world.last_seen();
        assert_eq!(seen[..2], ["Charge it.", "call toolu_1"]);
        assert!(
            seen[2].contains("interrupted") || seen[2].contains("unknown"),
            "{seen:?}"
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn file_that_was_edited_on_one_host_is_read_on_another() {
    world::pinned(async |world| {
        for is_shared in [true, false] {
            let session = format!("shared-{is_shared}");
            let works = ["Write.", "Read."].map(|prompt| Work::new(&*session, prompt));
            // The path is the same on both hosts, as it has to be.
            let root = world.directory(&session);
            let notes = root
                .join(works[0].session_id().to_string())
                .join("notes.txt");
            let write = json!({"file_path": notes, "content": "5 dollars"});
            let calls = [("Write", write), ("Read", json!({"file_path": notes}))];
            for (work, (tool, input)) in works.iter().zip(calls) {
                world
                    .model
                    .turn(Turn::new().tool_use(tool, input))
                    .turn("Done.");
                let host = match is_shared {
                    true => world.host().workspace(SharedVolume::new(&root)),
                    false => {
                        // Another machine does not have the files.
                        let _ = std::fs::remove_dir_all(&root);
                        let workspace = StoreWorkspace::new(world.store.clone(), &root);
                        world.host().workspace(workspace)
                    }
                };
                done(host.run_turn(work, CancellationToken::new()).await);
            }
            let seen = world.last_seen();
            assert!(
                seen.iter().any(|block| block.contains("5 dollars")),
                "{seen:?}"
            );
        }
    })
    .await;
}
