//! Entries come back in order, and streams are independent.

use futures_util::{StreamExt as _, TryStreamExt as _};
use inhouse_store::{Append, Bytes, Page, Position, ProjectKey, Result, SessionStore};

use super::{Battery, Hosts, append, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        entries_load_in_order, unknown_streams_are_empty, appends_keep_their_order, append_without_entries_changes_nothing, main_and_subpaths_are_independent, subpaths_are_those_of_the_session, unusual_names_are_kept, ten_thousand_entries_load_from_any_position, append_while_a_reader_is_open);
}

async fn entries_load_in_order(hosts: &Hosts<dyn SessionStore>, project: ProjectKey) -> Result<()> {
    let store = &*hosts.first;
    let (session, _) = written(store, &project, "s", &["a", "b", "c"]).await?;
    assert_eq!(store.read(&session.main()).await?, ["a", "b", "c"]);
    assert_eq!(hosts.second.read(&session.main()).await?, ["a", "b", "c"]);
    assert_eq!(store.end(&session.main()).await?, Position::new(3));
    Ok(())
}

async fn unknown_streams_are_empty(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (known, _) = written(store, &project, "known", &["a"]).await?;
    for stream in [session(&project, "x").main(), known.stream("subagents/x")?] {
        assert_eq!(store.read(&stream).await?.len(), 0);
        assert_eq!(store.end(&stream).await?, Position::START);
    }
    Ok(())
}

async fn appends_keep_their_order(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["0"]).await?;
    append(store, &session.main(), epoch, 1, &["1", "2"]).await?;
    let end = append(store, &session.main(), epoch, 3, &["3"]).await?;
    assert_eq!(end, Position::new(4));
    assert_eq!(store.read(&session.main()).await?, ["0", "1", "2", "3"]);
    Ok(())
}

async fn append_without_entries_changes_nothing(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let new = session(&project, "new");
    let epoch = store.fence(&new, None).await?;
    let end = append(store, &new.main(), epoch, 0, &[]).await?;
    assert_eq!(end, Position::START);
    append(store, &new.stream("sub")?, epoch, 0, &[]).await?;
    assert_eq!(store.subpaths(&new).await?.len(), 0);
    let page = store.list(&project, &Page::first()).await?;
    assert_eq!(page.sessions.len(), 0);

    append(store, &new.main(), epoch, 0, &["a"]).await?;
    append(store, &new.main(), epoch, 1, &[]).await?;
    assert_eq!(store.read(&new.main()).await?, ["a"]);
    Ok(())
}

async fn main_and_subpaths_are_independent(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["main"]).await?;
    let one = session.stream("subagents/agent-1")?;
    let two = session.stream("subagents/agent-2")?;
    append(store, &one, epoch, 0, &["one", "more"]).await?;
    append(store, &two, epoch, 0, &["two"]).await?;
    append(store, &session.main(), epoch, 1, &["last"]).await?;
    assert_eq!(store.read(&session.main()).await?, ["main", "last"]);
    assert_eq!(store.read(&one).await?, ["one", "more"]);
    assert_eq!(store.read(&two).await?, ["two"]);
    assert_eq!(store.subpaths(&session).await?, [one, two]);
    Ok(())
}

async fn subpaths_are_those_of_the_session(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (one, epoch) = written(store, &project, "one", &["a"]).await?;
    append(store, &one.stream("b/c")?, epoch, 0, &["a"]).await?;
    append(store, &one.stream("b")?, epoch, 0, &["a"]).await?;
    let (two, _) = written(store, &project, "two", &["a"]).await?;
    let subpaths = store.subpaths(&one).await?;
    assert_eq!(subpaths, [one.stream("b")?, one.stream("b/c")?]);
    assert_eq!(store.subpaths(&two).await?.len(), 0);
    let unknown = session(&project, "unknown");
    assert_eq!(store.subpaths(&unknown).await?.len(), 0);
    Ok(())
}

async fn unusual_names_are_kept(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let session = session(&project, "s");
    let epoch = store.fence(&session, None).await?;
    let names = [
        "a b", "é", "%2F", "100%", "..a", ".a", "a_b", "it's", "A", "a", "~", "\"",
    ];
    for name in names {
        let stream = session.stream(format!("{name}/{name}"))?;
        append(store, &stream, epoch, 0, &["x"]).await?;
    }
    let mut expected: Vec<_> = names.iter().map(|name| format!("{name}/{name}")).collect();
    expected.sort();
    let subpaths = store.subpaths(&session).await?;
    let subpaths: Vec<_> = subpaths.iter().filter_map(|key| key.subpath()).collect();
    assert_eq!(subpaths, expected);
    for name in expected {
        assert_eq!(store.read(&session.stream(name)?).await?, ["x"]);
    }
    Ok(())
}

async fn ten_thousand_entries_load_from_any_position(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &[]).await?;
    let main = session.main();
    let entry = |number: usize| Bytes::from(format!("{{\"number\":{number}}}"));
    for first in (0..10_000).step_by(500) {
        let entries = (first..first + 500).map(entry);
        let append = Append::new(epoch, Position::new(first as u64), entries);
        store.append(&main, &append).await?;
    }
    assert_eq!(hosts.second.end(&main).await?, Position::new(10_000));
    let loaded: Vec<Bytes> = hosts
        .second
        .load(&main, Position::START)
        .try_collect()
        .await?;
    assert!(loaded.into_iter().eq((0..10_000).map(entry)));
    let tail: Vec<Bytes> = store
        .load(&main, Position::new(9_990))
        .try_collect()
        .await?;
    assert!(tail.into_iter().eq((9_990..10_000).map(entry)));
    let none: Vec<Bytes> = store
        .load(&main, Position::new(20_000))
        .try_collect()
        .await?;
    assert_eq!(none.len(), 0);
    Ok(())
}

async fn append_while_a_reader_is_open(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a", "b", "c"]).await?;
    let mut half = store.load(&session.main(), Position::START);
    assert_eq!(half.next().await.transpose()?, Some("a".into()));
    drop(half);
    let mut half = store.load(&session.main(), Position::START);
    assert_eq!(half.next().await.transpose()?, Some("a".into()));
    append(store, &session.main(), epoch, 3, &["d"]).await?;
    let rest: Vec<Bytes> = half.try_collect().await?;
    assert_eq!(rest[..2], ["b", "c"]);
    assert_eq!(store.read(&session.main()).await?.len(), 4);
    Ok(())
}
