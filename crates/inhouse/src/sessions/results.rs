use inhouse_proto::engine::Frame;
use inhouse_proto::message::{Message, Received, ResultMessage};
use inhouse_store::{Position, SessionKey, SessionStore};

use crate::error::Result;
use crate::mirror::{persist, read_entries};
use crate::resume::{ResultRecord, results_of, store_error};

/// How many bytes of results are read at once.
const BATCH: usize = 1 << 20;

/// The result of a turn in a [store](crate::Options::store).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredResult {
    /// The ids of the prompts that the result answers.
    pub prompts: Vec<String>,
    /// The result, as it was delivered.
    pub result: Received<ResultMessage>,
}

/// Returns the last results of a session in a store, at most `limit`, in their order.
///
/// A prompt whose uuid is among [`StoredResult::prompts`] was answered, unless its result has a
/// [deferred call](ResultMessage::deferred_tool_use). To send it again gives the same result; this finds it without starting a CLI.
///
/// ```
/// use inhouse::Options;
/// use inhouse::sessions::{SessionLease, recent_results};
/// use inhouse_store::memory::MemoryStore;
///
/// # inhouse_testkit::run(async {
/// let store = MemoryStore::new();
/// let options = Options::new().store(store.clone());
/// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
/// assert!(recent_results(&store, lease.session(), 1).await?.is_empty());
/// # Ok::<_, inhouse::Error>(()) }).unwrap();
/// ```
///
/// # Errors
/// `Store` if the store fails for a minute, or a result cannot be read.
pub async fn recent_results<S>(
    store: &S,
    session: &SessionKey,
    limit: usize,
) -> Result<Vec<StoredResult>>
where
    S: SessionStore + ?Sized,
{
    let results = results_of(session);
    let end = persist(|| store.end(&results)).await.map_err(store_error)?;
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut next = Position::new(end.get().saturating_sub(limit));
    let mut found = Vec::new();
    while next < end {
        let left = usize::try_from(end.get() - next.get()).unwrap_or(usize::MAX);
        let records = read_entries(store, &results, next, left, BATCH).await;
        let records = records.map_err(store_error)?;
        if records.is_empty() {
            break;
        }
        next = next.after(records.len());
        for record in records {
            let record = ResultRecord::read(session, &record)?;
            if !record.counts(store, session).await? {
                continue;
            }
            let frame = Frame::result(record.result.get().to_owned());
            if let Some(Message::Result(result)) = frame.map(|frame| frame.decode()) {
                found.push(StoredResult {
                    prompts: record.prompts,
                    result,
                });
            }
        }
    }
    Ok(found)
}
