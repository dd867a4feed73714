use std::fmt;
use std::fs::File;
use std::future::{Future, IntoFuture, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use inhouse_proto::session::{
    Conversation, ConversationKind, Entry, LineSpan, SessionMessage, SubagentMetadata,
};

use super::batches::{BATCH, Batches, Source};
use super::blocking::{blocking, file_error};
use super::location::{Location, parse_id};
use super::subagents;
use super::transcript::{LineReader, open, read_span};
use crate::error::Result;

/// The messages of a session or a subagent; see [`Sessions::messages`](super::Sessions::messages).
///
/// Awaiting it reads all messages. [`stream`](Self::stream) reads them one by one.
///
/// ```
/// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
/// let messages = sessions.messages(id).await?;
/// let texts: Vec<String> = messages.iter().map(|message| message.text()).collect();
/// assert_eq!(texts, ["Hello", "Done."]);
/// # Ok(()) });
/// ```
///
/// # Errors
/// Awaiting it fails with `Config` for an invalid id, `SessionNotFound` if there is no such session or subagent, and
/// `Store` if the transcript cannot be read.
#[derive(Clone, Debug)]
#[must_use = "messages are read when this is awaited, or by its stream"]
pub struct Messages {
    location: Location,
    id: String,
    agent: Option<String>,
    limit: Option<usize>,
    offset: usize,
    system: bool,
}

impl Messages {
    pub(super) fn new(location: Location, id: &str, agent: Option<String>) -> Self {
        Self {
            location,
            id: id.to_owned(),
            agent,
            limit: None,
            offset: 0,
            system: false,
        }
    }

    /// Sets how many messages to read at most. Default: all.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let first = sessions.messages(id).limit(1).await?;
    /// assert_eq!(first.len(), 1);
    /// assert_eq!(first[0].text(), "Hello");
    /// # Ok(()) });
    /// ```
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets how many messages to skip, beginning with the oldest. Default: 0.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let rest = sessions.messages(id).offset(1).await?;
    /// assert_eq!(rest[0].text(), "Done.");
    /// # Ok(()) });
    /// ```
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Sets whether to include notices of the CLI, such as compaction boundaries. Default: `false`.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// // The session has no notices.
    /// let all = sessions.messages(id).system(true).await?;
    /// assert_eq!(all.len(), sessions.messages(id).await?.len());
    /// # Ok(()) });
    /// ```
    pub fn system(mut self, include: bool) -> Self {
        self.system = include;
        self
    }

    /// Returns a stream of the messages, whose memory does not grow with their size.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let mut messages = sessions.messages(id).stream();
    /// let mut texts = Vec::new();
    /// while let Some(message) = messages.next().await {
    ///     texts.push(message?.text());
    /// }
    /// assert_eq!(texts, ["Hello", "Done."]);
    /// # Ok(()) });
    /// ```
    pub fn stream(self) -> MessageReader {
        MessageReader(Batches::new(self.open()))
    }

    async fn open(self) -> Result<MessageSource> {
        let id = parse_id(&self.id)?;
        let place = self.location.resolve().await?;
        blocking(move || {
            let (path, len, kind, metadata) = match &self.agent {
                Some(agent) => {
                    let found = subagents::find(&place.find(&id)?, agent)?;
                    let kind = ConversationKind::Subagent;
                    (found.transcript, found.len, kind, found.metadata)
                }
                None => {
                    let found = place.find(&id)?;
                    let kind = ConversationKind::Main;
                    (
                        found.transcript,
                        found.len,
                        kind,
                        SubagentMetadata::default(),
                    )
                }
            };
            let spans = || {
                let conversation = index(open(&path)?, len)?;
                Ok(conversation.messages(kind, self.system))
            };
            let mut spans = spans().map_err(|error| file_error("read", &path, error))?;
            spans.truncate(self.offset.saturating_add(self.limit.unwrap_or(usize::MAX)));
            spans.drain(..self.offset.min(spans.len()));
            let file = open(&path).map_err(|error| file_error("read", &path, error))?;
            Ok(MessageSource {
                path,
                file,
                spans: spans.into_iter(),
                metadata,
            })
        })
        .await
    }
}

impl IntoFuture for Messages {
    type Output = Result<Vec<SessionMessage>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Reads all messages.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut source = self.open().await?;
            blocking(move || {
                let mut messages = Vec::with_capacity(source.spans.len());
                loop {
                    let batch = source.read()?;
                    if batch.is_empty() {
                        return Ok(messages);
                    }
                    messages.extend(batch);
                }
            })
            .await
        })
    }
}

/// A stream of the messages of a session; see [`Messages::stream`].
///
/// Nothing is read before the stream is polled. An `Err` is always the last item.
#[must_use = "a stream does nothing until it is polled"]
pub struct MessageReader(Batches<MessageSource>);

impl MessageReader {
    /// Returns the next message; `None` after the last one.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let mut messages = sessions.messages(id).stream();
    /// assert_eq!(messages.next().await.unwrap()?.text(), "Hello");
    /// assert_eq!(messages.next().await.unwrap()?.text(), "Done.");
    /// assert!(messages.next().await.is_none());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// Fails as awaiting [`Messages`] does. Nothing follows an error.
    ///
    /// # Cancellation
    /// Dropping the future loses no message, so it can be used in a `select!`.
    pub async fn next(&mut self) -> Option<Result<SessionMessage>> {
        poll_fn(|cx| self.0.poll_item(cx)).await
    }
}

impl Stream for MessageReader {
    type Item = Result<SessionMessage>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_item(cx)
    }
}

impl fmt::Debug for MessageReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageReader").finish_non_exhaustive()
    }
}

struct MessageSource {
    path: PathBuf,
    file: File,
    spans: std::vec::IntoIter<LineSpan>,
    metadata: SubagentMetadata,
}

impl Source for MessageSource {
    type Item = SessionMessage;

    fn read(&mut self) -> Result<Vec<SessionMessage>> {
        let mut messages = Vec::new();
        let mut size = 0;
        while size < BATCH
            && let Some(span) = self.spans.next()
        {
            let line = read_span(&mut self.file, span)
                .map_err(|error| file_error("read", &self.path, error))?;
            size += line.len();
            messages.extend(SessionMessage::read(line).map(|mut message| {
                message.parent_tool_use_id = self.metadata.tool_use_id.clone();
                message.parent_agent_id = self.metadata.parent_agent_id.clone();
                message
            }));
        }
        Ok(messages)
    }
}

fn index(file: File, len: u64) -> std::io::Result<Conversation> {
    let mut conversation = Conversation::new();
    let mut lines = LineReader::new(file, len);
    while let Some((span, line)) = lines.next()? {
        if let Some(entry) = Entry::read(&line) {
            conversation.push(span, &entry);
        }
    }
    Ok(conversation)
}
