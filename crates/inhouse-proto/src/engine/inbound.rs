use std::collections::HashMap;

use bytes::Bytes;

use crate::control::incoming::Incoming;

/// Requests of the CLI that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    open: HashMap<Box<str>, u64>,
    next_serial: u64,
}

/// The right to answer one request of the CLI, once.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    request_id: Box<str>,
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

/// What the CLI asks, not decoded yet.
#[derive(Clone, Debug)]
pub struct Request {
    body: Bytes,
}

impl Request {
    pub(super) fn new(body: Bytes) -> Self {
        Self { body }
    }

    /// The JSON text of the `request` object.
    #[must_use]
    pub fn body(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the envelope was read as text")
    }

    /// What is asked.
    #[must_use]
    pub fn decode(&self) -> Incoming<'_> {
        Incoming::decode(self.body())
    }
}

impl Inbound {
    /// Opens a request; `None` when one with that id is open already.
    pub(super) fn open(&mut self, request_id: &str) -> Option<Ticket> {
        if self.open.contains_key(request_id) {
            return None;
        }
        self.next_serial += 1;
        self.open.insert(request_id.into(), self.next_serial);
        Some(Ticket {
            request_id: request_id.into(),
            serial: self.next_serial,
        })
    }

    /// Closes a request that is about to be answered; false when it was withdrawn.
    pub(super) fn close(&mut self, ticket: &Ticket) -> bool {
        self.is_open(ticket) && self.open.remove(&ticket.request_id).is_some()
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
