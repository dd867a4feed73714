use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use crate::wire::Text;

/// The requests of the CLI that wait for an answer: the serial of the ticket by request id.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    open: HashMap<Text, u64, RandomState>,
    next_serial: u64,
}

/// A ticket to answer one request of the CLI.
///
/// A ticket cannot be cloned and is consumed by the answer, so a request cannot be answered twice.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    request_id: Text,
    /// Distinguishes two requests with the same id: the CLI may reuse an id once its request is answered.
    serial: u64,
}

impl Ticket {
    /// Returns the id that the CLI gave the request.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Returns a number that no other ticket of the same engine has.
    #[must_use]
    pub fn serial(&self) -> u64 {
        self.serial
    }
}

impl Inbound {
    /// Opens a request; `None` if a request with this id is already open.
    pub(super) fn open(&mut self, request_id: Text) -> Option<Ticket> {
        let Entry::Vacant(entry) = self.open.entry(request_id) else {
            return None;
        };
        self.next_serial += 1;
        let (request_id, serial) = (entry.key().clone(), self.next_serial);
        entry.insert(serial);
        Some(Ticket { request_id, serial })
    }

    /// Closes a request that is about to be answered and returns its id; `None` if the CLI has cancelled it.
    pub(super) fn close(&mut self, ticket: Ticket) -> Option<Text> {
        let Entry::Occupied(entry) = self.open.entry(ticket.request_id) else {
            return None;
        };
        (*entry.get() == ticket.serial).then(|| entry.remove_entry().0)
    }

    /// Closes a request that the CLI cancels; `None` if it is not open.
    pub(super) fn withdraw(&mut self, request_id: &str) -> Option<Ticket> {
        let (request_id, serial) = self.open.remove_entry(request_id)?;
        Some(Ticket { request_id, serial })
    }

    pub(super) fn is_open(&self, ticket: &Ticket) -> bool {
        self.open.get(&ticket.request_id) == Some(&ticket.serial)
    }
}
