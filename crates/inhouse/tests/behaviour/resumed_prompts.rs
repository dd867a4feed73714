//! Prompts that are sent again to a resumed session: answered, cut off, or new.

use std::time::Duration;

use inhouse::options::StoreFlush;
use inhouse::{ErrorKind, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use serde_json::json;
use tokio::time::timeout;

use crate::mirror::stored;
use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{failed, idle};

#[tokio::test(start_paused = true)]
async fn prompt_that_was_answered_gets_its_stored_result_again() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    FakeCli::play_with(
        async |transport| {
            let options = machine.options().session_id(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.finish().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            let entry: serde_json::Value = serde_json::from_str(&user(OTHER, "Hello")).unwrap();
            let frame =
                json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]});
            cli.send(frame).await;
            cli.turn("The first answer.").await;
        },
    )
    .await;

    let (answer, ()) = FakeCli::play_with(
        async |transport| {
            let options = machine.options().resume(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.text().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(answer, "The first answer.");

    let (answers, ()) = FakeCli::play(
        machine.options().resume(SESSION),
        async |client| {
            let again = client.send(prompt()).await?.text().await?;
            let new = client.send("And now?").await?.text().await?;
            Ok([again, new])
        },
        async |cli| {
            assert_eq!(cli.expect_prompt().await.text(), "And now?");
            cli.turn("The second answer.").await;
        },
    )
    .await;
    assert_eq!(answers, ["The first answer.", "The second answer."]);
}

/// An answer from the store ends the run of its query before the CLI is ready.
#[tokio::test(start_paused = true)]
async fn stored_result_waits_for_a_cli_that_starts_slower_than_the_grace_period() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    for again in [false, true] {
        let (answer, ()) = FakeCli::play_with(
            async |transport| {
                let prompt = inhouse::message::Prompt::from("Hello").uuid(OTHER);
                let options = machine.options().resume(SESSION);
                let options = options.connect_timeout(Duration::from_secs(120));
                let query = query(prompt).options(options).transport(transport);
                query.await?.text().await
            },
            async |mut cli| {
                let initialize = cli.expect_request("initialize").await;
                let terminated = timeout(Duration::from_secs(60), cli.expect_terminate()).await;
                assert!(terminated.is_err(), "the CLI was starting");
                initialize.succeed_empty().await;
                if !again {
                    cli.expect_prompt().await;
                    cli.turn("Continued.").await;
                }
                cli.expect_end_of_input().await;
            },
        )
        .await;
        assert_eq!(answer, "Continued.");
    }
}

#[tokio::test(start_paused = true)]
async fn query_continues_a_turn_that_was_cut_off() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    for again in [false, true] {
        let (answer, ()) = FakeCli::play_with(
            async |transport| {
                let prompt = inhouse::message::Prompt::from("Hello").uuid(OTHER);
                let options = machine.options().resume(SESSION);
                let query = query(prompt).options(options).transport(transport);
                query.await?.text().await
            },
            async |mut cli| {
                cli.accept().await;
                // The CLI would ignore this variable after a turn that it takes for complete.
                let flag = cli.launched().env("CLAUDE_CODE_RESUME_INTERRUPTED_TURN");
                assert_eq!(flag, None);
                if !again {
                    let sent = cli.expect_prompt().await;
                    assert!(sent.text().contains("Continue"), "{}", sent.text());
                    cli.turn("Continued.").await;
                }
                cli.expect_end_of_input().await;
            },
        )
        .await;
        assert_eq!(answer, "Continued.");
    }
}

/// Runs a prompt whose turn ends because a call was deferred.
async fn defer(machine: &Machine, prompt: impl Fn() -> inhouse::message::Prompt) {
    FakeCli::play_with(
        async |transport| {
            let options = machine.options().session_id(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.finish().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            let call = json!({
                "type": "assistant", "uuid": THIRD, "parentUuid": OTHER,
                "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1"}]},
            });
            let entries = [&*user(OTHER, "Hello"), &*call.to_string()];
            crate::mirror::mirror(&mut cli, SESSION, &entries).await;
            cli.send(json!({
                "type": "result", "subtype": "success", "is_error": false, "result": "",
                "session_id": SESSION, "user_message_uuid": OTHER, "terminal_reason": "tool_deferred",
                "deferred_tool_use": {"id": "toolu_1", "name": "Bash", "input": {}},
            }))
            .await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn prompt_whose_call_was_deferred_is_continued_and_then_answered() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    defer(machine, prompt).await;
    for again in [false, true] {
        let (answer, ()) = FakeCli::play_with(
            async |transport| {
                let options = machine.options().resume(SESSION);
                let query = query(prompt()).options(options).transport(transport);
                query.await?.text().await
            },
            async |mut cli| {
                let initialize = cli.expect_request("initialize").await;
                if !again {
                    // The CLI makes the call when it starts, and may be faster than the handshake.
                    cli.turn("Called.").await;
                }
                initialize.succeed_empty().await;
                cli.expect_end_of_input().await;
            },
        )
        .await;
        assert_eq!(answer, "Called.");
    }
}

