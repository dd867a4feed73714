//! The outcome of a turn.

use inhouse_store::{Epoch, SessionKey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::Question;

/// The outcome of one attempt at a [`Work`](crate::Work).
///
/// In every case the CLI is dead when the outcome is returned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The prompt is answered, and its answer, transcript and workspace are stored.
    Done(Reply),
    /// A call waits for the answer of a person. When the questions are answered, the same work is run again, and continues.
    ///
    /// To give up such a work item, answer its questions with [`Answer::Deny`](crate::Answer::Deny) and run it once more: the call would otherwise
    /// still wait when the next prompt of the session is sent.
    Deferred(Vec<Question>),
    /// The attempt was stopped. The same work can be run again, and continues where it was cut off.
    Cancelled,
    /// The session was lost: another host has taken it over, or the lease could not be renewed in time, as when the store is cut off. Nothing
    /// that this attempt does counts any more. Run the same work again: if another host has answered it, the stored answer is handed out.
    Fenced,
}

/// The answer to a prompt.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reply {
    /// The last text of the model, or the text of the error.
    pub text: Option<String>,
    /// Whether the turn ended in an error, such as one of the API or a limit of the options.
    pub is_error: bool,
    /// The result message of the CLI, as it wrote it.
    pub result: Box<RawValue>,
    /// The ownership of the session under which the answer was stored.
    pub fence: Fence,
}

/// An ownership of a session in its store, by which an engine checks that an outcome still counts.
///
/// An engine that writes to the database of the store compares the epoch in the same statement: under a later one, another host has taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fence {
    /// The project of the session in the store.
    pub project: String,
    /// The id of the session in the store.
    pub session: Uuid,
    /// The epoch of the owner.
    pub epoch: u64,
}

impl Reply {
    /// Creates a reply from the result message of the CLI, for authors of engines and their tests.
    ///
    /// # Errors
    /// Fails if `result` is not JSON.
    ///
    /// ```
    /// use inhouse_fleet::{Fence, Reply};
    /// use uuid::Uuid;
    ///
    /// let fence = Fence::new("-srv-agents", Uuid::nil(), 3);
    /// let reply = Reply::new(r#"{"is_error":false,"result":"42","total_cost_usd":0.5}"#, fence)?;
    /// assert_eq!(reply.text.as_deref(), Some("42"));
    /// assert_eq!(reply.cost_usd(), Some(0.5));
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn new(result: impl Into<String>, fence: Fence) -> serde_json::Result<Self> {
        let result = RawValue::from_string(result.into())?;
        let read = Members::read(&result);
        Ok(Self {
            text: read.result.or_else(|| Some(read.errors?.join("\n"))),
            is_error: read.is_error.unwrap_or_default(),
            result,
            fence,
        })
    }

    /// Returns the cost of the session up to this answer in US dollars, if the CLI reported it.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        Members::read(&self.result).total_cost_usd
    }

    /// Returns the value that satisfies the JSON schema of the options, if they have one.
    #[must_use]
    pub fn structured_output(&self) -> Option<serde_json::Value> {
        Members::read(&self.result).structured_output
    }
}

impl Fence {
    /// Creates a fence, for authors of engines and their tests.
    #[must_use]
    pub fn new(project: impl Into<String>, session: Uuid, epoch: u64) -> Self {
        Self {
            project: project.into(),
            session,
            epoch,
        }
    }

    /// Returns the key of the session.
    ///
    /// # Errors
    /// Fails if the project is not a valid part of a key, which cannot happen for a fence that a host made.
    pub fn key(&self) -> inhouse_store::Result<SessionKey> {
        SessionKey::new(self.project.clone(), self.session.to_string())
    }

    /// Returns the epoch, for writes to the store.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        Epoch::new(self.epoch)
    }
}

/// The members of a result message that a reply shows.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    result: Option<String>,
    errors: Option<Vec<String>>,
    is_error: Option<bool>,
    total_cost_usd: Option<f64>,
    structured_output: Option<serde_json::Value>,
}

impl Members {
    /// Reads the members; none of them if one has another shape, as the result of a newer CLI may have.
    fn read(result: &RawValue) -> Self {
        serde_json::from_str(result.get()).unwrap_or_default()
    }
}
