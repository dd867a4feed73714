use std::io::{Stdin, stdin, stdout};
use std::rc::Rc;

use super::Failure;
use super::answer::request_id;
use super::operation::Operation;
use super::wire::{Lines, write_whole};
use crate::proc::{Memory, children};
use crate::report::Report;

/// The maximum number of open requests.
const SLOTS: usize = 1024;

/// The connection to a host after the handshake.
pub struct Session {
    pub(super) input: Lines<Stdin>,
    /// The process id of the host.
    pub(super) host: String,
    /// The callback id of the host's `PreToolUse` hook.
    pub(super) hook: Rc<str>,
    open: Vec<Option<(u64, Operation)>>,
    free: Vec<usize>,
    requests: u64,
    line: Vec<u8>,
}

impl Session {
    /// Creates the connection before the handshake.
    pub(super) fn new() -> Self {
        let host = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
        Self {
            input: Lines::new(stdin()),
            host: host.to_string(),
            hook: Rc::from("hook_0"),
            open: vec![None; SLOTS],
            free: (0..SLOTS).collect(),
            requests: 0,
            line: Vec::new(),
        }
    }

    /// Sends a request and returns its id.
    pub(super) fn request(&mut self, operation: &Operation) -> Result<u64, Failure> {
        let slot = self
            .free
            .pop()
            .ok_or_else(|| Failure::new("too many requests are open"))?;
        self.requests += 1;
        // The id contains the slot, and no id is used twice.
        let id = self.requests * SLOTS as u64 + slot as u64;
        operation.write(&mut self.line, id);
        self.open[slot] = Some((id, operation.clone()));
        write_whole(stdout(), &self.line)?;
        Ok(id)
    }

    /// Reads and checks the next response; returns the id and the operation of its request.
    pub(super) fn response(&mut self) -> Result<(u64, Operation), Failure> {
        let line = self
            .input
            .next_line()?
            .ok_or_else(|| Failure::new("the host closed stdin while requests are open"))?;
        let id = request_id(line).ok_or_else(|| unexpected(line))?;
        let slot = (id % SLOTS as u64) as usize;
        match self.open[slot].take() {
            Some((open, operation)) if open == id && operation.is_answered_by(line, id) => {
                self.free.push(slot);
                Ok((id, operation))
            }
            _ => Err(unexpected(line)),
        }
    }

    /// Sends a request and waits for its response; no other request may be open.
    pub(super) fn round_trip(&mut self, operation: &Operation) -> Result<(), Failure> {
        let sent = self.request(operation)?;
        let (received, _) = self.response()?;
        if sent == received {
            Ok(())
        } else {
            Err(Failure::new(format!(
                "request {sent}, response to {received}"
            )))
        }
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        write_whole(stdout(), bytes)
    }

    /// Notes the resident memory of the host and of its helper processes.
    pub(super) fn note_memory(
        &self,
        report: &mut Report,
        name: &'static str,
    ) -> Result<(), Failure> {
        let mut resident = Memory::of(&self.host)?.resident;
        let own = std::process::id().to_string();
        for helper in children(&self.host)?.iter().filter(|child| **child != own) {
            // A helper may exit at any time.
            resident += Memory::of(helper).map_or(0, |memory| memory.resident);
        }
        report.count(name, resident);
        Ok(())
    }

    pub(super) fn host_cpu(&self) -> Result<u64, Failure> {
        crate::proc::cpu_microseconds(&self.host)
    }
}

fn unexpected(line: &[u8]) -> Failure {
    let shown = String::from_utf8_lossy(&line[..line.len().min(300)]);
    Failure::new(format!("not the response to an open request: {shown}"))
}
