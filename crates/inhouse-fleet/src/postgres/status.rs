use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use uuid::Uuid;

use super::statement::Statement as _;
use super::{Fleet, FleetError, FleetErrorKind};
use crate::{Question, WorkId};

/// The state of a work item in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkState {
    /// The work waits for its turn, its time, or the next attempt.
    Queued,
    /// A host runs the work.
    Running,
    /// The work waits for answers of a person. No process runs for it.
    Deferred,
    /// The work is answered.
    Done,
    /// The work was put aside, by a person or after too many failed attempts.
    Parked,
    /// The work was cancelled.
    Cancelled,
}

/// The state of a session that has unanswered prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// The session waits for the time of a prompt, or for the pause after a failed attempt.
    Delayed,
    /// The session waits for a free slot of a host.
    Ready,
    /// A host runs the session.
    Running,
    /// The session waits for answers of a person.
    Deferred,
}

/// The state of a fleet, from [`Fleet::status`]. Times are those of the database's clock; as JSON, milliseconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FleetStatus {
    /// The time of this status.
    #[serde(with = "milliseconds")]
    pub now: SystemTime,
    /// The counts of the queue.
    pub queue: QueueStatus,
    /// The hosts by name. A dead one is listed until its work was given to others.
    pub hosts: Vec<HostStatus>,
    /// Sessions with unanswered prompts, the one with the oldest next prompt first. Of more than 10,000, those that became ready first.
    pub sessions: Vec<SessionStatus>,
    /// Parked work, the newest first; 1,000 at most.
    pub parked: Vec<ParkedWork>,
    /// Questions without an answer, the oldest first; 1,000 at most.
    pub questions: Vec<OpenQuestion>,
}

/// The counts of a queue, in a [`FleetStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QueueStatus {
    /// The number of prompts that wait for their turn, their time, or the next attempt.
    pub queued: u64,
    /// The number of prompts that run.
    pub running: u64,
    /// The number of prompts that wait for answers.
    pub deferred: u64,
    /// The number of sessions that wait for a time.
    pub delayed: u64,
    /// The number of prompts that were put aside.
    pub parked: u64,
    /// The number of sessions with unanswered prompts.
    pub sessions: u64,
    /// The number of questions without an answer.
    pub questions: u64,
    /// The oldest next prompt of the sessions that wait neither for a person nor for a time. Its age is the one to alert on.
    pub oldest: Option<OldestWork>,
}

/// The oldest unanswered prompt, in a [`QueueStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OldestWork {
    /// The id of the work.
    pub work: WorkId,
    /// The name of its session.
    pub session: String,
    /// The time at which it was enqueued.
    #[serde(with = "milliseconds")]
    pub created: SystemTime,
}

/// A host, in a [`FleetStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostStatus {
    /// The name of the host.
    pub name: String,
    /// The id of this run of the host: a host that starts again has another one.
    pub incarnation: Uuid,
    /// The number of turns that the host runs at most.
    pub slots: u32,
    /// The number of turns that the host runs.
    pub active: u32,
    /// Whether the host takes no further work.
    pub draining: bool,
    /// The time since which the host serves.
    #[serde(with = "milliseconds")]
    pub since: SystemTime,
    /// The time at which the host counts as dead, unless a heartbeat comes before.
    #[serde(with = "milliseconds")]
    pub alive_until: SystemTime,
}

/// A session with unanswered prompts, in a [`FleetStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The name of the session.
    pub name: String,
    /// The tenant of its next prompt.
    pub tenant: String,
    /// The state of the session.
    pub state: SessionState,
    /// The priority of its next prompt.
    pub priority: i32,
    /// The time since which it is ready, or at which it becomes so.
    #[serde(with = "milliseconds")]
    pub ready_at: SystemTime,
    /// The prompt that has begun, otherwise the next one.
    pub work: WorkId,
    /// The first 200 characters of that prompt.
    pub prompt: String,
    /// The time at which it was enqueued.
    #[serde(with = "milliseconds")]
    pub created: SystemTime,
    /// The time at which it began.
    #[serde(with = "optional_milliseconds")]
    pub started: Option<SystemTime>,
    /// The number of prompts of this session that wait; 1,000 at most.
    pub queued: u64,
    /// The number of failed attempts of that prompt that count.
    pub attempts: u32,
    /// The name of the host that runs it.
    pub host: Option<String>,
    /// The reason why the last attempt failed.
    pub reason: Option<String>,
    /// Whether its host is asked to stop it, to cancel or park it.
    pub stopping: bool,
}

/// A work that was put aside, in a [`FleetStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParkedWork {
    /// The id of the work.
    pub work: WorkId,
    /// The name of its session.
    pub session: String,
    /// The tenant of the work.
    pub tenant: String,
    /// The first 200 characters of the prompt.
    pub prompt: String,
    /// The number of failed attempts that count.
    pub attempts: u32,
    /// The reason why it was parked.
    pub reason: Option<String>,
    /// The time at which it was enqueued.
    #[serde(with = "milliseconds")]
    pub created: SystemTime,
    /// The time at which it was parked.
    #[serde(with = "milliseconds")]
    pub parked: SystemTime,
}