/// The host died after the CLI had made the call that was deferred, so the CLI does not continue the turn by itself.
#[tokio::test(start_paused = true)]
async fn turn_that_was_cut_off_behind_its_deferred_call_is_continued_once() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    defer(machine, prompt).await;
    let result = json!({
        "type": "user", "uuid": "6c5f0f3a-0f7e-4c1e-8a3e-52b7d0a1c9f4", "parentUuid": THIRD,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1"}]},
    });
    machine.keep(SESSION, None, &[result.to_string()]).await;
    for again in [false, true] {
        let (answer, ()) = FakeCli::play_with(
            async |transport| {
                let options = machine.options().resume(SESSION);
                let query = query(prompt()).options(options).transport(transport);
                query.await?.text().await
            },
            async |mut cli| {
                cli.accept().await;
                if !again {
                    let sent = cli.expect_prompt().await;
                    assert!(sent.text().contains("Continue"), "{}", sent.text());
                    cli.turn("Continued.").await;
                }
                cli.expect_end_of_input().await;
            },
        )
        .await;
        assert_eq!(answer, "Continued.");
    }
}

#[tokio::test(start_paused = true)]
async fn client_continues_a_turn_that_was_cut_off_with_a_prompt_of_its_own() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    let (answer, ()) = FakeCli::play(
        machine.options().resume(SESSION),
        async |client| client.send(prompt()).await?.text().await,
        async |cli| {
            let sent = cli.expect_prompt().await;
            assert!(sent.text().contains("Continue"), "{}", sent.text());
            assert_ne!(sent.uuid(), Some(OTHER));
            cli.turn("Continued.").await;
        },
    )
    .await;
    assert_eq!(answer, "Continued.");
    let (answer, ()) = FakeCli::play(
        machine.options().resume(SESSION),
        async |client| client.send(prompt()).await?.text().await,
        async |_| (),
    )
    .await;
    assert_eq!(answer, "Continued.");
}

const THIRD: &str = "3d1b2f0c-5a57-4d65-8a55-6f4f0c8f7a21";

#[tokio::test(start_paused = true)]
async fn continued_prompt_is_not_answered_by_the_result_of_another() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    FakeCli::play(
        machine.options().resume(SESSION),
        async |client| {
            let new = inhouse::message::Prompt::from("And now?").uuid(THIRD);
            client.control().send(new).await?;
            let again = client.send(prompt()).await?;
            assert_eq!(again.text().await?, "Continued.");
            Ok(())
        },
        async |cli| {
            let new = cli.expect_prompt().await;
            let again = cli.expect_prompt().await;
            for (prompt, text) in [(&new, "New."), (&again, "Continued.")] {
                let entry = user(prompt.uuid().unwrap(), &prompt.text());
                crate::mirror::mirror(cli, SESSION, &[&entry]).await;
                cli.turn(text).await;
            }
        },
    )
    .await;
    let (answers, ()) = FakeCli::play(
        machine.options().resume(SESSION),
        async |client| {
            let new = inhouse::message::Prompt::from("And now?").uuid(THIRD);
            let new = client.send(new).await?.text().await?;
            Ok([new, client.send(prompt()).await?.text().await?])
        },
        async |_| (),
    )
    .await;
    assert_eq!(answers, ["New.", "Continued."]);
}

/// CLI 2.1.197 does not name the prompts that a result answers.
#[tokio::test(start_paused = true)]
async fn prompt_without_a_turn_does_not_take_the_result_of_the_next_one() {
    let machine = &Machine::new();
    let silent = || {
        let prompt = inhouse::message::Prompt::from("Note this.").uuid(THIRD);
        prompt.should_query(false)
    };
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| {
            client.control().send(silent()).await?;
            client.send(prompt()).await?.finish().await
        },
        async |cli| {
            for _ in 0..2 {
                let sent = cli.expect_prompt().await;
                let entry = user(sent.uuid().unwrap(), &sent.text());
                crate::mirror::mirror(cli, SESSION, &[&entry]).await;
            }
            cli.state("running").await;
            cli.send(json!({
                "type": "result", "subtype": "success", "is_error": false, "result": "Hello.",
                "session_id": SESSION,
            }))
            .await;
            cli.state("idle").await;
        },
    )
    .await;
    let results = machine.session(SESSION).stream("results").unwrap();
    let results = stored(&machine.store, &results).await;
    assert_eq!(results.len(), 1);
    assert!(results[0].contains(OTHER), "{}", results[0]);
    assert!(!results[0].contains(THIRD), "{}", results[0]);
}

