use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::id::RequestId;

/// The requests of the host that wait for a reply, with their deadlines.
#[derive(Debug)]
pub(super) struct Outbound {
    open: BTreeMap<RequestId, Option<Instant>>,
    deadlines: BTreeSet<(Instant, RequestId)>,
    next_id: RequestId,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            open: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            next_id: RequestId::first(),
        }
    }
}

impl Outbound {
    /// Opens a request and returns its id.
    pub(super) fn open(&mut self, deadline: Option<Instant>) -> RequestId {
        let id = self.next_id;
        self.next_id = id.next();
        self.open.insert(id, deadline);
        self.deadlines
            .extend(deadline.map(|deadline| (deadline, id)));
        id
    }

    /// Closes a request; returns false if it was not open.
    pub(super) fn close(&mut self, id: RequestId) -> bool {
        let Some(deadline) = self.open.remove(&id) else {
            return false;
        };
        if let Some(deadline) = deadline {
            self.deadlines.remove(&(deadline, id));
        }
        true
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Closes and returns every request whose deadline has passed.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<RequestId> {
        let mut expired = Vec::new();
        while let Some((deadline, id)) = self.deadlines.first().copied()
            && deadline <= now
        {
            self.close(id);
            expired.push(id);
        }
        expired
    }
}
