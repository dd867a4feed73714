//! A host holds the lease of a session as long as its CLI runs, and ends the CLI when it loses the lease.

use inhouse::{Client, ErrorKind};
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
    assert!(error.to_string().contains("ends in 40 s"), "{error}");
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
