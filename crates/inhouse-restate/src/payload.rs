//! The JSON of prompts, answers and statuses.

use inhouse_fleet::{Answer, Question, QuestionId, Reply, WorkId};
use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use uuid::{Builder, Uuid};

/// The namespace of the ids of work items that have a key, or no name at all.
const WORKS: Uuid = Uuid::from_u128(0x9e0c_55d1_3b7a_4f0b_a6e1_7c42_0d8f_19b3);

/// A prompt for a session: the body of a request to `InhouseSession/{session}/enqueue` or `InhouseSession/{session}/prompt`.
///
/// ```
/// use inhouse_restate::Prompt;
///
/// let prompt = Prompt::new("Charge 5 dollars").dedupe("order-9");
/// assert_eq!(serde_json::to_string(&prompt)?, r#"{"prompt":"Charge 5 dollars","dedupe":"order-9"}"#);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Prompt {
    /// The text of the prompt.
    pub prompt: String,
    /// The id of the work, and the uuid of the prompt in the transcript. Made by the caller, so that the work can be named later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<WorkId>,
    /// The key by which a session recognizes the same work when it is sent again. Excludes `id`, which is computed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe: Option<String>,
    /// The tenant that the session belongs to: the session itself unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The answer of `InhouseSession/{session}/enqueue`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Enqueued {
    /// The id of the work in the queue.
    pub work: WorkId,
}

/// An answer to a question: the body of a request to `InhouseWork/{work}/answer`.
///
/// ```
/// use inhouse_fleet::{Answer, QuestionId, WorkId};
/// use inhouse_restate::AnswerRequest;
///
/// let question = QuestionId::of(WorkId::new(), "toolu_1");
/// let request = AnswerRequest::new(question, Answer::Deny("Too expensive".to_owned()));
/// let json = serde_json::to_value(&request)?;
/// assert_eq!(json["answer"]["decision"], "deny");
/// assert_eq!(json["answer"]["detail"], "Too expensive");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AnswerRequest {
    /// The question, from the [status](WorkStatus::questions) of the work.
    pub question: QuestionId,
    /// The answer of the person.
    pub answer: Answer,
}

/// The status of a work item: the answer of `InhouseWork/{work}/status` and `InhouseWork/{work}/cancel`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkStatus {
    /// The state of the work.
    pub state: WorkState,
    /// The reply, if the work is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    /// The reason, if the work is parked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The questions that wait for an answer, if the work is deferred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
}

/// The states of a work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkState {
    /// The work is not known: it was forgotten after the retention, or was sent without `enqueue` and has not begun.
    Unknown,
    /// The work waits for earlier prompts of its session.
    Queued,
    /// The work is the current one of its session.
    Running,
    /// The work waits for answers to its questions.
    Deferred,
    /// The prompt is answered.
    Done,
    /// The work failed too often. Sending the same prompt again tries it again.
    Parked,
    /// The work was cancelled.
    Cancelled,
}

/// The status of a session: the answer of `InhouseSession/{session}/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The work whose prompt is being answered, if there is one.
    pub work: Option<WorkId>,
}

impl Prompt {
    /// Creates a prompt with a new work, for the default tenant.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            id: None,
            dedupe: None,
            tenant: None,
        }
    }

    /// Sets the id of the work.
    ///
    /// ```
    /// use inhouse_fleet::WorkId;
    /// use inhouse_restate::Prompt;
    ///
    /// let id = WorkId::new();
    /// assert_eq!(Prompt::new("Hello").id(id).work_id("customer-42"), Some(id));
    /// ```
    #[must_use]
    pub fn id(mut self, id: WorkId) -> Self {
        self.id = Some(id);
        self
    }

    /// Sets the key by which the session recognizes the same work.
    ///
    /// ```
    /// use inhouse_restate::Prompt;
    ///
    /// assert_eq!(Prompt::new("Hello").dedupe("order-9").dedupe.as_deref(), Some("order-9"));
    /// ```
    #[must_use]
    pub fn dedupe(mut self, key: impl Into<String>) -> Self {
        self.dedupe = Some(key.into());
        self
    }

    /// Sets the tenant; the name of the session unless set.
    ///
    /// ```
    /// use inhouse_restate::Prompt;
    ///
    /// assert_eq!(Prompt::new("Hello").tenant("acme").tenant.as_deref(), Some("acme"));
    /// ```
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Returns the id of the work in a session; `None` without `id` and `dedupe`, because the id then depends on the invocation.
    ///
    /// With a key it is the UUID of version 5 of the session's name, a NUL and the key, in the namespace
    /// `9e0c55d1-3b7a-4f0b-a6e1-7c420d8f19b3`.
    ///
    /// ```
    /// use inhouse_restate::Prompt;
    ///
    /// let id = Prompt::new("Hello").dedupe("order-9").work_id("customer-42");
    /// assert_eq!(id, Prompt::new("Hello").dedupe("order-9").work_id("customer-42"));
    /// assert_ne!(id, Prompt::new("Hello").dedupe("order-9").work_id("customer-43"));
    /// assert_eq!(Prompt::new("Hello").work_id("customer-42"), None);
    /// ```
    #[must_use]
    pub fn work_id(&self, session: &str) -> Option<WorkId> {
        let of_key = |key| named(&format!("{session}\0{key}"));
        self.id.or_else(|| self.dedupe.as_deref().map(of_key))
    }
}

impl AnswerRequest {
    /// Creates an answer to a question.
    #[must_use]
    pub fn new(question: QuestionId, answer: Answer) -> Self {
        Self { question, answer }
    }
}

/// Returns the id of the work of an invocation, which is the same in all of its attempts.
pub(crate) fn id_of_invocation(invocation: &str) -> WorkId {
    named(invocation)
}

/// Returns the UUID of version 5 of a name.
fn named(name: &str) -> WorkId {
    let hash = Sha1::new()
        .chain_update(WORKS.as_bytes())
        .chain_update(name)
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_sha1_bytes(bytes).into_uuid().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_with_an_unknown_member_is_refused() {
        let json = r#"{"prompt":"Hello","dedup":"order-9"}"#;
        assert!(serde_json::from_str::<Prompt>(json).is_err());
        assert!(serde_json::from_str::<Prompt>(r#"{"prompt":"Hello"}"#).is_ok());
    }
}
