//! A host holds the lease of a session as long as its CLI runs, and ends the CLI when it loses the lease.

use inhouse::sessions::SessionLease;
use inhouse::{Client, ErrorKind, ExitStatus, query};
use inhouse_store::{Leases as _, SessionStore as _};
use inhouse_testkit::FakeCli;
use inhouse_testkit::faulty_store::{Fault, StoreCall};

use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{failed, pass, seconds};

#[tokio::test(start_paused = true)]
async fn lease_is_renewed_and_released() {
    let machine = &Machine::new();
    let session = machine.session(SESSION);
    let store = machine.store.inner();
    FakeCli::play(
        machine.options().session_id(SESSION).lease_ttl(seconds(30)),
        async |client| {
            let first = store.holder(&session).await.unwrap().unwrap();
            machine.store.faults().next(StoreCall::Renew, Fault::Fail);
            pass(seconds(25)).await;
            let renewed = store.holder(&session).await.unwrap().unwrap();
            assert_eq!(renewed.epoch, first.epoch);
            assert_eq!(machine.store.faults().calls(StoreCall::Renew), 3);
            client.send("Hello").await?.finish().await
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert_eq!(store.holder(&session).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn renewal_that_hangs_is_repeated() {
    let machine = &Machine::new();
    FakeCli::play(
        machine.options().session_id(SESSION).lease_ttl(seconds(30)),
        async |client| {
            machine.store.faults().next(StoreCall::Renew, Fault::Hang);
            pass(seconds(45)).await;
            client.send("Hello").await?.finish().await
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.turn("Hello.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn lease_is_renewed_while_the_session_is_loaded() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let slow = Fault::Delay(seconds(40));
    machine.store.faults().next(StoreCall::Load, slow);
    FakeCli::play(
        machine.options().resume(SESSION).lease_ttl(seconds(30)),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert!(machine.store.faults().calls(StoreCall::Renew) >= 3);
}

#[tokio::test(start_paused = true)]
async fn session_with_a_lease_of_another_host_is_refused() {
    let machine = Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let session = machine.session(SESSION);
    let lease = machine.store.acquire(&session, "other", seconds(40));
    lease.await.unwrap();
    let (transport, _cli) = FakeCli::new();
    let options = machine.options().resume(SESSION);
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Held);
    // The end of a lease is a time of the system's clock, which runs on.
    let mut left = 30..=40;
    assert!(
        left.any(|left| error.to_string().contains(&format!("ends in {left} s"))),
        "{error}"
    );
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn lost_lease_kills_the_cli_and_delivers_no_result() {
    for is_unavailable in [false, true] {
        let machine = &Machine::new();
        let (transport, mut cli) = FakeCli::new();
        let options = machine.options().session_id(SESSION);
        let host = async {
            let mut client = Client::connect_with(options, transport).await?;
            client.send("Hello").await?.finish().await
        };
        let cli = async move {
            cli.accept().await;
            cli.expect_prompt().await;
            cli.state("running").await;
            match is_unavailable {
                true => drop(machine.store.faults().always(StoreCall::Renew, Fault::Hang)),
                false => {
                    let session = machine.session(SESSION);
                    machine.store.fence(&session, None).await.unwrap();
                }
            }
            cli.expect_kill().await;
        };
        let start = tokio::time::Instant::now();
        let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
        let error = failed(outcome);
        assert_eq!(error.kind(), ErrorKind::Fenced);
        let limit = if is_unavailable { 30 } else { 10 };
        assert!(start.elapsed() <= seconds(limit + 1));
    }
}

#[tokio::test(start_paused = true)]
async fn outage_of_the_whole_store_names_the_directory_with_the_entries() {
    let machine = &Machine::new();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        for call in [StoreCall::Append, StoreCall::Renew, StoreCall::Release] {
            machine.store.faults().always(call, Fault::Hang);
        }
        crate::mirror::mirror(&mut cli, SESSION, &[&crate::mirror::entry(0)]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Store);
    assert!(error.to_string().contains("`sessions::recover`"), "{error}");
    assert!(
        error.result().is_none(),
        "another host may have the session"
    );
}

/// The acknowledgement of the store is there when a host continues that was stopped for longer than its lease.
#[tokio::test(start_paused = true)]
async fn result_is_not_delivered_after_the_end_of_the_lease() {
    let machine = &Machine::new();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        let slow = Fault::Delay(seconds(5));
        machine.store.faults().always(StoreCall::Append, slow);
        crate::mirror::mirror(&mut cli, SESSION, &[&user(OTHER, "Hello")]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        cli.state("idle").await;
        crate::support::idle().await;
        tokio::time::advance(seconds(40)).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Fenced);
    assert!(error.result().is_none());
}

/// The watchdog has killed the CLI of a host that was stopped for longer than its lease; the host reads the exit first when it continues.
#[tokio::test(start_paused = true)]
async fn exit_in_a_turn_after_the_end_of_the_lease_is_its_loss() {
    let machine = &Machine::new();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        crate::support::idle().await;
        cli.exit(ExitStatus::with_signal(9));
        tokio::time::advance(seconds(40)).await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
}

#[tokio::test(start_paused = true)]
async fn session_whose_renewal_panics_loses_its_lease() {
    let machine = &Machine::new();
    machine
        .store
        .faults()
        .always(StoreCall::Renew, Fault::Panic);
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
}

#[tokio::test(start_paused = true)]
async fn session_uses_the_lease_of_its_caller_and_leaves_it() {
    let machine = &Machine::new();
    let options = machine.options().lease_ttl(seconds(30));
    let lease = &SessionLease::acquire(&options, SESSION).await.unwrap();
    assert_eq!(*lease.session(), machine.session(SESSION));
    let acquired = machine.store.faults().calls(StoreCall::Acquire);
    for (prompt, options) in [
        ("Hello", options.clone().session_id(SESSION)),
        ("And now?", options.clone().resume(SESSION)),
    ] {
        FakeCli::play_with(
            async |transport| {
                let query = query(prompt).options(options.session_lease(lease));
                query.transport(transport).await?.finish().await
            },
            async |mut cli| {
                cli.accept().await;
                cli.expect_prompt().await;
                let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
                let entry: serde_json::Value = serde_json::from_str(&user(OTHER, prompt)).unwrap();
                let frame = serde_json::json!({
                    "type": "transcript_mirror", "filePath": transcript, "entries": [entry],
                });
                cli.send(frame).await;
                cli.turn("Hello.").await;
            },
        )
        .await;
        let holder = machine.store.holder(&machine.session(SESSION)).await;
        assert_eq!(holder.unwrap().unwrap().epoch, lease.epoch());
    }
    let calls = machine.store.faults().calls(StoreCall::Acquire);
    assert_eq!(calls, acquired, "the session acquires no lease itself");
    lease.clone().release().await;
    let holder = machine.store.holder(&machine.session(SESSION)).await;
    assert_eq!(holder.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn lost_lease_of_the_caller_kills_the_cli() {
    let machine = &Machine::new();
    let options = machine.options().lease_ttl(seconds(30));
    let lease = SessionLease::acquire(&options, SESSION).await.unwrap();
    let (transport, mut cli) = FakeCli::new();
    let options = options.session_id(SESSION).session_lease(&lease);
    let host = async {
        let query = query("Hello").options(options).transport(transport);
        query.await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        let session = machine.session(SESSION);
        machine.store.fence(&session, None).await.unwrap();
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
    assert_eq!(lease.lost().await.kind(), ErrorKind::Fenced);
}

#[tokio::test(start_paused = true)]
async fn lease_of_another_session_is_refused() {
    let machine = Machine::new();
    let lease = SessionLease::acquire(&machine.options(), OTHER).await;
    let options = machine.options().session_id(SESSION);
    let options = options.session_lease(&lease.unwrap());
    let (transport, _cli) = FakeCli::new();
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("session_lease"), "{error}");
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn lease_is_released_only_when_its_session_has_ended() {
    let machine = &Machine::new();
    let lease = SessionLease::acquire(&machine.options(), SESSION).await;
    let lease = lease.unwrap();
    let (transport, mut cli) = FakeCli::new();
    cli.ignore_kill();
    let options = machine.options().session_id(SESSION);
    let options = options.session_lease(&lease);
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        client.control().send("Hello").await.unwrap();
        drop(client);
        lease.release().await;
    };
    let cli = async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.expect_kill().await;
        let holder = machine.store.holder(&machine.session(SESSION)).await;
        assert!(holder.unwrap().is_some());
    };
    inhouse_testkit::fake::join(host, cli).await;
    let holder = machine.store.holder(&machine.session(SESSION)).await;
    assert_eq!(holder.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn lease_that_is_dropped_is_released() {
    let machine = Machine::new();
    let lease = SessionLease::acquire(&machine.options(), SESSION).await;
    drop(lease.unwrap());
    pass(seconds(1)).await;
    let holder = machine.store.holder(&machine.session(SESSION)).await;
    assert_eq!(holder.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn next_owner_stores_unsent_entries_unless_the_session_continued() {
    for has_continued in [false, true] {
        let machine = &Machine::new();
        let (transport, mut cli) = FakeCli::new();
        let options = machine.options().session_id(SESSION);
        let host = async {
            let query = query("Hello").options(options).transport(transport);
            query.await?.finish().await
        };
        let cli = async move {
            cli.accept().await;
            cli.expect_prompt().await;
            machine
                .store
                .faults()
                .always(StoreCall::Append, Fault::Fail);
            let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            let entry: serde_json::Value = serde_json::from_str(&user(OTHER, "Hello")).unwrap();
            let frame = serde_json::json!({
                "type": "transcript_mirror", "filePath": transcript, "entries": [entry],
            });
            cli.send(frame).await;
            cli.expect_kill().await;
        };
        let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
        assert_eq!(failed(outcome).kind(), ErrorKind::Store);
        machine.store.faults().clear();
        if has_continued {
            machine.keep(SESSION, None, &[user(OTHER, "Another")]).await;
        }

        let lease = SessionLease::acquire(&machine.options(), SESSION).await;
        let lease = lease.unwrap();
        let recovered = lease.recover_unsent(&machine.options()).await;
        assert_eq!(recovered.unwrap(), usize::from(!has_continued));
        let again = lease.recover_unsent(&machine.options()).await;
        assert_eq!(again.unwrap(), 0);
        assert!(machine.is_empty());
        let main = machine.session(SESSION).main();
        assert_eq!(machine.store.read(&main).await.unwrap().len(), 1);
        let current = machine.store.fence(lease.session(), Some(lease.epoch()));
        assert_eq!(
            current.await.unwrap(),
            lease.epoch(),
            "the lease is not fenced"
        );
    }
}
