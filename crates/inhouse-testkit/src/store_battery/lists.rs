//! Lists of sessions and their summaries.

use std::time::{Duration, SystemTime};

use inhouse_store::{
    Append, Bytes, Page, PageToken, Position, ProjectKey, Result, SessionStore, StoreErrorKind,
};

use super::{Battery, Hosts, append, kind, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        sessions_of_a_project_are_listed,
        projects_are_separate,
        subpaths_are_not_listed_as_sessions,
        list_has_pages_newest_first,
        foreign_page_token_is_invalid,
        summary_is_stored_with_the_append,
    );
}

async fn sessions_of_a_project_are_listed(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    assert_eq!(
        store.list(&project, &Page::first()).await?.sessions.len(),
        0
    );
    let (one, _) = written(store, &project, "one", &["a"]).await?;
    let (two, _) = written(store, &project, "two", &["a", "b"]).await?;
    store
        .fence(&session(&project, "without-entries"), None)
        .await?;
    let page = hosts.second.list(&project, &Page::first()).await?;
    let mut listed: Vec<_> = page
        .sessions
        .iter()
        .map(|info| (&info.key, info.end))
        .collect();
    listed.sort();
    assert_eq!(listed, [(&one, Position::new(1)), (&two, Position::new(2))]);
    assert_eq!(page.next, None);
    // The store's clock may differ from this one, but not by a day.
    let day = Duration::from_secs(24 * 60 * 60);
    for info in &page.sessions {
        let now = SystemTime::now();
        assert!(
            info.modified > now - day && info.modified < now + day,
            "{:?}",
            info.modified
        );
    }
    Ok(())
}

async fn projects_are_separate(hosts: &Hosts<dyn SessionStore>, project: ProjectKey) -> Result<()> {
    let store = &*hosts.first;
    // The key of one project is the beginning of the other.
    let other = ProjectKey::new(format!("{project}-x"))?;
    let (here, _) = written(store, &project, "s", &["here"]).await?;
    let (there, _) = written(store, &other, "s", &["there"]).await?;
    assert_eq!(store.read(&here.main()).await?, ["here"]);
    assert_eq!(store.read(&there.main()).await?, ["there"]);
    let page = store.list(&project, &Page::first()).await?;
    assert_eq!(page.sessions.len(), 1);
    store.erase(&project.into()).await?;
    assert_eq!(store.read(&here.main()).await?.len(), 0);
    assert_eq!(store.read(&there.main()).await?, ["there"]);
    store.erase(&other.into()).await
}

async fn subpaths_are_not_listed_as_sessions(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let session = session(&project, "s");
    let epoch = store.fence(&session, None).await?;
    append(store, &session.stream("sub")?, epoch, 0, &["a"]).await?;
    assert_eq!(
        store.list(&project, &Page::first()).await?.sessions.len(),
        0
    );
    append(store, &session.main(), epoch, 0, &["a"]).await?;
    assert_eq!(
        store.list(&project, &Page::first()).await?.sessions.len(),
        1
    );
    Ok(())
}

async fn list_has_pages_newest_first(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    for number in 0..7 {
        written(store, &project, &format!("s{number}"), &["a"]).await?;
    }
    let mut listed = Vec::new();
    let mut page = Page::first().limit(3);
    for expected in [3, 3, 1] {
        let found = store.list(&project, &page).await?;
        assert_eq!(found.sessions.len(), expected);
        listed.extend(found.sessions);
        let Some(next) = found.next else { break };
        // A token survives a way through text.
        page = Page::first().limit(3).after(PageToken::new(next.as_str()));
    }
    assert!(listed.is_sorted_by(|one, other| one.modified >= other.modified));
    let mut names: Vec<_> = listed.iter().map(|info| info.key.session()).collect();
    names.sort_unstable();
    assert_eq!(names, ["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    let whole = store.list(&project, &Page::first().limit(7)).await?;
    assert_eq!((whole.sessions.len(), whole.next), (7, None));
    let smallest = store.list(&project, &Page::first().limit(0)).await?;
    assert_eq!(smallest.sessions.len(), 1);
    Ok(())
}

async fn foreign_page_token_is_invalid(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    for text in ["", "' or 1=1", "\u{1f600}"] {
        let page = Page::first().after(PageToken::new(text));
        let result = hosts.first.list(&project, &page).await;
        assert_eq!(kind(result), StoreErrorKind::Invalid);
    }
    Ok(())
}

async fn summary_is_stored_with_the_append(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    let summary = async || -> Result<Option<Bytes>> {
        let page = hosts.second.list(&project, &Page::first()).await?;
        Ok(page.sessions[0].summary.clone())
    };
    assert_eq!(summary().await?, None);
    let titled = Append::new(epoch, Position::new(1), ["b"]).summary("{\"title\":\"\\u0000\"}");
    store.append(&session.main(), &titled).await?;
    assert_eq!(summary().await?, titled.summary);
    append(store, &session.main(), epoch, 2, &["c"]).await?;
    assert_eq!(summary().await?, titled.summary);
    let sub = Append::new(epoch, Position::START, ["x"]).summary("of the subagent");
    store.append(&session.stream("sub")?, &sub).await?;
    assert_eq!(summary().await?, titled.summary);
    store.erase(&session.clone().into()).await?;
    written(store, &project, "s", &["a"]).await?;
    assert_eq!(summary().await?, None);
    Ok(())
}
