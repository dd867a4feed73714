//! Control requests of the CLI.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::Options;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::world::{self, World, result_of};

/// A session whose tools need permission, and a model that calls one.
fn asking(world: &World) -> Options {
    let call = json!({"command": "touch asked"});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
        .turn("Done.");
    world
        .options()
        .extra_arg("permission-prompt-tool", Some("stdio"))
}

#[tokio::test]
async fn changed_input_of_the_handler_runs() {
    world::pinned(async |world| {
        let (sender, mut questions) = mpsc::unbounded_channel();
        let options = asking(world).on_request("can_use_tool", move |request: Value| {
            sender.send(request).unwrap();
            async {
                let changed = json!({"command": "touch answered && echo changed"});
                Ok::<_, String>(json!({"behavior": "allow", "updatedInput": changed}))
            }
        });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        let question = questions.recv().await.unwrap();
        assert_eq!(question["tool_name"], "Bash");
        assert_eq!(question["input"]["command"], "touch asked");
        assert!(questions.try_recv().is_err(), "one request per call");
        assert!(world.cwd().join("answered").exists());
        assert!(!world.cwd().join("asked").exists());
        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(
            (seen[0].text.as_str(), seen[0].is_error),
            ("changed", false)
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_03_handler_runs_without_a_reader() {
    world::pinned(async |world| {
        let options = asking(world).on_request("can_use_tool", async |request: Value| {
            Ok::<_, String>(json!({"behavior": "allow", "updatedInput": request["input"]}))
        });
        let mut client = world.connect(options).await;

        let turn = client.send("Make it.").await.unwrap();
        world.next_request().await;
        let second = world.next_request().await;

        assert!(!second.tool_results()[0].is_error);
        assert!(world.cwd().join("asked").exists());
        let messages = world.read(turn).await;
        assert_eq!(result_of(&messages).result.as_deref(), Some("Done."));
    })
    .await;
}

#[tokio::test]
async fn promise_01_handler_of_a_query_runs() {
    world::pinned(async |world| {
        let options = asking(world).on_request("can_use_tool", async |request: Value| {
            Ok::<_, String>(json!({"behavior": "allow", "updatedInput": request["input"]}))
        });

        let stream = inhouse::query("Make it.").options(options).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "Done.");
        assert!(world.cwd().join("asked").exists());
    })
    .await;
}

#[tokio::test]
async fn promise_08_concurrent_requests_get_their_own_responses() {
    world::pinned(async |world| {
        let calls = (0..5).fold(Turn::new(), |turn, number| {
            let input = json!({"command": format!("touch question-{number}")});
            turn.tool_use_with_id(format!("toolu_{number}"), "Bash", input)
        });
        world.model.turn(calls).turn("Done.");
        let options = world
            .options()
            .extra_arg("permission-prompt-tool", Some("stdio"))
            .on_request("can_use_tool", async |request: Value| {
                let command = request["input"]["command"].as_str().unwrap();
                let changed = json!({"command": command.replace("touch question", "echo answer")});
                Ok::<_, String>(json!({"behavior": "allow", "updatedInput": changed}))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let mut seen: Vec<_> = world.model.conversation()[1]
            .tool_results()
            .into_iter()
            .map(|result| (result.id, result.text))
            .collect();
        // Concurrent calls end in any order.
        seen.sort();
        let expected: Vec<_> = (0..5)
            .map(|number| (format!("toolu_{number}"), format!("answer-{number}")))
            .collect();
        assert_eq!(seen, expected);
    })
    .await;
}

#[tokio::test]
async fn handler_panic_denies_the_call_and_the_session_survives() {
    world::pinned(async |world| {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&calls);
        let options = asking(world).on_request("can_use_tool", move |_: Value| {
            counter.fetch_add(1, Ordering::Relaxed);
            async {
                if true {
                    panic!("the dog ate the permission");
                }
                Ok::<_, String>(Value::Null)
            }
        });
        world.model.turn("Still here.");
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");
        assert_eq!(world.ask(&mut client, "Well?").await, "Still here.");

        assert_eq!(calls.load(Ordering::Relaxed), 1);
        assert!(!world.cwd().join("asked").exists());
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].is_error, "{seen:?}");
        assert!(seen[0].text.contains("panicked"), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn call_without_a_handler_is_refused_with_a_reason() {
    world::pinned(async |world| {
        let mut client = world.connect(asking(world)).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        assert!(!world.cwd().join("asked").exists());
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].is_error, "{seen:?}");
        assert!(
            seen[0].text.contains("no handler decides about Bash"),
            "{seen:?}"
        );
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
        let (events, mut event) = mpsc::unbounded_channel();
        let options = asking(world).on_request("can_use_tool", move |_: Value| {
            let guard = Dropped(events.clone());
            async move {
                guard.0.send("asked").unwrap();
                std::future::pending::<()>().await;
                Ok::<_, String>(Value::Null)
            }
        });
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        let turn = client.send("Make it.").await.unwrap();
        let interrupting = async {
            assert_eq!(event.recv().await, Some("asked"));
            control.interrupt().await.unwrap();
            assert_eq!(event.recv().await, Some("dropped"));
        };
        let ((), messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        assert!(!world.cwd().join("asked").exists());
        assert_eq!(world.ask(&mut client, "Well?").await, "Done.");
    })
    .await;
}

/// CLI 2.1.325 requests a token only if the host sets the marker, which the handler does, and sends
/// one of the entry points that the CLI knows.
#[tokio::test]
async fn refused_oauth_token_is_replaced_by_that_of_the_handler() {
    world::pinned(async |world| {
        let is_stale =
            |request: &ModelRequest| request.header("authorization") == Some("Bearer stale");
        world
            .model
            .when(is_stale, Turn::error(401).message("expired"));
        world.model.turn("Done.");
        let (sender, mut questions) = mpsc::unbounded_channel();
        let options = world
            .options()
            .env_remove("ANTHROPIC_API_KEY")
            .env("CLAUDE_CODE_OAUTH_TOKEN", "stale")
            .env("CLAUDE_CODE_ENTRYPOINT", "local-agent")
            .on_request("oauth_token_refresh", move |request: Value| {
                sender.send(request).unwrap();
                async { Ok::<_, String>(json!({"accessToken": "fresh"})) }
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Hello?").await, "Done.");

        let question = questions.recv().await.unwrap();
        assert_eq!(question["token_state"], "refused", "{question}");
        let requests = world.model.conversation();
        let last = requests.last().expect("the model received a request");
        assert_eq!(last.header("authorization"), Some("Bearer fresh"));
        world.model.assert_done();
    })
    .await;
}
