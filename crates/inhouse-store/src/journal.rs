//! The journal of tool calls.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use crate::{Epoch, Result, SessionKey};

/// A tool call that is about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Intent {
    /// The id of the call (`toolu_…`), unique in its session.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The messages up to the call that earlier calls do not have, because the transcript records them only after the call has begun.
    pub messages: Bytes,
    /// The input of the call, as JSON text.
    pub input: Bytes,
}

impl Intent {
    /// Creates an intent. The journal keeps `messages` and `input` byte for byte.
    pub fn new(
        call: impl Into<String>,
        tool: impl Into<String>,
        messages: impl Into<Bytes>,
        input: impl Into<Bytes>,
    ) -> Self {
        Self {
            call: call.into(),
            tool: tool.into(),
            messages: messages.into(),
            input: input.into(),
        }
    }
}

/// A call in the journal of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournaledCall {
    /// The intent, as it was recorded first.
    pub intent: Intent,
    /// The epoch of the owner that recorded the intent last.
    pub epoch: Epoch,
    /// The result; `None` while the call is open: it runs, or was cut off.
    pub result: Option<Bytes>,
}

impl JournaledCall {
    /// Creates a journaled call, for authors of stores.
    pub fn new(intent: Intent, epoch: Epoch, result: Option<Bytes>) -> Self {
        Self {
            intent,
            epoch,
            result,
        }
    }

    /// Returns whether the call has no result.
    pub fn is_open(&self) -> bool {
        self.result.is_none()
    }
}

/// Records tool calls before they run, and their results before they are sent, until the transcript has both.
///
/// Every write is fenced like an append: it fails with [`Fenced`](crate::StoreErrorKind::Fenced) under an epoch that is not current.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Records that a call is about to run.
    ///
    /// Returns the result if the call has finished already: the caller must not run it again then. Returns `None` for a new call, and for
    /// an open one, whose epoch is replaced.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Intent, Journal, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let intent = Intent::new("toolu_1", "mcp__bank__charge", "", r#"{"cents":500}"#);
    /// assert_eq!(store.intend(&session, epoch, &intent).await?, None);
    /// store.finish(&session, epoch, "toolu_1", "charged".into()).await?;
    ///
    /// // A call that has finished is not made again.
    /// assert_eq!(store.intend(&session, epoch, &intent).await?.unwrap(), "charged");
    /// # Ok(()) }
    /// ```
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>>;

    /// Records the result of a call. The first result stays: a repeated call changes nothing.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Intent, Journal, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let intent = Intent::new("toolu_1", "mcp__bank__charge", "", r#"{"cents":500}"#);
    /// store.intend(&session, epoch, &intent).await?;
    /// store.finish(&session, epoch, "toolu_1", "charged".into()).await?;
    /// assert!(!store.calls(&session).await?[0].is_open());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::StoreErrorKind::NotFound) if there is no intent with this id.
    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()>;

    /// Returns the calls of a session, open and finished, in the order of their intents.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Intent, Journal, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let intent = Intent::new("toolu_1", "mcp__bank__charge", "", r#"{"cents":500}"#);
    /// store.intend(&session, epoch, &intent).await?;
    /// let calls = store.calls(&session).await?;
    /// assert_eq!(calls[0].intent, intent);
    /// assert!(calls[0].is_open());
    /// # Ok(()) }
    /// ```
    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>>;

    /// Removes calls, because the transcript has their results. Calls that are not in the journal are ignored.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Intent, Journal, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let intent = Intent::new("toolu_1", "mcp__bank__charge", "", r#"{"cents":500}"#);
    /// store.intend(&session, epoch, &intent).await?;
    /// store.forget(&session, epoch, &["toolu_1".to_owned()]).await?;
    /// assert!(store.calls(&session).await?.is_empty());
    /// # Ok(()) }
    /// ```
    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()>;
}

#[async_trait]
impl<S: Journal + ?Sized> Journal for Arc<S> {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        (**self).intend(session, epoch, intent).await
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        (**self).finish(session, epoch, call, result).await
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        (**self).calls(session).await
    }

    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()> {
        (**self).forget(session, epoch, calls).await
    }
}
