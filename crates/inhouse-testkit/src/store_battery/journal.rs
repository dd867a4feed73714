//! Contracts of the journal.

use inhouse_store::{
    Bytes, Intent, Journal, ProjectKey, Result, SessionKey, SessionStore, StoreErrorKind,
};

use super::cancel::{MAX_AWAITS, cancelled_after, has_ended};
use super::{Battery, Hosts, kind, written};

pub(super) async fn check<S: Journal + SessionStore>(battery: &mut Battery, hosts: &Hosts<S>) {
    contracts!(battery, hosts:
        store_offers_its_journal,
        calls_are_kept_in_order,
        repeated_journal_writes_change_nothing,
        finished_call_returns_its_result,
        open_call_is_taken_over,
        result_without_an_intent_is_an_error,
        former_owner_writes_nothing,
        forgotten_calls_are_gone,
        journal_is_erased_with_its_session,
        journals_of_sessions_are_separate,
        cancelled_calls_of_the_journal_are_repeated,
    );
}

/// A host finds the journal of a store through `SessionStore::journal`.
async fn store_offers_its_journal<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    _: ProjectKey,
) -> Result<()> {
    assert!(
        hosts.first.journal().is_some(),
        "`SessionStore::journal` returns `None`"
    );
    Ok(())
}

/// An intent whose texts have NUL, a lone surrogate and invalid UTF-8.
fn intent(call: &str) -> Intent {
    let message =
        Bytes::from_static(b"{\"type\":\"assistant\",\"text\":\"\\u0000\\ud83d\0\xed\xa0\xbd\"}");
    Intent::new(
        call,
        "mcp__bank__charge",
        message,
        Bytes::from_static(b"{\"z\":1,\"a\":\"\xff\"}"),
    )
}

async fn session_in<S: SessionStore>(
    hosts: &Hosts<S>,
    project: &ProjectKey,
) -> Result<(SessionKey, inhouse_store::Epoch)> {
    written(&*hosts.first, project, "s", &["a"]).await
}

async fn calls_are_kept_in_order<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    assert_eq!(hosts.first.calls(&session).await?.len(), 0);
    for call in ["toolu_2", "toolu_1", "toolu_3"] {
        assert_eq!(
            hosts.first.intend(&session, epoch, &intent(call)).await?,
            None
        );
    }
    let result = Bytes::from_static(b"{\"content\":\"\\u0000\xff\0\"}");
    hosts
        .first
        .finish(&session, epoch, "toolu_1", result.clone())
        .await?;
    let calls = hosts.second.calls(&session).await?;
    let expected = ["toolu_2", "toolu_1", "toolu_3"].map(intent);
    assert!(
        calls.iter().map(|call| &call.intent).eq(&expected),
        "{calls:?}"
    );
    assert!(calls.iter().all(|call| call.epoch == epoch));
    let results: Vec<_> = calls.iter().map(|call| call.result.clone()).collect();
    assert_eq!(results, [None, Some(result), None]);
    assert!(calls[0].is_open() && !calls[1].is_open());
    Ok(())
}

async fn repeated_journal_writes_change_nothing<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    for store in [&hosts.first, &hosts.second] {
        assert_eq!(
            store.intend(&session, epoch, &intent("toolu_1")).await?,
            None
        );
    }
    for (store, result) in [(&hosts.first, "first"), (&hosts.second, "second")] {
        store
            .finish(&session, epoch, "toolu_1", Bytes::from(result))
            .await?;
    }
    let calls = hosts.first.calls(&session).await?;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].result, Some("first".into()));
    Ok(())
}

async fn finished_call_returns_its_result<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    hosts
        .first
        .intend(&session, epoch, &intent("toolu_1"))
        .await?;
    hosts
        .first
        .finish(&session, epoch, "toolu_1", Bytes::from("done"))
        .await?;
    let epoch = hosts.second.fence(&session, None).await?;
    let again = hosts
        .second
        .intend(&session, epoch, &intent("toolu_1"))
        .await?;
    assert_eq!(again, Some("done".into()));
    let calls = hosts.second.calls(&session).await?;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].result, Some("done".into()));
    Ok(())
}

async fn open_call_is_taken_over<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, old) = session_in(hosts, &project).await?;
    hosts
        .first
        .intend(&session, old, &intent("toolu_1"))
        .await?;
    hosts
        .first
        .intend(&session, old, &intent("toolu_2"))
        .await?;
    let new = hosts.second.fence(&session, None).await?;
    assert_eq!(
        hosts
            .second
            .intend(&session, new, &intent("toolu_1"))
            .await?,
        None
    );
    // A new owner also records what it finds out about a call of the former one.
    hosts
        .second
        .finish(&session, new, "toolu_2", Bytes::from("unknown"))
        .await?;
    let calls = hosts.first.calls(&session).await?;
    let calls: Vec<_> = calls
        .iter()
        .map(|call| (call.epoch, call.is_open()))
        .collect();
    assert_eq!(calls, [(new, true), (old, false)]);
    Ok(())
}

