//! Contracts of leases.

use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use inhouse_store::{Leases, ProjectKey, Result, SessionStore, StoreErrorKind};

use super::cancel::{MAX_AWAITS, cancelled_after};
use super::{Battery, Hosts, append, erase_idle, kind, session};

const HOUR: Duration = Duration::from_secs(3600);

pub(super) async fn check<S: Leases + SessionStore>(battery: &mut Battery, hosts: &Hosts<S>) {
    contracts!(battery, hosts:
        store_offers_its_leases,
        lease_is_exclusive,
        lease_that_ran_out_is_taken_over,
        released_lease_is_free,
        owner_takes_over_from_itself,
        lost_lease_cannot_be_renewed,
        acquisition_fences_appends,
        fence_ends_a_lease,
        one_of_many_acquisitions_wins,
        leased_session_is_not_idle,
        session_that_is_leased_before_its_turn_is_not_idle,
        cancelled_acquisition_is_repeated,
        cancelled_renewal_keeps_the_lease,
        cancelled_release_is_repeated,
    );
}

/// `inhouse` takes no lease with a store that does not offer them.
async fn store_offers_its_leases<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    _: ProjectKey,
) -> Result<()> {
    assert!(
        hosts.first.leases().is_some(),
        "`SessionStore::leases` returns `None`"
    );
    Ok(())
}

async fn lease_is_exclusive<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    assert_eq!(hosts.first.holder(&session).await?, None);
    let lease = hosts.first.acquire(&session, "one", HOUR).await?;
    assert_eq!((&lease.session, lease.owner.as_str()), (&session, "one"));
    // The store's clock may differ from this one, but not by a quarter of an hour.
    assert!(lease.until > SystemTime::now() + HOUR / 4 * 3);
    let second = hosts.second.acquire(&session, "two", HOUR).await;
    assert_eq!(kind(second), StoreErrorKind::Held);
    assert_eq!(hosts.second.holder(&session).await?, Some(lease.clone()));

    let renewed = hosts.first.renew(&lease, 2 * HOUR).await?;
    assert_eq!((renewed.epoch, &renewed.owner), (lease.epoch, &lease.owner));
    assert!(renewed.until > lease.until);
    let other = super::session(&project, "other");
    hosts.second.acquire(&other, "two", HOUR).await?;
    Ok(())
}

async fn lease_that_ran_out_is_taken_over<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let first = hosts.first.acquire(&session, "one", Duration::ZERO).await?;
    // Not taken over yet: writes and a renewal still succeed.
    append(&*hosts.first, &session.main(), first.epoch, 0, &["a"]).await?;
    hosts.first.renew(&first, Duration::ZERO).await?;
    let second = hosts.second.acquire(&session, "two", HOUR).await?;
    assert!(second.epoch > first.epoch);
    let late = append(&*hosts.first, &session.main(), first.epoch, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    Ok(())
}

async fn released_lease_is_free<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let first = hosts.first.acquire(&session, "one", HOUR).await?;
    hosts.first.release(&first).await?;
    assert_eq!(hosts.second.holder(&session).await?, None);
    assert_eq!(
        kind(hosts.first.renew(&first, HOUR).await),
        StoreErrorKind::Fenced
    );
    let second = hosts.second.acquire(&session, "two", HOUR).await?;
    assert!(second.epoch > first.epoch);
    // A release that comes late does not end the lease of the next owner.
    hosts.first.release(&first).await?;
    assert_eq!(hosts.first.holder(&session).await?, Some(second));
    Ok(())
}

async fn owner_takes_over_from_itself<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let first = hosts.first.acquire(&session, "one", HOUR).await?;
    let again = hosts.second.acquire(&session, "one", HOUR).await?;
    assert!(again.epoch > first.epoch);
    assert_eq!(
        kind(hosts.first.renew(&first, HOUR).await),
        StoreErrorKind::Fenced
    );
    hosts.second.renew(&again, HOUR).await?;
    Ok(())
}

async fn lost_lease_cannot_be_renewed<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let first = hosts.first.acquire(&session, "one", Duration::ZERO).await?;
    hosts
        .second
        .acquire(&session, "two", Duration::ZERO)
        .await?;
    assert_eq!(
        kind(hosts.first.renew(&first, HOUR).await),
        StoreErrorKind::Fenced
    );
    hosts.first.erase(&session.into()).await?;
    assert_eq!(
        kind(hosts.first.renew(&first, HOUR).await),
        StoreErrorKind::Fenced
    );
    hosts.first.release(&first).await
}

async fn acquisition_fences_appends<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let old = hosts.first.fence(&session, None).await?;
    append(&*hosts.first, &session.main(), old, 0, &["a"]).await?;
    let lease = hosts.second.acquire(&session, "two", HOUR).await?;
    assert!(lease.epoch > old);
    let late = append(&*hosts.first, &session.main(), old, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    assert_eq!(
        hosts.second.fence(&session, Some(lease.epoch)).await?,
        lease.epoch
    );
    assert_eq!(hosts.second.holder(&session).await?.as_ref(), Some(&lease));
    append(&*hosts.second, &session.main(), lease.epoch, 1, &["c"]).await?;
    assert_eq!(hosts.first.read(&session.main()).await?, ["a", "c"]);
    Ok(())
}

