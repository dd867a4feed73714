use serde_json::Value;

use super::cli::{FakeCli, done};

/// What the CLI says.
///
/// Everything here panics when it cannot be written: the host is gone or does not read.
impl FakeCli {
    /// Any line.
    pub async fn send(&mut self, line: Value) {
        done(self.conversation.send(&line).await);
    }

    /// Bytes as they are: garbage, halves of lines, lines in pieces.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        done(self.conversation.output().bytes(bytes).await);
    }

    /// A whole turn: the state `running`, the init message, the text, its result, the state `idle`.
    ///
    /// Results answer the expected prompts in their order and name them, as all that ends a turn does.
    pub async fn turn(&mut self, text: &str) {
        done(self.conversation.turn(text).await);
    }

    /// The state of the session: `running`, `requires_action` or `idle`.
    pub async fn state(&mut self, state: &str) {
        let line = self.conversation.session().state(state);
        self.send(line).await;
    }

    /// The message with which every turn begins: model, tools, servers.
    pub async fn init(&mut self) {
        let line = self.conversation.session().init();
        self.send(line).await;
    }

    /// A message of the model with this text.
    pub async fn assistant(&mut self, text: &str) {
        let line = self.conversation.session().assistant(text);
        self.send(line).await;
    }

    /// The end of a turn that went well.
    pub async fn result(&mut self, text: &str) {
        let line = self.conversation.session().result(text);
        self.send(line).await;
    }

    /// The end of a turn that failed, such as `error_during_execution` or `error_max_turns`.
    pub async fn error_result(&mut self, subtype: &str, errors: &[&str]) {
        let errors: Vec<_> = errors.iter().map(|&error| error.to_owned()).collect();
        let line = self.conversation.session().error_result(subtype, &errors);
        self.send(line).await;
    }

    /// A request to the host, of which the subtype is a part; returns its id.
    pub async fn ask(&mut self, request: Value) -> String {
        done(self.conversation.ask(&request).await)
    }

    /// Withdraws a request to the host.
    pub async fn cancel(&mut self, id: &str) {
        done(self.conversation.cancel(id).await);
    }
}
