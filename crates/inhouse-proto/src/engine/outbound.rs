use std::collections::BTreeMap;
use std::time::Instant;

use crate::id::RequestId;

/// Requests of the host that wait for a reply, with their deadlines.
#[derive(Debug)]
pub(super) struct Outbound {
    // Few are ever open at once, so the next deadline is found by looking at all of them.
    open: BTreeMap<RequestId, Option<Instant>>,
    next_id: RequestId,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            open: BTreeMap::new(),
            next_id: RequestId::first(),
        }
    }
}

impl Outbound {
    pub(super) fn open(&mut self, deadline: Option<Instant>) -> RequestId {
        let id = self.next_id;
        self.next_id = id.next();
        self.open.insert(id, deadline);
        id
    }

    /// Closes a request; false when it was not open.
    pub(super) fn close(&mut self, id: RequestId) -> bool {
        self.open.remove(&id).is_some()
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.open.values().flatten().min().copied()
    }

    /// Closes and returns every request whose deadline has passed.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<RequestId> {
        let expired: Vec<RequestId> = self
            .open
            .iter()
            .filter(|(_, deadline)| deadline.is_some_and(|deadline| deadline <= now))
            .map(|(id, _)| *id)
            .collect();
        for id in &expired {
            self.open.remove(id);
        }
        expired
    }
}
