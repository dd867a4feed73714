use async_trait::async_trait;
use inhouse::HandlerError;
use inhouse::message::Message;
use tokio_util::sync::CancellationToken;

use super::HostError;
use crate::{Answer, Answers, Fence, Outcome, Question, Work};

/// Receives what a host reports while a turn runs. An engine stores or forwards it.
///
/// A turn waits for each of these calls. [`question`](Self::question) may be called while another one is under way.
#[async_trait]
pub trait TurnEvents: Send + Sync {
    /// Called once this host owns the session, before its workspace is prepared. Does nothing by default.
    async fn started(&self, _fence: &Fence) {}

    /// Called for each message of the CLI. Does nothing by default.
    async fn message(&self, _message: &Message) {}

    /// Stores a question unless it is stored already, and returns its answer if there is one.
    ///
    /// Without an answer the call is deferred, and the turn ends with [`Outcome::Deferred`]. A question is asked again when the turn
    /// continues, under the same [id](Question::id): it must not become a second one, and its answer must be returned then.
    ///
    /// # Errors
    /// If the question cannot be stored, the CLI is killed and the turn fails: the call is neither made nor lost.
    async fn question(&self, question: &Question) -> Result<Option<Answer>, HandlerError>;
}

/// Answers questions that have an answer here, and defers all others.
#[async_trait]
impl TurnEvents for Answers {
    async fn question(&self, question: &Question) -> Result<Option<Answer>, HandlerError> {
        Ok(self.get(question.id).cloned())
    }
}

/// Runs turns. A [`Host`](crate::Host) does so with the CLI; tests of engines bring their own.
#[async_trait]
pub trait RunTurn: Send + Sync {
    /// Runs one attempt at a work item; see [`Host::run_turn_with`](crate::Host::run_turn_with).
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError>;

    /// Returns the number of turns that may run at the same time. An engine claims no more than that.
    fn slots(&self) -> usize;
}
