//! Numbers of entries and of owners: retries change nothing, gaps and former owners fail.

use inhouse_store::{
    Append, Bytes, Epoch, FilePath, Position, ProjectKey, Result, SessionStore, StoreErrorKind,
};

use super::{Battery, Hosts, append, kind, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        repeated_append_changes_nothing,
        repeated_append_adds_what_is_new,
        gap_is_an_error,
        former_owner_is_fenced,
        taken_position_is_a_conflict_for_a_new_owner,
        session_without_an_owner_is_fenced,
        epochs_grow,
        epoch_of_another_store_is_accepted,
        late_append_keeps_the_newer_summary,
    );
}

async fn repeated_append_changes_nothing(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = written(&*hosts.first, &project, "s", &["a", "b"]).await?;
    let before = hosts.first.list(&project, &Default::default()).await?;
    // The second host has the same epoch: a retry may come from another connection.
    for store in [&hosts.first, &hosts.second] {
        let end = append(&**store, &session.main(), epoch, 0, &["a", "b"]).await?;
        assert_eq!(end, Position::new(2));
        let end = append(&**store, &session.main(), epoch, 0, &["a"]).await?;
        assert_eq!(end, Position::new(2));
    }
    assert_eq!(hosts.first.read(&session.main()).await?, ["a", "b"]);
    let after = hosts.second.list(&project, &Default::default()).await?;
    assert_eq!(after, before);
    Ok(())
}

async fn repeated_append_adds_what_is_new(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = written(&*hosts.first, &project, "s", &["a", "b"]).await?;
    let end = append(&*hosts.second, &session.main(), epoch, 1, &["b", "c", "d"]).await?;
    assert_eq!(end, Position::new(4));
    assert_eq!(
        hosts.first.read(&session.main()).await?,
        ["a", "b", "c", "d"]
    );
    Ok(())
}

async fn gap_is_an_error(hosts: &Hosts<dyn SessionStore>, project: ProjectKey) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    let beyond = append(store, &session.main(), epoch, 2, &["c"]).await;
    assert_eq!(kind(beyond), StoreErrorKind::Gap);
    let beyond = append(store, &session.stream("sub")?, epoch, 1, &["b"]).await;
    assert_eq!(kind(beyond), StoreErrorKind::Gap);
    assert_eq!(store.read(&session.main()).await?, ["a"]);
    assert_eq!(store.subpaths(&session).await?.len(), 0);
    Ok(())
}

async fn former_owner_is_fenced(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let (former, owner) = (&*hosts.first, &*hosts.second);
    let (session, old) = written(former, &project, "s", &["a"]).await?;
    let sub = session.stream("subagents/agent-1")?;
    append(former, &sub, old, 0, &["x"]).await?;

    let new = owner.fence(&session, None).await?;
    let file = FilePath::new("tool-results/a.txt")?;
    for round in 0..2 {
        // At the end, at the position of an entry that it wrote, without entries, and in a stream that does not exist yet.
        for (stream, position, entries) in [
            (session.main(), 1, &["b"][..]),
            (session.main(), 0, &["a"]),
            (session.main(), 1, &[]),
            (sub.clone(), 1, &["y"]),
            (session.stream("subagents/agent-2")?, 0, &["z"]),
        ] {
            let late = append(former, &stream, old, position, entries).await;
            assert_eq!(kind(late), StoreErrorKind::Fenced, "{stream} {position}");
        }
        let late = former
            .put_file(&session, old, &file, Bytes::from("x"))
            .await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
        assert_eq!(
            kind(former.fence(&session, Some(old)).await),
            StoreErrorKind::Fenced
        );
        if round == 0 {
            append(owner, &session.main(), new, 1, &["c"]).await?;
        }
    }
    assert_eq!(former.read(&session.main()).await?, ["a", "c"]);
    assert_eq!(former.read(&sub).await?, ["x"]);
    assert_eq!(former.subpaths(&session).await?, [sub]);
    assert_eq!(former.files(&session).await?.len(), 0);
    Ok(())
}

async fn taken_position_is_a_conflict_for_a_new_owner(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let owner = &*hosts.second;
    let (session, _) = written(&*hosts.first, &project, "s", &["a", "b"]).await?;
    let epoch = owner.fence(&session, None).await?;
    for (position, entries) in [(0, &["A"][..]), (1, &["B", "C"])] {
        let taken = append(owner, &session.main(), epoch, position, entries).await;
        assert_eq!(kind(taken), StoreErrorKind::Conflict);
    }
    assert_eq!(owner.read(&session.main()).await?, ["a", "b"]);
    append(owner, &session.main(), epoch, 2, &["c"]).await?;
    assert_eq!(owner.read(&session.main()).await?, ["a", "b", "c"]);
    Ok(())
}

async fn session_without_an_owner_is_fenced(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let unknown = session(&project, "unknown");
    let early = append(store, &unknown.main(), Epoch::new(1), 0, &["a"]).await;
    assert_eq!(kind(early), StoreErrorKind::Fenced);
    let epoch = store.fence(&unknown, None).await?;
    let future = Epoch::new(epoch.get() + 1);
    let early = append(store, &unknown.main(), future, 0, &["a"]).await;
    assert_eq!(kind(early), StoreErrorKind::Fenced);
    assert_eq!(store.read(&unknown.main()).await?.len(), 0);
    Ok(())
}

async fn epochs_grow(hosts: &Hosts<dyn SessionStore>, project: ProjectKey) -> Result<()> {
    let session = session(&project, "s");
    let mut last = hosts.first.fence(&session, None).await?;
    for store in [&hosts.second, &hosts.first, &hosts.second, &hosts.second] {
        let epoch = store.fence(&session, None).await?;
        assert!(epoch > last, "{epoch} after {last}");
        assert_eq!(hosts.first.fence(&session, Some(epoch)).await?, epoch);
        last = epoch;
    }
    append(&*hosts.first, &session.main(), last, 0, &["a"]).await?;
    Ok(())
}

async fn epoch_of_another_store_is_accepted(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let session = session(&project, "s");
    let (one, two) = (Epoch::new(7_000), Epoch::new(7_005));
    assert_eq!(store.fence(&session, Some(one)).await?, one);
    append(store, &session.main(), one, 0, &["a"]).await?;
    assert_eq!(hosts.second.fence(&session, Some(two)).await?, two);
    let late = append(store, &session.main(), one, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    append(&*hosts.second, &session.main(), two, 1, &["b"]).await?;
    assert!(store.fence(&session, None).await? > two);
    Ok(())
}

async fn late_append_keeps_the_newer_summary(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let session = session(&project, "s");
    let epoch = store.fence(&session, None).await?;
    let old = Append::new(epoch, Position::START, ["a"]).summary("old");
    let new = Append::new(epoch, Position::new(1), ["b"]).summary("new");
    store.append(&session.main(), &old).await?;
    store.append(&session.main(), &new).await?;
    store.append(&session.main(), &old).await?;
    let page = store.list(&project, &Default::default()).await?;
    assert_eq!(page.sessions[0].summary, Some("new".into()));
    Ok(())
}