async fn fence_ends_a_lease<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let lease = hosts.first.acquire(&session, "one", HOUR).await?;
    assert!(hosts.second.fence(&session, None).await? > lease.epoch);
    assert_eq!(
        kind(hosts.first.renew(&lease, HOUR).await),
        StoreErrorKind::Fenced
    );
    assert_eq!(hosts.second.holder(&session).await?, None);
    Ok(())
}

async fn one_of_many_acquisitions_wins<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let acquire = async |number: usize| {
        let store = if number.is_multiple_of(2) {
            &hosts.first
        } else {
            &hosts.second
        };
        store
            .acquire(&session, &format!("owner {number}"), HOUR)
            .await
    };
    let mut winners = Vec::new();
    for outcome in join_all((0..10).map(acquire)).await {
        match outcome {
            Ok(lease) => winners.push(lease),
            Err(error) => assert_eq!(error.kind(), StoreErrorKind::Held, "{error}"),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(
        hosts.first.holder(&session).await?.as_ref(),
        winners.first()
    );
    Ok(())
}

async fn leased_session_is_not_idle<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let lease = hosts.first.acquire(&session, "one", HOUR).await?;
    append(&*hosts.first, &session.main(), lease.epoch, 0, &["a"]).await?;
    let erase = async || erase_idle(&*hosts.first, Duration::ZERO, &project).await;
    assert_eq!(erase().await?, []);
    hosts.first.release(&lease).await?;
    assert_eq!(erase().await?, [session]);
    Ok(())
}

async fn session_that_is_leased_before_its_turn_is_not_idle<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let sessions = ["one", "two", "three"].map(|name| session(&project, name));
    for session in &sessions {
        hosts.second.fence(session, None).await?;
    }
    let mut erasure = hosts.first.erase_idle(Duration::ZERO, Some(&project));
    let mut erased: Vec<_> = erasure.try_next().await?.into_iter().collect();
    let mut leases = Vec::new();
    for session in sessions {
        leases.push(hosts.second.acquire(&session, "one", HOUR).await?);
    }
    erased.extend(erasure.try_collect::<Vec<_>>().await?);
    assert_eq!(erased.len(), 1, "{erased:?}");
    for lease in leases {
        hosts.second.renew(&lease, HOUR).await?;
    }
    Ok(())
}

async fn cancelled_acquisition_is_repeated<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    for awaits in 0..MAX_AWAITS {
        let acquire = hosts.first.acquire(&session, "one", HOUR);
        let outcome = cancelled_after(awaits, acquire).await;
        let lease = hosts.first.acquire(&session, "one", HOUR).await?;
        // Also if the call that was dropped takes effect only now.
        let lease = hosts.first.renew(&lease, HOUR).await?;
        append(&*hosts.first, &session.main(), lease.epoch, 0, &[]).await?;
        hosts.first.release(&lease).await?;
        let other = hosts.second.acquire(&session, "two", HOUR).await?;
        hosts.second.renew(&other, HOUR).await?;
        hosts.second.release(&other).await?;
        if outcome.transpose()?.is_some() {
            return Ok(());
        }
    }
    panic!("the acquisition did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_renewal_keeps_the_lease<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let lease = hosts.first.acquire(&session, "one", HOUR).await?;
    for awaits in 0..MAX_AWAITS {
        let renewal = cancelled_after(awaits, hosts.first.renew(&lease, 2 * HOUR)).await;
        let holder = cancelled_after(awaits, hosts.first.holder(&session)).await;
        let renewed = hosts.first.renew(&lease, HOUR).await?;
        assert_eq!(renewed.epoch, lease.epoch);
        let held = hosts.second.holder(&session).await?;
        assert_eq!(held.map(|lease| lease.epoch), Some(lease.epoch));
        if renewal.transpose()?.is_some() && holder.transpose()?.is_some() {
            return Ok(());
        }
    }
    panic!("the renewal did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_release_is_repeated<S: Leases + SessionStore>(
    hosts: &Hosts<S>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    for awaits in 0..MAX_AWAITS {
        let lease = hosts.first.acquire(&session, "one", HOUR).await?;
        let outcome = cancelled_after(awaits, hosts.first.release(&lease)).await;
        hosts.first.release(&lease).await?;
        // A release that comes late does not end the lease of the next owner.
        let next = hosts.second.acquire(&session, "two", HOUR).await?;
        let next = hosts.second.renew(&next, HOUR).await?;
        hosts.second.release(&next).await?;
        if outcome.transpose()?.is_some() {
            return Ok(());
        }
    }
    panic!("the release did not end after {MAX_AWAITS} awaits");
}
