use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use crate::wire::Text;

/// Requests of the CLI that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    open: HashMap<Text, u64, RandomState>,
    next_serial: u64,
}

/// The right to answer one request of the CLI, once.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    request_id: Text,
    // The CLI may use an id again once it is answered; the serial tells the two apart.
    serial: u64,
}

impl Ticket {
    /// The id that the CLI gave the request.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// A number that no other ticket of the same engine has.
    #[must_use]
    pub fn serial(&self) -> u64 {
        self.serial
    }
}

impl Inbound {
    /// Opens a request; `None` when one with that id is open already.
    pub(super) fn open(&mut self, request_id: Text) -> Option<Ticket> {
        let Entry::Vacant(entry) = self.open.entry(request_id) else {
            return None;
        };
        self.next_serial += 1;
        let (request_id, serial) = (entry.key().clone(), self.next_serial);
        entry.insert(serial);
        Some(Ticket { request_id, serial })
    }

    /// Closes a request that is about to be answered; false when it was withdrawn.
    pub(super) fn close(&mut self, ticket: &Ticket) -> bool {
        let is_open = self.is_open(ticket);
        if is_open {
            self.open.remove(&ticket.request_id);
        }
        is_open
    }

    /// Closes a request that the CLI withdraws.
    pub(super) fn withdraw(&mut self, request_id: &str) -> Option<Ticket> {
        let (request_id, serial) = self.open.remove_entry(request_id)?;
        Some(Ticket { request_id, serial })
    }

    pub(super) fn is_open(&self, ticket: &Ticket) -> bool {
        self.open.get(&ticket.request_id) == Some(&ticket.serial)
    }
}
