//! Errors of sessions ([`Error`]) and of handlers ([`HandlerError`]).

mod chain;
mod failed_turn;
mod handler;
mod kind;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use inhouse_proto::message::{Received, ResultMessage};

use self::chain::causes;
pub(crate) use self::chain::error_chain;
pub use self::handler::HandlerError;
pub use self::kind::ErrorKind;
use crate::process::ExitStatus;

const TOO_OLD: &str = "; if the flag comes from an option and not from `Options::extra_arg`, the CLI \
     is too old for it: update it with `npm install -g @anthropic-ai/claude-code`";

/// A result whose error is [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a session.
///
/// `Display` says in one paragraph what happened, what to do and why; [`kind`](Error::kind) returns
/// the stage at which it happened. `Debug` is the report that `main` prints when it returns the error:
/// the message, its causes, the exit status of the CLI and the last lines of its stderr. The alternate
/// form (`{:#?}`) shows the fields.
///
/// Cloning is cheap: when the CLI exits, every pending call fails with the same error. Neither form
/// contains prompts, tokens or values of environment variables.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
    exit: Option<ExitStatus>,
    stderr: Option<String>,
    code: Option<String>,
    result: Option<Received<ResultMessage>>,
}

impl Error {
    /// Returns the stage at which the error happened.
    ///
    /// ```
    /// use inhouse::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Spawn, "the container does not start");
    /// assert_eq!(error.kind(), ErrorKind::Spawn);
    /// ```
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns whether a deadline passed.
    ///
    /// ```
    /// use inhouse::{Error, ErrorKind};
    ///
    /// assert!(Error::new(ErrorKind::Timeout, "no answer within 60 s").is_timeout());
    /// ```
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.kind() == ErrorKind::Timeout
    }

    /// Returns whether the CLI exited, or the session was closed, before the operation completed.
    ///
    /// ```
    /// use inhouse::{Error, ErrorKind};
    ///
    /// assert!(Error::new(ErrorKind::Closed, "closed by the host").is_ended());
    /// ```
    #[must_use]
    pub fn is_ended(&self) -> bool {
        matches!(self.kind(), ErrorKind::Exited | ErrorKind::Closed)
    }

    /// Returns the exit status of the CLI, if it exited and the status is known.
    ///
    /// ```
    /// use inhouse::{ExitStatus, query};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let messages = query("Hello")
    /// #   .transport(transport)
    ///     .await?;
    /// let error = messages.text().await.unwrap_err();
    /// assert_eq!(error.exit_status(), Some(ExitStatus::with_code(3)));
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.exit(ExitStatus::with_code(3));
    /// # }));
    /// ```
    #[must_use]
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.0.exit
    }

    /// Returns the last lines that the CLI wrote to stderr, with everything that looks like a secret
    /// redacted.
    ///
    /// ```
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let messages = query("Hello")
    /// #   .transport(transport)
    ///     .await?;
    /// let error = messages.text().await.unwrap_err();
    /// assert_eq!(error.stderr_tail(), Some("out of memory"));
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.stderr("out of memory");
    /// #     cli.exit(inhouse::ExitStatus::with_code(3));
    /// # }));
    /// ```
    #[must_use]
    pub fn stderr_tail(&self) -> Option<&str> {
        self.0.stderr.as_deref()
    }

    /// Returns the machine-readable code with which the CLI refused a control request, such as
    /// `unsupported_request`.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let error = client.control().interrupt().await.unwrap_err();
    /// assert_eq!(error.code(), Some("unsupported_request"));
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("interrupt").await;
    /// #     request.refuse("not now", Some("unsupported_request")).await;
    /// # }));
    /// ```
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Returns the error result with which a turn ended.
    ///
    /// ```
    /// use inhouse::message::ResultSubtype;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let error = client.send("Hello").await?.text().await.unwrap_err();
    /// let result = error.result().expect("the turn failed");
    /// assert_eq!(result.subtype, ResultSubtype::ErrorMaxTurns);
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.error_result("error_max_turns", &[]).await;
    /// # }));
    /// ```
    #[must_use]
    pub fn result(&self) -> Option<&Received<ResultMessage>> {
        self.0.result.as_ref()
    }
}