async fn result_without_an_intent_is_an_error<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    let result = hosts
        .first
        .finish(&session, epoch, "toolu_1", Bytes::from("x"))
        .await;
    assert_eq!(kind(result), StoreErrorKind::NotFound);
    assert_eq!(hosts.first.calls(&session).await?.len(), 0);
    Ok(())
}

async fn former_owner_writes_nothing<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, old) = session_in(hosts, &project).await?;
    hosts
        .first
        .intend(&session, old, &intent("toolu_1"))
        .await?;
    hosts.second.fence(&session, None).await?;
    for call in ["toolu_1", "toolu_2"] {
        let late = hosts.first.intend(&session, old, &intent(call)).await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
        let late = hosts
            .first
            .finish(&session, old, call, Bytes::from("x"))
            .await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
        let late = hosts.first.forget(&session, old, &[call.to_owned()]).await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
    }
    let calls = hosts.second.calls(&session).await?;
    assert_eq!(calls.len(), 1);
    assert!(calls[0].is_open());
    Ok(())
}

async fn forgotten_calls_are_gone<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    for call in ["toolu_1", "toolu_2", "toolu_3"] {
        hosts.first.intend(&session, epoch, &intent(call)).await?;
    }
    let result = Bytes::from("x");
    hosts
        .first
        .finish(&session, epoch, "toolu_1", result)
        .await?;
    let forgotten = ["toolu_1", "toolu_3", "toolu_9"].map(str::to_owned);
    for _ in 0..2 {
        hosts.first.forget(&session, epoch, &forgotten).await?;
        hosts.first.forget(&session, epoch, &[]).await?;
        let calls = hosts.second.calls(&session).await?;
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].intent.call, "toolu_2");
    }
    let intent = intent("toolu_1");
    let again = hosts.first.intend(&session, epoch, &intent).await?;
    assert_eq!(again, None, "a forgotten call is a new one");
    Ok(())
}

async fn journal_is_erased_with_its_session<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    hosts
        .first
        .intend(&session, epoch, &intent("toolu_1"))
        .await?;
    hosts.second.erase(&session.clone().into()).await?;
    assert_eq!(hosts.first.calls(&session).await?.len(), 0);
    let late = hosts
        .first
        .finish(&session, epoch, "toolu_1", Bytes::from("x"))
        .await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    Ok(())
}

async fn journals_of_sessions_are_separate<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (one, epoch) = session_in(hosts, &project).await?;
    let (two, other_epoch) = written(&*hosts.first, &project, "two", &["a"]).await?;
    hosts.first.intend(&one, epoch, &intent("toolu_1")).await?;
    hosts
        .first
        .intend(&two, other_epoch, &intent("toolu_1"))
        .await?;
    hosts
        .first
        .finish(&two, other_epoch, "toolu_1", Bytes::from("x"))
        .await?;
    assert!(hosts.first.calls(&one).await?[0].is_open());
    assert_eq!(
        hosts
            .first
            .calls(&super::session(&project, "unknown"))
            .await?
            .len(),
        0
    );
    Ok(())
}

async fn cancelled_calls_of_the_journal_are_repeated<S: Journal + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = session_in(hosts, &project).await?;
    let (store, result) = (&*hosts.first, Bytes::from("x"));
    for awaits in 0..MAX_AWAITS {
        let intent = intent(&format!("toolu_{awaits}"));
        let call = &intent.call;
        let intended = cancelled_after(awaits, store.intend(&session, epoch, &intent)).await;
        assert_eq!(store.intend(&session, epoch, &intent).await?, None);

        let finish = || store.finish(&session, epoch, call, result.clone());
        let finished = has_ended(awaits, finish()).await?;
        finish().await?;
        let intended_again = store.intend(&session, epoch, &intent).await?;
        assert_eq!(intended_again, Some(result.clone()));

        let read = has_ended(awaits, store.calls(&session)).await?;
        let calls = store.calls(&session).await?;
        let calls: Vec<_> = calls.iter().map(|call| &call.intent.call).collect();
        assert_eq!(calls, [call]);

        let forget = [call.clone()];
        let forgotten = has_ended(awaits, store.forget(&session, epoch, &forget)).await?;
        store.forget(&session, epoch, &forget).await?;
        assert_eq!(store.calls(&session).await?.len(), 0);
        if intended.transpose()?.is_some() && finished && read && forgotten {
            return Ok(());
        }
    }
    panic!("the calls did not end after {MAX_AWAITS} awaits");
}