/// A question without an answer, in a [`FleetStatus`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The question, for [`Fleet::answer`].
    pub question: Question,
    /// The time at which it was asked.
    #[serde(with = "milliseconds")]
    pub asked: SystemTime,
    /// The time at which the call is denied without an answer.
    #[serde(with = "milliseconds")]
    pub expires: SystemTime,
}

/// A work, from [`Fleet::work`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkStatus {
    /// The state of the work.
    pub state: WorkState,
    /// The number of failed attempts that count.
    pub attempts: u32,
    /// The host that ran it last.
    pub host: Option<String>,
    /// The reason why it was parked, or why the last attempt failed.
    pub reason: Option<String>,
}

impl Fleet {
    /// Returns the state of the queue, the hosts and the sessions, of one moment.
    ///
    /// Counts all unanswered prompts, by an index, and describes some of them, so call it for people and metrics, and not for each prompt.
    ///
    /// ```no_run
    /// # async fn example(fleet: inhouse_fleet::Fleet) -> Result<(), inhouse_fleet::FleetError> {
    /// let status = fleet.status().await?;
    /// println!("{} queued, {} running on {} hosts", status.queue.queued, status.queue.running, status.hosts.len());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Unavailable`](FleetErrorKind::Unavailable) if the database cannot be reached.
    pub async fn status(&self) -> Result<FleetStatus, FleetError> {
        let status: String = sqlx::query_scalar(include_str!("status.sql"))
            .fetch_one(self.pool().await?)
            .in_time()
            .await?;
        let read: StoredStatus = serde_json::from_str(&status)?;
        read.decode()
    }

    /// Returns the state of one work.
    ///
    /// ```no_run
    /// use inhouse_fleet::WorkId;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: WorkId) -> Result<(), inhouse_fleet::FleetError> {
    /// let work = fleet.work(&id).await?;
    /// println!("{} after {} failed attempts", work.state, work.attempts);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn work(&self, id: &WorkId) -> Result<WorkStatus, FleetError> {
        let row =
            sqlx::query("select state, attempts, host, reason from inhouse.work where id = $1")
                .bind(id.as_uuid())
                .fetch_optional(self.pool().await?)
                .in_time()
                .await?;
        let row = row.ok_or_else(|| FleetError::not_found("work", id))?;
        Ok(WorkStatus {
            state: WorkState::read(row.try_get(0)?)?,
            attempts: row.try_get::<i32, _>(1)?.unsigned_abs(),
            host: row.try_get(2)?,
            reason: row.try_get(3)?,
        })
    }
}

/// The status as the database writes it: questions are texts of JSON.
#[derive(Deserialize)]
struct StoredStatus {
    #[serde(with = "milliseconds")]
    now: SystemTime,
    queue: QueueStatus,
    hosts: Vec<HostStatus>,
    sessions: Vec<SessionStatus>,
    parked: Vec<ParkedWork>,
    questions: Vec<StoredQuestion>,
}

#[derive(Deserialize)]
struct StoredQuestion {
    question: String,
    #[serde(with = "milliseconds")]
    asked: SystemTime,
    #[serde(with = "milliseconds")]
    expires: SystemTime,
}

impl StoredStatus {
    fn decode(self) -> Result<FleetStatus, FleetError> {
        let mut questions = Vec::new();
        for stored in self.questions {
            questions.push(OpenQuestion {
                question: serde_json::from_str(&stored.question)?,
                asked: stored.asked,
                expires: stored.expires,
            });
        }
        Ok(FleetStatus {
            now: self.now,
            queue: self.queue,
            hosts: self.hosts,
            sessions: self.sessions,
            parked: self.parked,
            questions,
        })
    }
}

impl WorkState {
    pub(super) fn read(text: &str) -> Result<Self, FleetError> {
        Ok(match text {
            "queued" => Self::Queued,
            "running" => Self::Running,
            "deferred" => Self::Deferred,
            "done" => Self::Done,
            "parked" => Self::Parked,
            "cancelled" => Self::Cancelled,
            text => {
                let text = format!("unknown state {text}");
                return Err(FleetError::new(FleetErrorKind::Corrupt, text));
            }
        })
    }
}

impl fmt::Display for WorkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Deferred => "deferred",
            Self::Done => "done",
            Self::Parked => "parked",
            Self::Cancelled => "cancelled",
        })
    }
}

impl fmt::Display for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Delayed => "delayed",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Deferred => "deferred",
        })
    }
}

/// Times as milliseconds since 1970.
mod milliseconds {
    use std::time::{Duration, SystemTime};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
        of(*time).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
        i64::deserialize(from).map(time)
    }

    pub(super) fn of(time: SystemTime) -> i64 {
        let since = time
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    pub(super) fn time(milliseconds: i64) -> SystemTime {
        let since = Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default());
        SystemTime::UNIX_EPOCH + since
    }
}

mod optional_milliseconds {
    use std::time::SystemTime;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::milliseconds;

    pub(super) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(milliseconds::of).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        Ok(Option::<i64>::deserialize(from)?.map(milliseconds::time))
    }
}
