//! Questions of the model to a person.
//!
//! The tool `AskUserQuestion` puts one to four of them, each with options to choose from.
//! [`Options::on_question`](crate::Options::on_question) answers.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::question::{Answers, QuestionRequest};
//!
//! let options = Options::new().on_question(async |asked: QuestionRequest| {
//!     let mut answers = Answers::new();
//!     for question in &asked.questions {
//!         answers = match question.options.first() {
//!             Some(first) => answers.choose(question, [first]),
//!             None => answers.text(question, "whatever you think"),
//!         };
//!     }
//!     Ok(answers)
//! });
//! # let _ = options;
//! ```

use std::fmt;
use std::ops::Deref;

pub use inhouse_proto::control::incoming::{AskUserQuestion, Question, QuestionOption};
use inhouse_proto::control::incoming::{CanUseTool, QuestionAnswers};

use crate::permission::{Decision, PermissionRequest};
use crate::session::Session;
use crate::tool::Cancelled;

/// What the model wants to know.
///
/// It has all that [`AskUserQuestion`] has, so `request.questions` is there.
///
/// # Cancellation
/// When the turn is interrupted the handler is dropped at its next `await` and nothing is answered.
#[derive(Clone)]
pub struct QuestionRequest {
    asked: AskUserQuestion,
    request: PermissionRequest,
}

impl QuestionRequest {
    pub(crate) fn new(asked: AskUserQuestion, request: PermissionRequest) -> Self {
        Self { asked, request }
    }

    /// The tool call by which the model asks.
    #[must_use]
    pub fn call(&self) -> &CanUseTool {
        &self.request
    }

    /// The session in which it is asked.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.request.session()
    }

    /// Tells work that was handed elsewhere that nobody waits for the answers any more.
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        self.request.cancelled()
    }
}

impl Deref for QuestionRequest {
    type Target = AskUserQuestion;

    fn deref(&self) -> &AskUserQuestion {
        &self.asked
    }
}

impl fmt::Debug for QuestionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuestionRequest")
            .field("questions", &self.questions)
            .finish_non_exhaustive()
    }
}

/// What a person answered.
///
/// A question that is not mentioned was skipped; the model sees which were answered. When none is,
/// it reads that the person did not answer.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "answers have to be returned to be heard"]
pub struct Answers {
    answers: QuestionAnswers,
    dismissed: Option<String>,
}

impl Answers {
    /// No answer yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// No answers at all: the model reads this instead.
    pub fn dismiss(message: impl Into<String>) -> Self {
        Self {
            answers: QuestionAnswers::default(),
            dismissed: Some(message.into()),
        }
    }

    /// Chooses from the options; several only where the question allows it, and none to skip it.
    ///
    /// The preview of a single chosen option goes back to the model, as the CLI's own dialog does
    /// it.
    pub fn choose<'a>(
        mut self,
        question: &Question,
        chosen: impl IntoIterator<Item = &'a QuestionOption>,
    ) -> Self {
        let chosen: Vec<&QuestionOption> = chosen.into_iter().collect();
        if chosen.is_empty() {
            self.answers.answers.remove(&question.question);
            return self;
        }
        let preview = match chosen[..] {
            [option] => option.preview.clone(),
            _ => None,
        };
        let annotations = &mut self.answers.annotations;
        match annotations.get_mut(&question.question) {
            Some(annotation) => annotation.preview = preview,
            None if preview.is_some() => {
                let annotation = annotations.entry(question.question.clone());
                annotation.or_default().preview = preview;
            }
            None => {}
        }
        let labels: Vec<&str> = chosen.iter().map(|option| option.label.as_str()).collect();
        self.text(question, labels.join(", "))
    }

    /// Answers in the person's own words.
    pub fn text(mut self, question: &Question, answer: impl Into<String>) -> Self {
        let answers = &mut self.answers.answers;
        answers.insert(question.question.clone(), answer.into());
        self
    }

    /// Adds a remark, to an answer or instead of one.
    pub fn note(mut self, question: &Question, note: impl Into<String>) -> Self {
        let annotation = self.answers.annotations.entry(question.question.clone());
        annotation.or_default().notes = Some(note.into());
        self
    }

    /// What the CLI is told.
    pub(crate) fn decision(self, call: &CanUseTool) -> Decision {
        match self.dismissed {
            Some(message) => Decision::deny(message),
            None => Decision::allow().input(self.answers.answered_input(call.input.clone())),
        }
    }
}
