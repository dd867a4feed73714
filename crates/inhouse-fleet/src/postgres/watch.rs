use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_stream::try_stream;
use futures_core::Stream;
use futures_util::StreamExt as _;
use inhouse::message::Message;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use tokio::time::Instant;

use super::backoff::Backoff;
use super::statement::Statement as _;
use super::{Fleet, FleetError, FleetErrorKind, WorkState};
use crate::{Question, Reply, WorkId};

/// How long a watcher and [`Fleet::result`] wait for a database that is unavailable.
const PATIENCE: Duration = Duration::from_secs(60);
/// Events that are read from the database at once.
const BATCH: i64 = 200;

/// An event of a work item, from [`Fleet::watch`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The work is in the queue. Always the first event.
    Queued,
    /// A host has begun to run the work.
    Started {
        /// The name of the host.
        host: String,
    },
    /// A message of the CLI, of those that are [stored](super::StoredMessages).
    Message(Box<Message>),
    /// A call waits for an answer, see [`Fleet::answer`].
    Question(Box<Question>),
    /// A host continues the work: after an answer, a failed attempt, or the end of the host before.
    Resumed {
        /// The name of the host.
        host: String,
    },
    /// An attempt failed, and another one may follow.
    Failed {
        /// The reason why the attempt failed.
        reason: String,
    },
    /// The work is answered. The last event.
    Done(Box<Reply>),
    /// The work is parked, with the reason. The last event.
    Parked(String),
    /// The work was cancelled. The last event.
    Cancelled,
}

/// The events of a work item from its beginning, from [`Fleet::watch`].
///
/// A [`Stream`] that ends with the work. An error is its last item.
pub struct Watch {
    events: Pin<Box<dyn Stream<Item = Result<Event, FleetError>> + Send>>,
}