#[tokio::test(start_paused = true)]
async fn prompt_that_is_sent_twice_in_one_session_is_answered_once() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    let (answers, ()) = FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| {
            let control = client.control().clone();
            let first = client.send(prompt()).await?;
            let error = failed(control.send(prompt()).await);
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains("no result yet"), "{error}");
            let first = first.text().await?;
            let second = client.send(prompt()).await?.text().await?;
            Ok([first, second])
        },
        async |cli| {
            cli.expect_prompt().await;
            idle().await;
            crate::mirror::mirror(cli, SESSION, &[&user(OTHER, "Hello")]).await;
            cli.turn("The answer.").await;
        },
    )
    .await;
    assert_eq!(answers, ["The answer.", "The answer."]);
}

/// A host stores the result of a turn but not its transcript, loses the session, and a third host resumes it.
#[tokio::test(start_paused = true)]
async fn result_without_its_transcript_does_not_count_after_a_new_owner() {
    for new_entries in [0, 1, 3] {
        let machine = &Machine::new();
        machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
        let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
        let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
        let (transport, mut cli) = FakeCli::new();
        let options = machine
            .options()
            .resume(SESSION)
            .store_flush(StoreFlush::EndOfTurn);
        let host = async {
            let query = query(prompt()).options(options).transport(transport);
            query.await?.text().await
        };
        let cli = async move {
            cli.accept().await;
            // The append of the transcript, which is the first of the two.
            machine.store.faults().next(StoreCall::Append, Fault::Hang);
            let entry = json!({"type": "assistant", "uuid": "lost"});
            let frame =
                json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]});
            cli.send(frame).await;
            cli.state("running").await;
            cli.result("Lost.").await;
            idle().await;
            let results = machine.session(SESSION).stream("results").unwrap();
            assert_eq!(stored(machine.store.inner(), &results).await.len(), 1);
            let entries: Vec<String> = (0..new_entries)
                .map(|number| json!({"type": "x", "uuid": number.to_string()}).to_string())
                .collect();
            machine.keep(SESSION, None, &entries).await;
            cli.expect_kill().await;
        };
        let (outcome, ()) = join(host, cli).await;
        assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);

        let (answer, ()) = FakeCli::play_with(
            async |transport| {
                let options = machine.options().resume(SESSION);
                let query = query(prompt()).options(options).transport(transport);
                query.await?.text().await
            },
            async |mut cli| {
                cli.accept().await;
                let sent = cli.expect_prompt().await;
                assert!(sent.text().contains("Continue"), "{}", sent.text());
                cli.turn("Continued.").await;
            },
        )
        .await;
        assert_eq!(answer, "Continued.");
    }
}

/// A host stores the result of the first turn of a session but nothing of its transcript, and a second host begins the session again.
#[tokio::test(start_paused = true)]
async fn session_with_a_result_but_no_transcript_is_begun_again() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    let options = || {
        let options = machine.options().session_id(SESSION);
        options.store_flush(StoreFlush::EndOfTurn)
    };
    let results = machine.session(SESSION).stream("results").unwrap();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let query = query(prompt()).options(options()).transport(transport);
        query.await?.text().await
    };
    let cli = async {
        cli.accept().await;
        cli.expect_prompt().await;
        // The append of the transcript, which is the first of the two.
        machine.store.faults().next(StoreCall::Append, Fault::Hang);
        crate::mirror::mirror(&mut cli, SESSION, &[&user(OTHER, "Hello")]).await;
        cli.state("running").await;
        cli.result("Lost.").await;
        idle().await;
        assert_eq!(stored(machine.store.inner(), &results).await.len(), 1);
        // Fences the host.
        machine.keep(SESSION, None, &[]).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
    let main = machine.session(SESSION).main();
    assert!(stored(&machine.store, &main).await.is_empty());

    let (answer, ()) = FakeCli::play_with(
        async |transport| {
            let query = query(prompt()).options(options()).transport(transport);
            query.await?.text().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            crate::mirror::mirror(&mut cli, SESSION, &[&user(OTHER, "Hello")]).await;
            cli.turn("Answered.").await;
        },
    )
    .await;
    assert_eq!(answer, "Answered.");
    assert_eq!(stored(&machine.store, &main).await.len(), 1);
    assert_eq!(stored(&machine.store, &results).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn stored_results_are_read_again_after_errors() {
    let machine = &Machine::new();
    let prompt = || inhouse::message::Prompt::from("Hello").uuid(OTHER);
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send(prompt()).await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            crate::mirror::mirror(cli, SESSION, &[&user(OTHER, "Hello")]).await;
            cli.turn("The answer.").await;
        },
    )
    .await;

    let fail_every_other_call = || {
        for call in [StoreCall::Load, StoreCall::List] {
            for fault in [Fault::Fail, Fault::None].repeat(5) {
                machine.store.faults().next(call, fault);
            }
        }
    };
    fail_every_other_call();
    let session = machine.session(SESSION);
    let results = inhouse::sessions::recent_results(&machine.store, &session, 1).await;
    assert_eq!(results.unwrap()[0].prompts, [OTHER]);

    machine.store.faults().clear();
    fail_every_other_call();
    let (answer, ()) = FakeCli::play_with(
        async |transport| {
            let options = machine.options().resume(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.text().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(answer, "The answer.");
}
