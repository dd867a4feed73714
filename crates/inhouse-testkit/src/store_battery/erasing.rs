//! Erasure and retention.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use inhouse_store::{
    Bytes, FilePath, Page, Position, ProjectKey, Result, SessionStore, StoreErrorKind,
};

use super::{Battery, Hosts, append, erase_idle, kind, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        unknown_data_is_erased_without_an_error,
        erased_session_is_gone_completely,
        erased_main_stream_is_an_erased_session,
        erased_subpath_leaves_the_rest,
        owner_of_an_erased_session_is_fenced,
        idle_sessions_are_erased,
        session_that_is_written_to_before_its_turn_is_not_idle,
    );
}

async fn unknown_data_is_erased_without_an_error(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let unknown = session(&project, "unknown");
    let store = &*hosts.first;
    store.erase(&unknown.stream("sub")?.into()).await?;
    store.erase(&unknown.main().into()).await?;
    store.erase(&unknown.into()).await?;
    store.erase(&project.into()).await
}

async fn erased_session_is_gone_completely(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (erased, epoch) = written(store, &project, "erased", &["a"]).await?;
    let (kept, kept_epoch) = written(store, &project, "kept", &["a"]).await?;
    let path = FilePath::new("tool-results/a.txt")?;
    for (session, epoch) in [(&erased, epoch), (&kept, kept_epoch)] {
        append(store, &session.stream("sub/one")?, epoch, 0, &["x"]).await?;
        store
            .put_file(session, epoch, &path, Bytes::from("x"))
            .await?;
    }
    hosts.second.erase(&erased.clone().into()).await?;
    for store in [&hosts.first, &hosts.second] {
        assert_eq!(store.read(&erased.main()).await?.len(), 0);
        assert_eq!(store.end(&erased.main()).await?, Position::START);
        assert_eq!(store.read(&erased.stream("sub/one")?).await?.len(), 0);
        assert_eq!(store.subpaths(&erased).await?.len(), 0);
        assert_eq!(store.file(&erased, &path).await?, None);
        assert_eq!(store.files(&erased).await?.len(), 0);
        let page = store.list(&project, &Page::first()).await?;
        let listed: Vec<_> = page.sessions.iter().map(|info| &info.key).collect();
        assert_eq!(listed, [&kept]);
        assert_eq!(store.read(&kept.stream("sub/one")?).await?, ["x"]);
        assert_eq!(store.files(&kept).await?.len(), 1);
    }
    Ok(())
}

async fn erased_main_stream_is_an_erased_session(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    append(store, &session.stream("sub")?, epoch, 0, &["x"]).await?;
    store.erase(&session.main().into()).await?;
    assert_eq!(store.read(&session.stream("sub")?).await?.len(), 0);
    Ok(())
}

async fn erased_subpath_leaves_the_rest(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    let (one, two) = (session.stream("sub")?, session.stream("sub/two")?);
    append(store, &one, epoch, 0, &["x"]).await?;
    append(store, &two, epoch, 0, &["y"]).await?;
    hosts.second.erase(&one.clone().into()).await?;
    assert_eq!(store.read(&one).await?.len(), 0);
    assert_eq!(store.read(&two).await?, ["y"]);
    assert_eq!(store.read(&session.main()).await?, ["a"]);
    assert_eq!(store.subpaths(&session).await?, [two]);
    Ok(())
}

async fn owner_of_an_erased_session_is_fenced(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let (owner, other) = (&*hosts.first, &*hosts.second);
    let (session, old) = written(owner, &project, "s", &["a"]).await?;
    other.erase(&session.clone().into()).await?;
    let late = append(owner, &session.main(), old, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    let path = FilePath::new("tool-results/a.txt")?;
    let late = owner.put_file(&session, old, &path, Bytes::from("x")).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    let new = other.fence(&session, None).await?;
    assert!(new > old, "{new} after {old}");
    append(other, &session.main(), new, 0, &["c"]).await?;
    let late = append(owner, &session.main(), old, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    assert_eq!(owner.read(&session.main()).await?, ["c"]);
    assert_eq!(other.files(&session).await?.len(), 0);
    Ok(())
}

async fn idle_sessions_are_erased(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (one, _) = written(store, &project, "one", &["a"]).await?;
    let (two, epoch) = written(store, &project, "two", &["a"]).await?;
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    assert_eq!(erase_idle(store, year, &project).await?, []);
    assert_eq!(store.read(&one.main()).await?, ["a"]);
    let erased = erase_idle(store, Duration::ZERO, &project).await?;
    assert_eq!(erased, [one.clone(), two.clone()]);
    assert_eq!(store.read(&one.main()).await?.len(), 0);
    assert_eq!(
        store.list(&project, &Page::first()).await?.sessions.len(),
        0
    );
    let late = append(store, &two.main(), epoch, 1, &["b"]).await;
    assert_eq!(kind(late), StoreErrorKind::Fenced);
    assert_eq!(erase_idle(store, Duration::ZERO, &project).await?, []);
    Ok(())
}

async fn session_that_is_written_to_before_its_turn_is_not_idle(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let mut sessions = Vec::new();
    for name in ["one", "two", "three"] {
        sessions.push(written(&*hosts.second, &project, name, &["a"]).await?);
    }
    let mut erasure = hosts.first.erase_idle(Duration::ZERO, Some(&project));
    let mut erased: Vec<_> = erasure.try_next().await?.into_iter().collect();
    let mut used = Vec::new();
    for (session, epoch) in sessions {
        // Fenced if the session was erased.
        let written = append(&*hosts.second, &session.main(), epoch, 1, &["b"]).await;
        if written.is_ok() {
            used.push(session);
        }
    }
    erased.extend(erasure.try_collect::<Vec<_>>().await?);
    assert_eq!(erased.len() + used.len(), 3, "{erased:?}, {used:?}");
    assert!(!used.is_empty(), "all sessions were erased at once");
    for session in used {
        assert!(!erased.contains(&session), "{session} was in use");
        assert_eq!(hosts.first.read(&session.main()).await?, ["a", "b"]);
    }
    Ok(())
}