impl Fleet {
    /// Returns the events of a work item: those that are stored, then new ones until the work ends.
    ///
    /// Messages may come twice: after an attempt that was cut off, and if the acknowledgement of the database was lost. Messages that the database does
    /// not accept within a minute, or four times [`host_ttl`](Self::host_ttl) if that is less, are missing.
    ///
    /// ```no_run
    /// use inhouse_fleet::postgres::{Event, Fleet};
    /// use inhouse_fleet::{Answer, WorkId};
    ///
    /// # async fn example(fleet: Fleet, id: WorkId) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut events = fleet.watch(&id).await?;
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         Event::Started { host } => println!("begun by {host}"),
    ///         Event::Question(question) => fleet.answer(&question, Answer::Allow).await?,
    ///         Event::Done(reply) => println!("{:?}", reply.text),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn watch(&self, id: &WorkId) -> Result<Watch, FleetError> {
        let (fleet, id) = (self.clone(), *id);
        fleet.ended(id).await?;
        let events = try_stream! {
            let mut news = fleet.news(id);
            yield Event::Queued;
            let mut last = 0;
            loop {
                // First, because every event of the work is written before its end.
                let ended = fleet.ended_patiently(id).await?;
                let mut batch = fleet.events_patiently(id, last).await?;
                let is_empty = batch.is_empty();
                while let Some((number, event)) = batch.pop_front() {
                    last = number;
                    yield event;
                }
                match ended {
                    _ if !is_empty => {}
                    Some(end) => {
                        yield end;
                        break;
                    }
                    None => news.wait(fleet.watch_interval()).await,
                }
            }
        };
        Ok(Watch {
            events: Box::pin(events),
        })
    }

    /// Waits until a work item is answered, and returns its reply.
    ///
    /// ```no_run
    /// use inhouse_fleet::WorkId;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: WorkId) -> Result<(), inhouse_fleet::FleetError> {
    /// let reply = fleet.result(&id).await?;
    /// println!("{}", reply.text.unwrap_or_default());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Parked`](FleetErrorKind::Parked) with the reason, [`Cancelled`](FleetErrorKind::Cancelled), or
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn result(&self, id: &WorkId) -> Result<Reply, FleetError> {
        let mut news = self.news(*id);
        loop {
            match self.ended_patiently(*id).await? {
                Some(Event::Done(reply)) => return Ok(*reply),
                Some(Event::Parked(reason)) => {
                    return Err(FleetError::new(FleetErrorKind::Parked, reason));
                }
                Some(_) => {
                    let text = format!("work {id}");
                    return Err(FleetError::new(FleetErrorKind::Cancelled, text));
                }
                None => news.wait(self.watch_interval()).await,
            }
        }
    }

    fn news(&self, id: WorkId) -> super::listen::News {
        let listener = &self.shared.listener;
        listener.news(self.store.pool(), id.as_uuid())
    }

    /// Returns how often a watcher looks at the database without news. There may be thousands of them, and a listener that connects again wakes them all.
    fn watch_interval(&self) -> Duration {
        match self.shared.listener.is_enabled() {
            true => self.settings.poll_interval * 30,
            false => self.settings.poll_interval,
        }
    }

    /// Returns the last event of a work item; `None` before its end.
    async fn ended(&self, id: WorkId) -> Result<Option<Event>, FleetError> {
        let row = sqlx::query("select state, reason, reply from inhouse.work where id = $1")
            .bind(id.as_uuid())
            .fetch_optional(self.pool().await?)
            .in_time()
            .await?;
        let row = row.ok_or_else(|| FleetError::not_found("work", id))?;
        Ok(match WorkState::read(row.try_get(0)?)? {
            WorkState::Done => {
                let reply: Option<String> = row.try_get(2)?;
                let reply = serde_json::from_str(&reply.unwrap_or_default())?;
                Some(Event::Done(Box::new(reply)))
            }
            WorkState::Parked => {
                let reason: Option<String> = row.try_get(1)?;
                Some(Event::Parked(reason.unwrap_or_default()))
            }
            WorkState::Cancelled => Some(Event::Cancelled),
            WorkState::Queued | WorkState::Running | WorkState::Deferred => None,
        })
    }

    /// Returns the last event of a work item, and waits while the database is unavailable.
    async fn ended_patiently(&self, id: WorkId) -> Result<Option<Event>, FleetError> {
        let mut patience = Patience::new();
        loop {
            match self.ended(id).await {
                Ok(ended) => return Ok(ended),
                Err(error) => patience.wait(error).await?,
            }
        }
    }

    /// Returns the stored events of a work item after the one with a number, and waits while the database is unavailable.
    async fn events_patiently(
        &self,
        id: WorkId,
        after: i64,
    ) -> Result<VecDeque<(i64, Event)>, FleetError> {
        let mut patience = Patience::new();
        loop {
            match self.events(id, after).await {
                Ok(events) => return Ok(events),
                Err(error) => patience.wait(error).await?,
            }
        }
    }

    async fn events(&self, id: WorkId, after: i64) -> Result<VecDeque<(i64, Event)>, FleetError> {
        let rows = sqlx::query(
            "select id, kind, body from inhouse.event where work = $1 and id > $2 order by id limit $3",
        )
        .bind(id.as_uuid())
        .bind(after)
        .bind(BATCH)
        .fetch_all(self.pool().await?)
        .in_time()
        .await?;
        rows.iter().map(read_event).collect()
    }
}

impl Watch {
    /// Waits for the next event; `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<Event, FleetError>> {
        self.events.next().await
    }
}

impl Stream for Watch {
    type Item = Result<Event, FleetError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// The pauses between reads of a database that is unavailable, up to a limit.
struct Patience {
    deadline: Instant,
    backoff: Backoff,
}

impl Patience {
    fn new() -> Self {
        Self {
            deadline: Instant::now() + PATIENCE,
            backoff: Backoff::new(),
        }
    }

    /// Waits before the next read; returns the error if there is none.
    async fn wait(&mut self, error: FleetError) -> Result<(), FleetError> {
        if !error.is_retryable() || Instant::now() >= self.deadline {
            return Err(error);
        }
        self.backoff.wait().await;
        Ok(())
    }
}

fn read_event(row: &PgRow) -> Result<(i64, Event), FleetError> {
    let (kind, body): (String, String) = (row.try_get(1)?, row.try_get(2)?);
    let event = match &*kind {
        "started" => Event::Started { host: body },
        "resumed" => Event::Resumed { host: body },
        "failed" => Event::Failed { reason: body },
        "question" => Event::Question(Box::new(serde_json::from_str(&body)?)),
        "message" => Event::Message(Box::new(Message::decode(body.as_bytes())?)),
        kind => {
            let text = format!("unknown event {kind}");
            return Err(FleetError::new(FleetErrorKind::Corrupt, text));
        }
    };
    Ok((row.try_get(0)?, event))
}
