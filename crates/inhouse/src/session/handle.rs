use std::fmt;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};
use tokio::sync::watch;

use super::Shared;
use crate::control::Control;
use crate::driver::Command;

/// The session that a handler works for.
///
/// A tool takes it as an argument, a handler of hooks or permissions finds it in its context. It
/// does not keep the session alive: one that nobody else holds ends, and its handlers with it.
///
/// ```
/// use inhouse::Session;
/// use inhouse::tool::{Tool, ToolError, ToolServer};
///
/// let pace = ToolServer::new("pace").tool(Tool::new(
///     "think_harder",
///     "Continue with a stronger model",
///     async |session: Session| {
///         let control = session.control().ok_or_else(|| ToolError::new("no session"))?;
///         control.set_model(Some("opus")).await?;
///         Ok::<_, ToolError>("from the next turn on")
///     },
/// ));
/// # let _ = pace;
/// ```
#[derive(Clone, Default)]
pub struct Session {
    joined: Option<Joined>,
}

#[derive(Clone)]
struct Joined {
    commands: WeakUnboundedSender<Command>,
    shared: Weak<Shared>,
    /// Its sender is dropped together with the driver.
    driver: watch::Receiver<()>,
    timeout: Duration,
}

impl Session {
    pub(super) fn new(
        commands: WeakUnboundedSender<Command>,
        shared: Weak<Shared>,
        driver: watch::Receiver<()>,
        timeout: Duration,
    ) -> Self {
        Self {
            joined: Some(Joined {
                commands,
                shared,
                driver,
                timeout,
            }),
        }
    }

    /// The id by which the session can be resumed; `None` before the CLI has told it, and without
    /// a session.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.joined.as_ref()?.shared.upgrade()?.id()
    }

    /// The controls of the session; `None` when it is over, and when there is none, as in a test
    /// that calls a tool by itself.
    ///
    /// Whoever keeps them keeps the session from ending when everyone else has dropped it.
    #[must_use]
    pub fn control(&self) -> Option<Control> {
        let joined = self.joined.as_ref()?;
        let (commands, shared) = (joined.commands.upgrade()?, joined.shared.upgrade()?);
        Some(Control::new(commands, shared, joined.timeout))
    }

    /// Returns what resolves at the end of the session, and the deadline of what is asked of the CLI.
    ///
    /// It does not keep the session from ending, as a clone of the command channel would.
    pub(crate) fn end_and_timeout(&self) -> Option<(watch::Receiver<()>, Duration)> {
        let joined = self.joined.as_ref()?;
        Some((joined.driver.clone(), joined.timeout))
    }

    /// The way to the driver, and the deadline of what is asked of the CLI.
    pub(crate) fn commands(&self) -> Option<(UnboundedSender<Command>, Duration)> {
        let joined = self.joined.as_ref()?;
        Some((joined.commands.upgrade()?, joined.timeout))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