/// Construction, for implementations of [`Transport`](crate::transport::Transport).
impl Error {
    /// Creates an error with a message that says what happened and what to do.
    ///
    /// ```
    /// use inhouse::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Spawn, "no free port; end a session first");
    /// assert_eq!(error.to_string(), "no free port; end a session first");
    /// ```
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            kind,
            message: message.into(),
            source: None,
            exit: None,
            stderr: None,
            code: None,
            result: None,
        }))
    }

    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message)
    }

    /// Adds the cause of the error.
    ///
    /// ```
    /// use std::io;
    /// use inhouse::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Spawn, "the container does not start")
    ///     .with_source(io::Error::other("no such image"));
    /// assert_eq!(error.to_string(), "the container does not start: no such image");
    /// ```
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        self.change(|inner| inner.source = Some(source.into()))
    }

    /// Returns whether a session store failed, or another host has taken over the session.
    pub(crate) fn is_of_store(&self) -> bool {
        matches!(self.kind(), ErrorKind::Store | ErrorKind::Fenced)
    }

    pub(crate) fn with_exit(self, exit: Option<ExitStatus>, stderr: String) -> Self {
        self.change(|inner| {
            inner.exit = exit;
            // A CLI that does not know a flag says so on stderr only.
            let last = stderr.trim_end().lines().next_back().unwrap_or_default();
            let has_failed = exit.is_some_and(|exit| !exit.success());
            if has_failed && last.contains("unknown option '--") {
                inner.message.push_str(TOO_OLD);
            }
            inner.stderr = (!stderr.is_empty()).then_some(stderr);
        })
    }

    pub(crate) fn with_code(self, code: Option<String>) -> Self {
        self.change(|inner| inner.code = code)
    }

    pub(crate) fn with_result(self, result: Received<ResultMessage>) -> Self {
        self.change(|inner| inner.result = Some(result))
    }

    /// Changes this error; clones of it stay as they are.
    fn change(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }
}

/// Writes the message and the first cause that the message does not contain.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match self.causes().first() {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.fmt_fields(f);
        }
        f.write_str(&self.0.message)?;
        let causes = self.causes();
        if !causes.is_empty() {
            f.write_str("\n\nCaused by:")?;
        }
        for (number, cause) in causes.iter().enumerate() {
            match causes.len() {
                1 => write!(f, "\n    {cause}")?,
                _ => write!(f, "\n    {number}: {cause}")?,
            }
        }
        if let Some(exit) = self.0.exit {
            write!(f, "\n\nThe CLI ended with {exit}.")?;
        }
        if let Some(stderr) = &self.0.stderr {
            f.write_str("\n\nThe last lines of its stderr:")?;
            for line in stderr.lines() {
                write!(f, "\n    {line}")?;
            }
        }
        Ok(())
    }
}

impl Error {
    fn causes(&self) -> Vec<String> {
        causes(&self.0.message, self.source())
    }

    fn fmt_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        let mut out = f.debug_struct("Error");
        out.field("kind", &inner.kind)
            .field("message", &inner.message);
        if let Some(exit) = &inner.exit {
            out.field("exit", exit);
        }
        if let Some(stderr) = &inner.stderr {
            out.field("stderr", stderr);
        }
        if let Some(code) = &inner.code {
            out.field("code", code);
        }
        if let Some(result) = &inner.result {
            // Only the subtype: a result quotes the conversation.
            out.field("result", &result.subtype);
        }
        if let Some(source) = &inner.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_a_cloned_error_is_not_lost() {
        let plain = Error::new(ErrorKind::Spawn, "not started");
        let with_cause = plain.clone().with_source(std::io::Error::other("no image"));
        assert_eq!(plain.to_string(), "not started");
        assert_eq!(with_cause.to_string(), "not started: no image");
    }
}
