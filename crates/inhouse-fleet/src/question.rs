//! Questions about tool calls that wait for a person.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::work::name_based;
use crate::{Fence, Work, WorkId};

/// The namespace of the ids of questions.
const QUESTIONS: Uuid = Uuid::from_u128(0x2f6a_9d13_4c0b_4f6e_8b71_90ae_5d3c_7e42);

/// A tool call that waits until a person has decided about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id of this question. The same call of the same work always has the same one.
    pub id: QuestionId,
    /// The work whose turn made the call.
    pub work: WorkId,
    /// The name of the session.
    pub session: String,
    /// The tenant that the session belongs to.
    pub tenant: String,
    /// The id of the call (`toolu_…`).
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The input of the call.
    pub input: Box<RawValue>,
    /// The ownership of the session under which the question was asked.
    pub fence: Fence,
}

/// The id of a [`Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(Uuid);

/// The answer of a person to a [`Question`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "decision", content = "detail", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// The call is made.
    Allow,
    /// The call is made with this input, a JSON object, instead of that of the model.
    AllowWith(Value),
    /// The call is not made. The model reads the reason.
    Deny(String),
}

impl Answer {
    /// Returns whether a call can be made with this answer: the input of [`AllowWith`](Self::AllowWith) has to be a JSON object. For authors of
    /// engines, who refuse others when they are given.
    ///
    /// ```
    /// use inhouse_fleet::Answer;
    /// use serde_json::json;
    ///
    /// assert!(Answer::AllowWith(json!({"cents": 5})).is_valid());
    /// assert!(!Answer::AllowWith(json!(5)).is_valid());
    /// ```
    #[must_use]
    pub fn is_valid(&self) -> bool {
        match self {
            Self::AllowWith(input) => input.is_object(),
            Self::Allow | Self::Deny(_) => true,
        }
    }
}

impl Question {
    /// Creates a question, for authors of engines and their tests.
    #[must_use]
    pub fn new(
        work: &Work,
        call: impl Into<String>,
        tool: impl Into<String>,
        input: Box<RawValue>,
        fence: Fence,
    ) -> Self {
        let call = call.into();
        Self {
            id: QuestionId::of(work.id, &call),
            work: work.id,
            session: work.session.clone(),
            tenant: work.tenant.clone(),
            call,
            tool: tool.into(),
            input,
            fence,
        }
    }

    /// Returns the answer that allows a call of `AskUserQuestion` with what the person chose, by the text of each question.
    ///
    /// ```
    /// use inhouse_fleet::{Answer, Fence, Question, Work};
    /// use serde_json::value::RawValue;
    /// use uuid::Uuid;
    ///
    /// let input = RawValue::from_string(r#"{"questions":[{"question":"Which colour?"}]}"#.to_owned())?;
    /// let fence = Fence::new("-srv-agents", Uuid::nil(), 1);
    /// let question = Question::new(&Work::new("customer-42", "Paint"), "toolu_1", "AskUserQuestion", input, fence);
    /// let Answer::AllowWith(input) = question.answered_with([("Which colour?", "Red")]) else { panic!() };
    /// assert_eq!(input["answers"]["Which colour?"], "Red");
    /// assert_eq!(input["questions"][0]["question"], "Which colour?");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn answered_with<Q: Into<String>, A: Into<String>>(
        &self,
        answers: impl IntoIterator<Item = (Q, A)>,
    ) -> Answer {
        let answers = answers.into_iter().map(|(q, a)| (q.into(), a.into()));
        let answers: BTreeMap<String, String> = answers.collect();
        let mut input: serde_json::Map<String, Value> =
            serde_json::from_str(self.input.get()).unwrap_or_default();
        input.insert("answers".to_owned(), answers.into_iter().collect());
        Answer::AllowWith(Value::Object(input))
    }
}

impl QuestionId {
    /// Returns the id of the question about a call.
    ///
    /// ```
    /// use inhouse_fleet::{QuestionId, WorkId};
    ///
    /// let work = WorkId::new();
    /// assert_eq!(QuestionId::of(work, "toolu_1"), QuestionId::of(work, "toolu_1"));
    /// assert_ne!(QuestionId::of(work, "toolu_1"), QuestionId::of(work, "toolu_2"));
    /// ```
    #[must_use]
    pub fn of(work: WorkId, call: &str) -> Self {
        Self(name_based(QUESTIONS, &[&work.to_string(), call]))
    }

    /// Returns the id as a UUID.
    #[must_use]
    pub fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for QuestionId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for QuestionId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Answers that are known before a turn, by the ids of their questions.
///
/// The [`TurnEvents`](crate::TurnEvents) of an engine that keeps answers itself and has no use for the other events.
///
/// ```
/// use inhouse_fleet::{Answer, Answers, QuestionId, WorkId};
///
/// let work = WorkId::new();
/// let answers = Answers::from([(QuestionId::of(work, "toolu_1"), Answer::Allow)]);
/// assert!(answers.get(QuestionId::of(work, "toolu_1")).is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<QuestionId, Answer>);

impl Answers {
    /// Returns the answer to a question.
    #[must_use]
    pub fn get(&self, question: QuestionId) -> Option<&Answer> {
        self.0.get(&question)
    }
}

impl<const N: usize> From<[(QuestionId, Answer); N]> for Answers {
    fn from(answers: [(QuestionId, Answer); N]) -> Self {
        Self(HashMap::from(answers))
    }
}

impl FromIterator<(QuestionId, Answer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (QuestionId, Answer)>>(answers: I) -> Self {
        Self(answers.into_iter().collect())
    }
}
