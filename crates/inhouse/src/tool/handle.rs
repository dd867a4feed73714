use std::sync::Arc;

use super::Tool;
use super::registry::Registry;
use crate::error::{Error, Result};

/// Changes the tools of a server while sessions use it.
///
/// Every session that uses the server tells its CLI that the tools have changed; Claude can call a
/// new tool in the same session. Calls of a removed tool that are running go on.
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
