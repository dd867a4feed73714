//! Several writers at the same time.

use futures_util::future::{join_all, try_join_all};
use inhouse_store::{Append, Bytes, Position, ProjectKey, Result, SessionStore};

use super::{Battery, Hosts, append, session, written};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        same_append_at_the_same_time_is_stored_once,
        sessions_are_written_at_the_same_time,
        owners_that_race_leave_no_gap_and_no_duplicate,
    );
}

async fn same_append_at_the_same_time_is_stored_once(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let (session, epoch) = written(&*hosts.first, &project, "s", &["0"]).await?;
    let main = session.main();
    let stores = [&hosts.first, &hosts.second].into_iter().cycle().take(8);
    try_join_all(stores.map(|store| append(&**store, &main, epoch, 1, &["1", "2", "3"]))).await?;
    assert_eq!(hosts.first.read(&main).await?, ["0", "1", "2", "3"]);
    Ok(())
}

async fn sessions_are_written_at_the_same_time(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let write = async |number: usize| {
        let store = if number.is_multiple_of(2) {
            &hosts.first
        } else {
            &hosts.second
        };
        let (session, epoch) = written(&**store, &project, &format!("s{number}"), &["a"]).await?;
        for position in 1..5 {
            append(&**store, &session.main(), epoch, position, &["b"]).await?;
        }
        store.end(&session.main()).await
    };
    let ends = try_join_all((0..12).map(write)).await?;
    assert_eq!(ends, [Position::new(5); 12]);
    Ok(())
}

async fn owners_that_race_leave_no_gap_and_no_duplicate(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let session = session(&project, "s");
    let main = session.main();
    // Each owner takes the session over, reads the end, and writes until it is fenced.
    let own = async |number: usize| -> Result<Vec<String>> {
        let store = if number.is_multiple_of(2) {
            &hosts.first
        } else {
            &hosts.second
        };
        let epoch = match store.fence(&session, None).await {
            // The next owner was there before this call returned.
            Err(error) if error.is_fenced() => return Ok(Vec::new()),
            fenced => fenced?,
        };
        let mut position = store.end(&main).await?;
        let mut stored = Vec::new();
        for round in 0..5 {
            let entry = format!("{number}.{round}");
            let append = Append::new(epoch, position, [Bytes::from(entry.clone())]);
            match store.append(&main, &append).await {
                Ok(end) => (position, _) = (end, stored.push(entry)),
                // Another owner may have written between the fence and the read of the end.
                Err(error) if error.is_fenced() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(stored)
    };
    let mut acknowledged = Vec::new();
    for owner in join_all((0..6).map(own)).await {
        acknowledged.extend(owner?);
    }
    let mut stored: Vec<String> = Vec::new();
    for entry in hosts.first.read(&main).await? {
        stored.push(String::from_utf8_lossy(&entry).into_owned());
    }
    assert_eq!(
        hosts.second.end(&main).await?,
        Position::new(stored.len() as u64)
    );
    acknowledged.sort();
    stored.sort();
    assert_eq!(stored, acknowledged);
    Ok(())
}
