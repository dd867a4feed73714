use std::sync::Arc;

use super::Tool;
use super::registry::Registry;
use crate::error::{Error, Result};

/// Changes the tools of a [`ToolServer`](super::ToolServer) while sessions use it.
///
/// Each change is announced to the CLI of every session that uses the server before the method
/// returns, so a prompt that is sent afterwards reaches the CLI behind the announcement. CLI 2.1.325
/// then lists the tools again before it starts the turn: Claude can call a new tool in the turn of
/// the next prompt. Older CLIs may ignore the announcement (2.1.197 does) and keep the tools with
/// which the session began. Running calls of a removed tool are not cancelled.
///
/// ```
/// use inhouse::tool::{Tool, ToolServer};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse::Result<()> {
/// let server = ToolServer::new("clock");
/// let tools = server.handle();
/// tools.put(Tool::new("now", "The current time", async || "noon"))?;
/// assert_eq!(server.call("now", json!({})).await.all_text(), "noon");
/// assert!(tools.remove("now"));
/// assert!(server.call("now", json!({})).await.is_error);
/// # Ok(())
/// # }
/// ```
pub struct ToolHandle<S = ()> {
    registry: Arc<Registry<S>>,
}

impl<S> ToolHandle<S> {
    pub(super) fn new(registry: Arc<Registry<S>>) -> Self {
        Self { registry }
    }

    /// Adds a tool, or replaces the tool with the same name.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// server.handle().put(Tool::new("now", "The time", async || "midnight"))?;
    /// assert_eq!(server.call("now", json!({})).await.all_text(), "midnight");
    /// # Ok::<(), inhouse::Error>(())
    /// # })?;
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` if the tool is invalid, such as one without a name; nothing changes then. (Of a
    /// listing with one invalid tool the CLI would drop all tools.)
    pub fn put(&self, tool: Tool<S>) -> Result<()> {
        if let Some(problem) = tool.problems().into_iter().next() {
            return Err(Error::config(problem));
        }
        self.registry.put(tool);
        Ok(())
    }

    /// Waits until the CLI of every live session has listed the tools as they are now.
    ///
    /// Not needed before a prompt, see [`ToolHandle`]. Use it where the CLI must know the tools
    /// earlier: in a tool that adds another one for the same turn, or before a program reports that
    /// a tool is available. Returns at once if no session uses the server.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse::Result<()> {
    /// let tools = ToolServer::new("clock").handle();
    /// tools.put(Tool::new("now", "The current time", async || "noon"))?;
    /// tools.listed().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Timeout` if a CLI does not list the tools within
    /// [`Options::control_timeout`](crate::Options::control_timeout) of its session. A session that
    /// ends in the meantime is no error.
    pub async fn listed(&self) -> Result<()> {
        for session in self.registry.listed() {
            session.await?;
        }
        Ok(())
    }

    /// Removes a tool, and returns whether there was one with this name.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// let server = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// assert!(server.handle().remove("now"));
    /// assert!(!server.handle().remove("now"));
    /// ```
    pub fn remove(&self, name: &str) -> bool {
        self.registry.remove(name)
    }

    /// Returns the names of the tools in the order in which they were added.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// let server = ToolServer::new("clock")
    ///     .tool(Tool::new("now", "The time", async || "noon"))
    ///     .tool(Tool::new("today", "The date", async || "Monday"));
    /// assert_eq!(server.handle().names(), ["now", "today"]);
    /// ```
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.registry.names()
    }
}

impl<S> Clone for ToolHandle<S> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.registry))
    }
}
