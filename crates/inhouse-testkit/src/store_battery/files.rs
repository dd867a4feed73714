//! Files of sessions.

use inhouse_store::{Bytes, FilePath, ProjectKey, Result, SessionStore};

use super::{Battery, Hosts, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        files_are_kept_and_replaced,
        files_belong_to_their_session,
        unusual_file_names_are_kept,
    );
}

async fn files_are_kept_and_replaced(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    let [one, two] = ["tool-results/a.txt", "tool-results/b/c.bin"].map(FilePath::new);
    let (one, two) = (one?, two?);
    let large = Bytes::from(vec![0xff; 3 << 20]);
    store
        .put_file(&session, epoch, &one, Bytes::from("first"))
        .await?;
    store.put_file(&session, epoch, &two, large.clone()).await?;
    store.put_file(&session, epoch, &one, Bytes::new()).await?;
    assert_eq!(hosts.second.file(&session, &one).await?, Some(Bytes::new()));
    assert!(hosts.second.file(&session, &two).await? == Some(large));
    let files = hosts.second.files(&session).await?;
    let files: Vec<_> = files.iter().map(|file| (&file.path, file.size)).collect();
    assert_eq!(files, [(&one, 0), (&two, 3 << 20)]);
    assert_eq!(store.read(&session.main()).await?, ["a"]);
    assert_eq!(store.subpaths(&session).await?.len(), 0);
    Ok(())
}

async fn files_belong_to_their_session(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (one, epoch) = written(store, &project, "one", &["a"]).await?;
    let (two, _) = written(store, &project, "two", &["a"]).await?;
    let path = FilePath::new("a.txt")?;
    store.put_file(&one, epoch, &path, Bytes::from("x")).await?;
    for unknown in [&two, &session(&project, "unknown")] {
        assert_eq!(store.file(unknown, &path).await?, None);
        assert_eq!(store.files(unknown).await?.len(), 0);
    }
    assert_eq!(store.file(&one, &FilePath::new("b.txt")?).await?, None);
    Ok(())
}

async fn unusual_file_names_are_kept(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    for name in ["a b/%2F", "é", "100%", "..a", "it's", "*?<>|\""] {
        let path = FilePath::new(name)?;
        store
            .put_file(&session, epoch, &path, Bytes::from(name))
            .await?;
        assert_eq!(store.file(&session, &path).await?, Some(Bytes::from(name)));
    }
    let files = hosts.second.files(&session).await?;
    let names: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["*?<>|\"", "..a", "100%", "a b/%2F", "it's", "é"]);
    Ok(())
}
