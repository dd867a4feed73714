use std::fmt;
use std::fs::File;
use std::future::{Future, IntoFuture, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use inhouse_proto::session::{
    Conversation, ConversationKind, Entry, LineSpan, SessionMessage, SubagentMetadata,
    metadata_content,
};
use inhouse_store::Position;

use super::batches::{BATCH, Batches, Source};
use super::blocking::{blocking, file_error};
use super::location::{Found, Location, parse_id};
use super::stored::{StreamReader, text_of};
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
/// `Store` if the transcript or the store cannot be read.
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
        let kind = match self.agent {
            Some(_) => ConversationKind::Subagent,
            None => ConversationKind::Main,
        };
        let opened = match self.location.stored()? {
            Some(project) => {
                let session = project.find(&id).await?;
                let stream = match &self.agent {
                    Some(agent) => session.subagent(agent).await?,
                    None => session.main(),
                };
                index_stream(stream).await?
            }
            None => {
                let place = self.location.resolve().await?;
                blocking(move || index_file(&place.find(&id)?, self.agent.as_deref())).await?
            }
        };
        let mut spans = opened.conversation.messages(kind, self.system);
        spans.truncate(self.offset.saturating_add(self.limit.unwrap_or(usize::MAX)));
        spans.drain(..self.offset.min(spans.len()));
        Ok(MessageSource {
            lines: opened.lines,
            spans: spans.into_iter(),
            metadata: opened.metadata,
        })
    }
}

impl IntoFuture for Messages {
    type Output = Result<Vec<SessionMessage>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Reads all messages.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut source = self.open().await?;
            let mut messages = Vec::with_capacity(source.spans.len());
            loop {
                let batch;
                (source, batch) = source.read().await?;
                if batch.is_empty() {
                    return Ok(messages);
                }
                messages.extend(batch);
            }
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

/// A transcript whose entries are in order.
struct Opened {
    lines: Lines,
    conversation: Conversation,
    metadata: SubagentMetadata,
}

struct MessageSource {
    lines: Lines,
    spans: std::vec::IntoIter<LineSpan>,
    metadata: SubagentMetadata,
}

/// The lines of a transcript.
enum Lines {
    File {
        path: PathBuf,
        file: File,
    },
    /// The offset of a line is its position in the stream.
    Stored(StreamReader),
}

impl Source for MessageSource {
    type Item = SessionMessage;

    async fn read(mut self) -> Result<(Self, Vec<SessionMessage>)> {
        let mut spans = Vec::new();
        let mut size = 0;
        while size < BATCH
            && let Some(span) = self.spans.next()
        {
            size += span.len as usize;
            spans.push(span);
        }
        match self.lines {
            Lines::Stored(ref mut stream) => {
                let lines = read_stored(stream, &spans).await?;
                let messages = lines.into_iter().filter_map(|line| self.decode(line));
                let messages = messages.collect();
                Ok((self, messages))
            }
            Lines::File { .. } => blocking(move || self.read_file(&spans)).await,
        }
    }
}

impl MessageSource {
    fn read_file(mut self, spans: &[LineSpan]) -> Result<(Self, Vec<SessionMessage>)> {
        let mut messages = Vec::with_capacity(spans.len());
        for span in spans {
            let Lines::File { path, file } = &mut self.lines else {
                break;
            };
            let line = read_span(file, *span).map_err(|error| file_error("read", path, error))?;
            messages.extend(self.decode(line));
        }
        Ok((self, messages))
    }

    fn decode(&self, line: String) -> Option<SessionMessage> {
        let mut message = SessionMessage::read(line)?;
        message.parent_tool_use_id = self.metadata.tool_use_id.clone();
        message.parent_agent_id = self.metadata.parent_agent_id.clone();
        Some(message)
    }
}

/// Reads the order of the entries of a file.
fn index_file(session: &Found, agent: Option<&str>) -> Result<Opened> {
    let (path, len, metadata) = match agent {
        Some(agent) => {
            let (path, len) = subagents::find(session, agent)?;
            let metadata = subagents::metadata(&path);
            (path, len, metadata)
        }
        None => {
            let metadata = SubagentMetadata::default();
            (session.transcript.clone(), session.len, metadata)
        }
    };
    let index = || {
        let mut conversation = Conversation::new();
        let mut lines = LineReader::new(open(&path)?, len);
        while let Some((span, line)) = lines.next()? {
            if let Some(entry) = Entry::read(&line) {
                conversation.push(span, &entry);
            }
        }
        Ok((conversation, open(&path)?))
    };
    let (conversation, file) = index().map_err(|error| file_error("read", &path, error))?;
    Ok(Opened {
        lines: Lines::File { path, file },
        conversation,
        metadata,
    })
}

/// Reads the order of the entries of a stream, and the metadata of a subagent.
async fn index_stream(mut stream: StreamReader) -> Result<Opened> {
    let mut conversation = Conversation::new();
    let mut metadata = SubagentMetadata::default();
    loop {
        let first = stream.position().get();
        let entries = stream.next().await?;
        if entries.is_empty() {
            break;
        }
        for (position, entry) in (first..).zip(entries) {
            let line = text_of(entry)?;
            let Some(entry) = Entry::read(&line) else {
                continue;
            };
            let len = u32::try_from(line.len()).unwrap_or(u32::MAX);
            conversation.push(LineSpan::new(position, len), &entry);
            if stream.subpath().is_some()
                && let Some(content) = metadata_content(&line)
            {
                metadata = SubagentMetadata::decode(&content);
            }
        }
    }
    Ok(Opened {
        lines: Lines::Stored(stream),
        conversation,
        metadata,
    })
}

/// Reads the lines at these positions, in their order.
async fn read_stored(stream: &mut StreamReader, spans: &[LineSpan]) -> Result<Vec<String>> {
    // Read in the order of the stream: parallel tool calls and compactions have another one.
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_unstable_by_key(|number| spans[*number].offset);
    let mut lines: Vec<Option<String>> = spans.iter().map(|_| None).collect();
    let last = order.last().map_or(0, |last| spans[*last].offset);
    let mut batch = Vec::new();
    let mut first = 0;
    for number in order {
        let position = spans[number].offset;
        if position - first >= batch.len() as u64 {
            first = position;
            stream.seek(Position::new(position));
            let count = usize::try_from(last - position + 1).unwrap_or(usize::MAX);
            batch = stream.next_up_to(count, BATCH).await?;
        }
        let entry = batch.get((position - first) as usize);
        lines[number] = entry.cloned().map(text_of).transpose()?;
    }
    Ok(lines.into_iter().flatten().collect())
}
