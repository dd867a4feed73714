use super::{Call, Extract, ToolError};

/// The state of the server, or a part of it.
///
/// The state is cloned for every call, so make it cheap to clone: an `Arc`, a pool, a sender.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use inhouse::tool::{State, Tool, ToolServer};
///
/// let server = ToolServer::with_state("counter", Arc::new(AtomicU64::new(0))).tool(Tool::new(
///     "next",
///     "The next number",
///     async |State(counter): State<Arc<AtomicU64>>| counter.fetch_add(1, Ordering::Relaxed),
/// ));
/// # let _ = server;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(
    /// The state.
    pub T,
);

/// A part of a state that handlers can ask for by its type.
///
/// ```
/// use inhouse::tool::FromRef;
///
/// #[derive(Clone)]
/// struct Mailbox;
///
/// #[derive(Clone)]
/// struct App { mailbox: Mailbox }
///
/// impl FromRef<App> for Mailbox {
///     fn from_ref(app: &App) -> Self {
///         app.mailbox.clone()
///     }
/// }
/// ```
pub trait FromRef<S> {
    /// Takes it out of the whole.
    fn from_ref(state: &S) -> Self;
}

impl<S: Clone> FromRef<S> for S {
    fn from_ref(state: &S) -> Self {
        state.clone()
    }
}

impl<S, T: FromRef<S>> Extract<S> for State<T> {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(State(T::from_ref(call.state())))
    }
}
