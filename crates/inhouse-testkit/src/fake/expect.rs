use serde_json::Value;

use super::answer::HostAnswer;
use super::cli::{FakeCli, done};
use super::prompt::Prompt;
use super::request::HostRequest;

/// What the CLI expects of the host.
///
/// Nothing is passed over: whatever else the host says instead fails the test, unless
/// [`ignore`](Self::ignore) names it. A failure panics with what was expected, what came, and the
/// conversation so far; so does a host that lets the deadline pass.
impl FakeCli {
    /// Expects `initialize` and accepts the session; returns what was asked.
    ///
    /// For another answer, expect the request `initialize`.
    pub async fn accept(&mut self) -> Value {
        let initialize = done(self.conversation.accept().await);
        self.launched = self.life.launched();
        self.launched.initialize = initialize.clone();
        initialize
    }

    /// Expects a prompt.
    pub async fn expect_prompt(&mut self) -> Prompt {
        done(self.conversation.prompt().await)
    }

    /// Expects a request of this subtype.
    pub async fn expect_request(&mut self, subtype: &str) -> HostRequest {
        done(self.conversation.request(subtype).await)
    }

    /// Expects that the host withdraws a request of its own; returns its id.
    pub async fn expect_cancel(&mut self) -> String {
        done(self.conversation.withdrawal().await)
    }

    /// Expects the answer to the request with this id.
    pub async fn expect_answer(&mut self, id: &str) -> HostAnswer {
        done(self.conversation.answer(id).await)
    }

    /// Expects the answer to any request; returns the id as well.
    pub async fn expect_any_answer(&mut self) -> (String, HostAnswer) {
        done(self.conversation.any_answer().await)
    }

    /// Expects the end of input.
    pub async fn expect_end_of_input(&mut self) {
        done(self.conversation.end_of_input().await);
    }

    /// Expects to be asked to end, once more than before. Unless told to ignore it, the fake has ended
    /// then.
    pub async fn expect_terminate(&mut self) {
        let terminated = self.life.terminated_more_than(self.terminations);
        done(
            self.conversation
                .event("to be asked to end", terminated)
                .await,
        );
        self.terminations += 1;
    }

    /// Expects to be killed.
    pub async fn expect_kill(&mut self) {
        let killed = self.life.killed();
        done(self.conversation.event("to be killed", killed).await);
    }
}
