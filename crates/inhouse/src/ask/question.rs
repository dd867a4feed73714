//! Questions that Claude asks the user.
//!
//! Claude asks one to four multiple-choice questions with the tool `AskUserQuestion`.
//! [`Options::on_question`](crate::Options::on_question) answers them.
//!
//! ```
//! use inhouse::question::{Answers, QuestionRequest};
//! use inhouse::{Asked, Options};
//!
//! let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
//!     let mut answers = Answers::new();
//!     for question in &asked.request.questions {
//!         answers = match question.options.first() {
//!             Some(first) => answers.choose(question, [first]),
//!             None => answers.text(question, "no preference"),
//!         };
//!     }
//!     Ok(answers)
//! });
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     let question = serde_json::json!({"question": "Which colour?", "options": []});
//! #     let input = serde_json::json!({"questions": [question]});
//! #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
//! #     assert_eq!(reply["updatedInput"]["answers"]["Which colour?"], "no preference");
//! # }));
//! ```

use std::mem;

#[doc(inline)]
pub use inhouse_proto::control::incoming::{AskUserQuestion, Question, QuestionOption};
use inhouse_proto::control::incoming::{CanUseTool, QuestionAnswers};
use serde_json::Value;

use super::asked::Subject;
use super::permission::Decision;

/// A call of `AskUserQuestion`: questions that Claude asks the user.
///
/// ```
/// use inhouse::question::{Answers, QuestionRequest};
/// use inhouse::{Asked, Options};
///
/// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
///     let questions = asked.request.questions.iter();
///     Ok(questions.fold(Answers::new(), |answers, question| {
///         answers.text(question, format!("{} options are too many", question.options.len()))
///     }))
/// });
/// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
/// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
/// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
/// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
/// #     assert_eq!(reply["updatedInput"]["answers"]["Which colour?"], "1 options are too many");
/// # }));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuestionRequest {
    /// The questions, one to four.
    pub questions: Vec<Question>,
    /// The source of the questions, as the CLI describes it.
    pub metadata: Option<Value>,
    /// The tool call by which the model asks.
    pub call: CanUseTool,
}

impl Subject for QuestionRequest {
    fn subject(&self) -> &str {
        &self.call.tool_name
    }
}

impl QuestionRequest {
    pub(super) fn new(asked: AskUserQuestion, call: CanUseTool) -> Self {
        Self {
            questions: asked.questions,
            metadata: asked.metadata,
            call,
        }
    }
}

/// The answers of the user to a [`QuestionRequest`].
///
/// A question without an answer counts as skipped; the model sees which questions were answered. If
/// there is no answer at all, the model reads that the user did not answer.
///
/// ```
/// use inhouse::question::Answers;
///
/// // No answer at all: the model reads that the user did not answer.
/// assert_eq!(Answers::new(), Answers::default());
/// assert_ne!(Answers::dismiss("Decide for yourself."), Answers::new());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "answers have no effect unless the handler returns them"]
pub struct Answers {
    answers: QuestionAnswers,
    dismissed: Option<String>,
}

impl Answers {
    /// Creates an empty set of answers, in which every question counts as skipped.
    ///
    /// ```
    /// use inhouse::question::{Answers, QuestionRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
    ///     Ok(Answers::new())
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
    /// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
    /// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
    /// #     assert_eq!(reply["updatedInput"]["answers"], serde_json::json!({}));
    /// # }));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Refuses to answer: the model reads `message` instead of answers.
    ///
    /// ```
    /// use inhouse::question::{Answers, QuestionRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
    ///     Ok(Answers::dismiss("Decide for yourself."))
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
    /// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
    /// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
    /// #     assert_eq!(reply["message"], "Decide for yourself.");
    /// # }));
    /// ```
    pub fn dismiss(message: impl Into<String>) -> Self {
        Self {
            answers: QuestionAnswers::default(),
            dismissed: Some(message.into()),
        }
    }

    /// Answers a question with one of its options, or with several if the question allows it.
    ///
    /// Choosing none skips the question. The preview of a single chosen option is sent back to the
    /// model, as the dialog of the CLI does (2.1.325).
    ///
    /// ```
    /// use inhouse::question::{Answers, QuestionRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
    ///     let question = &asked.request.questions[0];
    ///     Ok(Answers::new().choose(question, question.options.first()))
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
    /// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
    /// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
    /// #     assert_eq!(reply["updatedInput"]["answers"]["Which colour?"], "Blue");
    /// # }));
    /// ```
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
        // An option without a preview adds no annotation, but clears the preview of an earlier choice.
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

    /// Answers a question in the user's own words.
    ///
    /// ```
    /// use inhouse::question::{Answers, QuestionRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
    ///     Ok(Answers::new().text(&asked.request.questions[0], "Mauve"))
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
    /// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
    /// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
    /// #     assert_eq!(reply["updatedInput"]["answers"]["Which colour?"], "Mauve");
    /// # }));
    /// ```
    pub fn text(mut self, question: &Question, answer: impl Into<String>) -> Self {
        let answers = &mut self.answers.answers;
        answers.insert(question.question.clone(), answer.into());
        self
    }

    /// Adds a note to a question, whether or not it has an answer.
    ///
    /// ```
    /// use inhouse::question::{Answers, QuestionRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().on_question(async |asked: Asked<QuestionRequest>| {
    ///     let question = &asked.request.questions[0];
    ///     Ok(Answers::new().text(question, "Blue").note(question, "the dark one"))
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let option = serde_json::json!({"label": "Blue", "description": "like the sky"});
    /// #     let input = serde_json::json!({"questions": [{"question": "Which colour?", "options": [option]}]});
    /// #     let reply = cli.can_use_tool("AskUserQuestion", input).await;
    /// #     assert_eq!(reply["updatedInput"]["annotations"]["Which colour?"]["notes"], "the dark one");
    /// # }));
    /// ```
    pub fn note(mut self, question: &Question, note: impl Into<String>) -> Self {
        let annotation = self.answers.annotations.entry(question.question.clone());
        annotation.or_default().notes = Some(note.into());
        self
    }

    /// Allows the call and puts the answers into its input, where the CLI expects them; denies a
    /// dismissed call.
    pub(super) fn into_decision(self, call: &mut CanUseTool) -> Decision {
        if let Some(message) = self.dismissed {
            return Decision::deny(message);
        }
        call.input = self.answers.answered_input(mem::take(&mut call.input));
        Decision::allow()
    }
}
