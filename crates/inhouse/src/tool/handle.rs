use std::sync::Arc;

use super::Tool;
use super::registry::Registry;
use crate::error::{Error, Result};

/// Changes the tools of a server while sessions use it.
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
/// tools.put(Tool::new("now", "What time it is", async || "noon"))?;
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

    /// Adds a tool, or puts it in the place of one with its name.
    ///
    /// # Errors
    /// `Config` when the tool is not in order, and nothing changes: the CLI would drop *all* tools
    /// of the server otherwise.
    pub fn put(&self, tool: Tool<S>) -> Result<()> {
        if let Some(problem) = tool.problems().into_iter().next() {
            return Err(Error::config(problem));
        }
        self.registry.put(tool);
        Ok(())
    }

    /// Waits until the CLI of every live session has listed the tools as they are now.
    ///
    /// Not needed before a prompt, see [`ToolHandle`]. Use it where the tools must be known to the CLI
    /// earlier: in a tool that adds another one for the same turn, or before a program reports that
    /// a tool is available. Without a live session it returns at once.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse::Result<()> {
    /// let tools = ToolServer::new("clock").handle();
    /// tools.put(Tool::new("now", "What time it is", async || "noon"))?;
    /// tools.listed().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Timeout` when a CLI has not listed the tools within
    /// [`Options::control_timeout`](crate::Options::control_timeout) of its session. A session that
    /// ends meanwhile is not an error.
    pub async fn listed(&self) -> Result<()> {
        for session in self.registry.listed() {
            session.await?;
        }
        Ok(())
    }

    /// Removes a tool; false when there is none of that name.
    pub fn remove(&self, name: &str) -> bool {
        self.registry.remove(name)
    }

    /// The names of the tools, in the order in which they were added.
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
