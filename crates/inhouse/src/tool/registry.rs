use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use inhouse_proto::mcp::ToolDefinition;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;

use super::Tool;
use super::subscribers::{Listed, Subscriber, Subscribers};
use super::timeout::Concurrency;

/// The CLI's limit for calls of a server that sets no timeout: about 28 hours.
const CLI_DEFAULT_TIMEOUT: Duration = Duration::from_millis(100_000_000);

/// The longest timer of Node.js, which fires a longer one at once.
const MAX_NODE_TIMER: Duration = Duration::from_millis(i32::MAX as u64);

/// The current tools of a server.
pub(super) struct Registry<S> {
    tools: RwLock<Tools<S>>,
    /// The number of changes of the tools.
    revision: watch::Sender<u64>,
    subscribers: Subscribers,
}

/// A tool with the permits that its calls share.
pub(super) struct Entry<S> {
    pub(super) tool: Tool<S>,
    pub(super) concurrency: Concurrency,
}

struct Tools<S> {
    // A list, because it keeps the order, and a linear search over few tools is as fast as a map.
    entries: Vec<Arc<Entry<S>>>,
    duplicates: Vec<String>,
    always_load: bool,
    /// The JSON array of definitions that `tools/list` returns.
    listing: Option<Arc<RawValue>>,
}

impl<S> Registry<S> {
    /// Adds a tool to a server under construction; a second one with its name is a problem.
    pub(super) fn declare(&self, tool: Tool<S>) {
        let mut tools = self.write();
        let name = &tool.definition.name;
        if tools.position(name).is_some() {
            let name = name.clone();
            return tools.duplicates.push(name);
        }
        tools.push(tool);
        self.changed(tools);
    }

    /// Adds a tool, or replaces the one with its name.
    pub(super) fn put(&self, tool: Tool<S>) {
        let mut tools = self.write();
        // Dropped after the lock is released: dropping a handler runs user code.
        let _replaced = match tools.position(&tool.definition.name) {
            Some(at) => {
                let entry = Arc::new(Entry::new(tool));
                Some(std::mem::replace(&mut tools.entries[at], entry))
            }
            None => {
                tools.push(tool);
                None
            }
        };
        self.changed(tools);
    }

    /// Removes a tool; returns whether there was one with this name.
    pub(super) fn remove(&self, name: &str) -> bool {
        let mut tools = self.write();
        let Some(at) = tools.position(name) else {
            return false;
        };
        let _removed = tools.entries.remove(at);
        self.changed(tools);
        true
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<Entry<S>>> {
        let tools = self.read();
        tools
            .position(name)
            .map(|at| Arc::clone(&tools.entries[at]))
    }

    pub(super) fn names(&self) -> Vec<String> {
        let tools = self.read();
        let names = tools.entries.iter();
        names
            .map(|entry| entry.tool.definition.name.clone())
            .collect()
    }

    /// Returns what the CLI would not accept: of a listing with one invalid tool it drops all tools.
    pub(super) fn problems(&self) -> Vec<String> {
        let tools = self.read();
        let duplicates = tools.duplicates.iter();
        duplicates
            .map(|name| format!("there are two tools named `{name}`"))
            .chain(tools.entries.iter().flat_map(|entry| entry.tool.problems()))
            .collect()
    }

    pub(super) fn always_load(&self) {
        let mut tools = self.write();
        tools.always_load = true;
        self.changed(tools);
    }

    #[cfg(feature = "rmcp")]
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Returns how long the CLI has to wait for a call of any tool; `None` if no timeout is set.
    pub(super) fn longest_timeout(&self, server: Option<Duration>) -> Option<Duration> {
        let tools = self.read();
        let limits = tools.entries.iter().map(|entry| entry.tool.timeout);
        if server.is_none() && limits.clone().all(|limit| limit.is_none()) {
            return None;
        }
        limits
            .map(|limit| limit.or(server).unwrap_or(CLI_DEFAULT_TIMEOUT))
            .chain(server)
            .max()
            .map(|limit| limit.min(MAX_NODE_TIMER))
    }

    /// Returns the number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    /// Adds a session that is notified of each change before the method that makes it returns.
    pub(super) fn subscribe(&self, subscriber: Weak<dyn Subscriber>) {
        self.subscribers.add(subscriber);
    }

    /// Returns a future for each live session: it resolves when the client has listed the tools as
    /// they are now.
    pub(super) fn listed(&self) -> Vec<Listed> {
        let revision = self.revision();
        let sessions = self.subscribers.alive();
        sessions
            .iter()
            .map(|session| session.listed(revision))
            .collect()
    }

    /// Returns the definitions as a JSON array, which is cached until the next change.
    pub(super) fn listing(&self) -> Arc<RawValue> {
        if let Some(listing) = &self.read().listing {
            return Arc::clone(listing);
        }
        let mut tools = self.write();
        let definitions: Vec<ToolDefinition> = tools.definitions().collect();
        let json = to_raw_value(&definitions).expect("a definition consists of strings and JSON");
        Arc::clone(tools.listing.insert(json.into()))
    }

    fn changed(&self, mut tools: RwLockWriteGuard<'_, Tools<S>>) {
        tools.listing = None;
        drop(tools);
        self.revision.send_modify(|revision| *revision += 1);
        // On the caller's thread, so that the announcement precedes any prompt that the caller sends
        // next.
        for session in self.subscribers.alive() {
            session.tools_changed();
        }
    }

    // A poisoned lock guards consistent tools: no method panics in the middle of a change.
    fn read(&self) -> RwLockReadGuard<'_, Tools<S>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tools<S>> {
        self.tools.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Default for Registry<S> {
    fn default() -> Self {
        Self {
            tools: RwLock::new(Tools {
                entries: Vec::new(),
                duplicates: Vec::new(),
                always_load: false,
                listing: None,
            }),
            revision: watch::Sender::new(0),
            subscribers: Subscribers::default(),
        }
    }
}

impl<S> Tools<S> {
    fn position(&self, name: &str) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| entry.tool.definition.name == name)
    }

    fn definitions(&self) -> impl Iterator<Item = ToolDefinition> {
        self.entries.iter().map(|entry| {
            let tool = entry.tool.clone();
            match self.always_load {
                true => tool.always_load().definition,
                false => tool.definition,
            }
        })
    }

    fn push(&mut self, tool: Tool<S>) {
        self.entries.push(Arc::new(Entry::new(tool)));
    }
}

impl<S> Entry<S> {
    fn new(tool: Tool<S>) -> Self {
        let concurrency = Concurrency::new(tool.concurrency);
        Self { tool, concurrency }
    }
}
