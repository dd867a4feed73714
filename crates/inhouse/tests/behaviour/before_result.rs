//! The step of the caller before a result is stored.

use std::sync::{Arc, Mutex};

use inhouse::message::Prompt;
use inhouse::sessions::{recent_results, recover};
use inhouse::{ErrorKind, HandlerError, Options, query};
use inhouse_store::SessionStore as _;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use serde_json::{Value, json};

use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{failed, idle};

fn prompt() -> Prompt {
    Prompt::from("Hello").uuid(OTHER)
}

async fn mirror_prompt(cli: &mut FakeCli, machine: &Machine) {
    let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
    let entry: Value = serde_json::from_str(&user(OTHER, "Hello")).unwrap();
    cli.send(json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]}))
        .await;
}

#[tokio::test(start_paused = true)]
async fn step_runs_between_the_transcript_and_its_result() {
    let machine = &Machine::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (store, session, noted) = (
        machine.store.inner().clone(),
        machine.session(SESSION),
        Arc::clone(&seen),
    );
    let options = machine.options().session_id(SESSION);
    let options = options.before_result(async move || {
        let entries = store.end(&session.main()).await?.get();
        let results = recent_results(&store, &session, 1).await?.len();
        noted.lock().unwrap().push((entries, results));
        Ok(())
    });
    FakeCli::play_with(
        async |transport| {
            let query = query(prompt()).options(options).transport(transport);
            query.await?.finish().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            mirror_prompt(&mut cli, machine).await;
            cli.turn("42").await;
        },
    )
    .await;
    assert_eq!(*seen.lock().unwrap(), [(1, 0)]);
    let session = machine.session(SESSION);
    let results = recent_results(machine.store.inner(), &session, 1)
        .await
        .unwrap();
    assert_eq!(results[0].prompts, [OTHER]);
    assert_eq!(results[0].result.result.as_deref(), Some("42"));
}

#[tokio::test(start_paused = true)]
async fn result_does_not_count_without_the_step() {
    for panics in [false, true] {
        let machine = &Machine::new();
        let (transport, mut cli) = FakeCli::new();
        let options: Options = machine.options().session_id(SESSION);
        let options = options.before_result(async move || {
            assert!(!panics, "no disk");
            Err(HandlerError::new("the disk is full"))
        });
        let host = async {
            let query = query(prompt()).options(options).transport(transport);
            query.await?.text().await
        };
        let (outcome, ()) = join(host, async {
            cli.accept().await;
            cli.expect_prompt().await;
            mirror_prompt(&mut cli, machine).await;
            cli.turn("42").await;
            cli.expect_kill().await;
        })
        .await;
        let error = failed(outcome);
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.to_string().contains("`before_result`"), "{error}");
        assert!(machine.is_empty(), "nothing is left to recover");
        let session = machine.session(SESSION);
        let results = recent_results(machine.store.inner(), &session, 1).await;
        assert!(results.unwrap().is_empty());

        // The turn counts as cut off.
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

/// The turn ends while the store is down, so its result waits behind an append that is being repeated.
#[tokio::test(start_paused = true)]
async fn result_is_not_recovered_without_the_step() {
    let machine = &Machine::new();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let options = options.before_result(async || panic!("the transcript is not stored"));
    let host = async {
        let query = query(prompt()).options(options).transport(transport);
        query.await?.text().await
    };
    let faults = machine.store.faults();
    let (outcome, ()) = join(host, async {
        cli.accept().await;
        cli.expect_prompt().await;
        faults.always(StoreCall::Append, Fault::Fail);
        mirror_prompt(&mut cli, machine).await;
        idle().await;
        cli.state("running").await;
        cli.result("42").await;
        cli.expect_kill().await;
    })
    .await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Store);
    faults.clear();

    let recovered = recover(machine.directory(SESSION), &machine.store).await;
    assert_eq!(recovered.unwrap(), 1, "the prompt");
    let session = machine.session(SESSION);
    let results = recent_results(machine.store.inner(), &session, 1).await;
    assert!(results.unwrap().is_empty());
}
