//! What can go wrong, and what the caller can ask of it.

mod failed_turn;
mod handler;
mod kind;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use inhouse_proto::message::ResultMessage;

pub use self::handler::HandlerError;
pub(crate) use self::handler::with_causes;
pub use self::kind::ErrorKind;
use crate::process::ExitStatus;

const TOO_OLD: &str = "; if the flag comes from an option and not from `Options::extra_arg`, the CLI \
     is too old for it: update it with `npm install -g @anthropic-ai/claude-code`";

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of inhouse.
///
/// `Display` says what happened, what to do next and why, in one paragraph;
/// [`kind`](Error::kind) tells the stage at which it happened. `Debug` is the report that `main`
/// prints when it returns the error: the message, its causes, how the CLI exited and the last lines
/// of its stderr. Its alternate form (`{:#?}`) shows the fields.
///
/// An error is cheap to clone, because the end of a CLI fails everyone who waits for it with the
/// same cause. Neither form contains prompts, tokens or values of the environment.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    exit: Option<ExitStatus>,
    stderr: Option<String>,
    code: Option<String>,
    result: Option<Box<ResultMessage>>,
}

impl Error {
    /// The stage at which it happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether a deadline passed.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.kind() == ErrorKind::Timeout
    }

    /// Whether the CLI ended, or the session was closed, while something was still wanted of it.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        matches!(self.kind(), ErrorKind::Exited | ErrorKind::Closed)
    }

    /// How the CLI ended, if it did and the status is known.
    #[must_use]
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.0.exit
    }

    /// The last that the CLI wrote to stderr, with what looks like a secret masked.
    #[must_use]
    pub fn stderr_tail(&self) -> Option<&str> {
        self.0.stderr.as_deref()
    }

    /// The machine-readable code with which the CLI refused a control request, such as
    /// `unsupported_request`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The result with which a turn failed.
    #[must_use]
    pub fn result(&self) -> Option<&ResultMessage> {
        self.0.result.as_deref()
    }
}

/// Construction: for transports of your own, which fail in ways of their own.
impl Error {
    /// An error of a kind, in words that say what happened and what to do.
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

    /// The same with its cause.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        self.map(|inner| inner.source = Some(source))
    }

    pub(crate) fn with_exit(self, exit: Option<ExitStatus>, stderr: String) -> Self {
        self.map(|inner| {
            inner.exit = exit;
            // The CLI has no other way to say it: it does not know the flag.
            let last = stderr.trim_end().lines().next_back().unwrap_or_default();
            let has_failed = exit.is_some_and(|exit| !exit.success());
            if has_failed && last.contains("unknown option '--") {
                inner.message.push_str(TOO_OLD);
            }
            inner.stderr = (!stderr.is_empty()).then_some(stderr);
        })
    }

    pub(crate) fn with_code(self, code: Option<String>) -> Self {
        self.map(|inner| inner.code = code)
    }

    pub(crate) fn with_result(self, result: ResultMessage) -> Self {
        self.map(|inner| inner.result = Some(Box::new(result)))
    }

    fn map(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        // One that is shared already stays as it is; what is under construction never is.
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            change(inner);
        }
        self
    }
}

/// Shows the message, and the cause behind it unless the message names it already.
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
    /// Returns the texts of the sources, without those that the text before them contains.
    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut shown = self.0.message.clone();
        let mut source = self.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !shown.contains(&text) {
                causes.push(text.clone());
                shown = text;
            }
            source = cause.source();
        }
        causes
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
            // The subtype and not the whole: a result quotes the conversation.
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
