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
/// A tool takes it as an argument; a hook or permission handler finds it in its context. It is a weak
/// reference: when every [`Client`](crate::Client), [`MessageStream`](crate::MessageStream) and
/// [`Control`] is dropped, the session ends and its handlers are dropped.
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
    /// `None` outside of a session, as in a test that calls a tool directly.
    refs: Option<SessionRefs>,
}

#[derive(Clone)]
struct SessionRefs {
    commands: WeakUnboundedSender<Command>,
    shared: Weak<Shared>,
    /// Closed when the driver's task, which holds the sender, is dropped.
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
            refs: Some(SessionRefs {
                commands,
                shared,
                driver,
                timeout,
            }),
        }
    }

    /// Returns the id by which the session can be resumed.
    ///
    /// `None` until the CLI has reported it, which it does at the start of every turn; after the
    /// session has ended; and outside of a session.
    ///
    /// ```
    /// use inhouse::Session;
    ///
    /// assert_eq!(Session::default().id(), None);
    /// ```
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.refs.as_ref()?.shared.upgrade()?.session_id()
    }

    /// Returns a control handle for the session.
    ///
    /// `None` after the session has ended, and outside of a session, as in a test that calls a tool
    /// directly. The session does not end while the returned handle is kept.
    ///
    /// ```
    /// use inhouse::Session;
    ///
    /// assert!(Session::default().control().is_none());
    /// ```
    #[must_use]
    pub fn control(&self) -> Option<Control> {
        let refs = self.refs.as_ref()?;
        let (commands, shared) = (refs.commands.upgrade()?, refs.shared.upgrade()?);
        Some(Control::new(commands, shared, refs.timeout))
    }

    /// Returns a receiver that is closed at the end of the session, and the default timeout of
    /// control requests.
    ///
    /// The receiver does not keep the session from ending, as a clone of the command channel would.
    pub(crate) fn end_and_timeout(&self) -> Option<(watch::Receiver<()>, Duration)> {
        let refs = self.refs.as_ref()?;
        Some((refs.driver.clone(), refs.timeout))
    }

    /// Returns the command channel of the driver and the default timeout of control requests.
    pub(crate) fn commands(&self) -> Option<(UnboundedSender<Command>, Duration)> {
        let refs = self.refs.as_ref()?;
        Some((refs.commands.upgrade()?, refs.timeout))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
