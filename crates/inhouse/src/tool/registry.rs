use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use inhouse_proto::mcp::ToolDefinition;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;

use super::Tool;
use super::subscribers::{Listed, Subscriber, Subscribers};
use super::timeout::Limits;

/// The limit that the CLI has for calls of a server that sets none: about 28 hours.
const UNLIMITED: Duration = Duration::from_millis(100_000_000);

/// The longest timer of Node.js: it fires a longer one at once.
const LONGEST_TIMER: Duration = Duration::from_millis(i32::MAX as u64);

/// The tools of a server, as they are now.
pub(super) struct Registry<S> {
    tools: RwLock<Tools<S>>,
    /// Grows with each change of the tools.
    revision: watch::Sender<u64>,
    subscribers: Subscribers,
}

/// A tool and what its calls share.
pub(super) struct Entry<S> {
    pub(super) tool: Tool<S>,
    pub(super) limits: Limits,
}

/// All tools of a server in the form in which they are listed.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// A JSON array of definitions.
    pub(crate) tools: Arc<RawValue>,
}

struct Tools<S> {
    // Few enough that looking at all of them is as fast as a map; and they keep their order.
    entries: Vec<Arc<Entry<S>>>,
    duplicates: Vec<String>,
    always_load: bool,
    listing: Option<Listing>,
}

impl<S> Registry<S> {
    /// Adds a tool when the server is made; a second one of the same name is reported later.
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

    /// Adds a tool, or puts it in the place of one with its name.
    pub(super) fn put(&self, tool: Tool<S>) {
        let mut tools = self.write();
        // Dropped after the lock: what a handler has captured is user code.
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

    /// Removes a tool; false when there is none of that name.
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
        let names = |entry: &Arc<Entry<S>>| entry.tool.definition.name.clone();
        self.read().entries.iter().map(names).collect()
    }

    /// What the CLI would not accept. It drops *all* tools of a server when one is not in order.
    pub(super) fn problems(&self) -> Vec<String> {
        let tools = self.read();
        let twice = |name: &String| format!("there are two tools named `{name}`");
        let mut problems: Vec<String> = tools.duplicates.iter().map(twice).collect();
        problems.extend(tools.entries.iter().flat_map(|entry| entry.tool.problems()));
        problems
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

    /// Returns how long the CLI has to wait for a call of any tool; `None` when no limit is set.
    pub(super) fn longest_timeout(&self, server: Option<Duration>) -> Option<Duration> {
        let tools = self.read();
        let limits = tools.entries.iter().map(|entry| entry.tool.timeout);
        if server.is_none() && limits.clone().all(|limit| limit.is_none()) {
            return None;
        }
        limits
            .map(|limit| limit.or(server).unwrap_or(UNLIMITED))
            .chain(server)
            .max()
            .map(|limit| limit.min(LONGEST_TIMER))
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

    /// Made once for each change of the tools, however many sessions list them.
    pub(super) fn listing(&self) -> Listing {
        if let Some(listing) = &self.read().listing {
            return listing.clone();
        }
        let mut tools = self.write();
        let definitions: Vec<ToolDefinition> = tools.definitions().collect();
        let json = to_raw_value(&definitions).expect("definitions are made of strings and JSON");
        let listing = Listing { tools: json.into() };
        tools.listing = Some(listing.clone());
        listing
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

    // Nothing in here can panic half-way through a change.
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
        let is_it = |entry: &Arc<Entry<S>>| entry.tool.definition.name == name;
        self.entries.iter().position(is_it)
    }

    fn definitions(&self) -> impl Iterator<Item = ToolDefinition> {
        self.entries.iter().map(|entry| {
            let tool = entry.tool.clone();
            let tool = if self.always_load {
                tool.always_load()
            } else {
                tool
            };
            tool.definition
        })
    }

    fn push(&mut self, tool: Tool<S>) {
        self.entries.push(Arc::new(Entry::new(tool)));
    }
}

impl<S> Entry<S> {
    fn new(tool: Tool<S>) -> Self {
        let limits = Limits::new(tool.concurrency);
        Self { tool, limits }
    }
}
