use super::{Call, Extract, ToolError};

/// The state of the server, or a part of it that implements [`FromRef`].
///
/// The value is cloned for every call, so make it cheap to clone: an `Arc`, a pool, a sender.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use inhouse::tool::{State, Tool, ToolServer};
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let server = ToolServer::with_state("counter", Arc::new(AtomicU64::new(0))).tool(Tool::new(
///     "next",
///     "The next number",
///     async |State(counter): State<Arc<AtomicU64>>| counter.fetch_add(1, Ordering::Relaxed),
/// ));
/// assert_eq!(server.call("next", json!({})).await.all_text(), "0");
/// assert_eq!(server.call("next", json!({})).await.all_text(), "1");
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(
    /// The cloned state, or the part of it.
    pub T,
);

/// A part of a server's state, for handlers that take it as [`State<Part>`](State).
///
/// ```
/// use inhouse::tool::{FromRef, State, Tool, ToolServer};
/// use serde_json::json;
///
/// #[derive(Clone)]
/// struct Mailbox {
///     unread: u32,
/// }
///
/// struct App {
///     mailbox: Mailbox,
/// }
///
/// impl FromRef<App> for Mailbox {
///     fn from_ref(app: &App) -> Self {
///         app.mailbox.clone()
///     }
/// }
///
/// # inhouse_testkit::run(async {
/// let unread = async |State(mailbox): State<Mailbox>| mailbox.unread;
/// let server = ToolServer::with_state("mail", App { mailbox: Mailbox { unread: 2 } })
///     .tool(Tool::new("unread", "The number of unread mails", unread));
/// assert_eq!(server.call("unread", json!({})).await.all_text(), "2");
/// # });
/// ```
pub trait FromRef<S> {
    /// Returns this part of the state.
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
