use std::io::{Stdin, stdin, stdout};
use std::rc::Rc;

use super::Failure;
use super::answer::request_id;
use super::operation::Operation;
use super::wire::{Lines, write_whole};
use crate::proc::{Memory, children};
use crate::report::Report;

/// The most requests that may be open at once.
const SLOTS: usize = 1024;

/// A host that has been shaken hands with.
pub struct Session {
    pub(super) input: Lines<Stdin>,
    /// The process id of the host, to look at from outside.
    pub(super) host: String,
    /// The id under which the host wants to be asked before a tool runs.
    pub(super) hook: Rc<str>,
    open: Vec<Option<(u64, Operation)>>,
    free: Vec<usize>,
    asked: u64,
    line: Vec<u8>,
}

impl Session {
    /// Nothing has been said yet.
    pub(super) fn new() -> Self {
        let host = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
        Self {
            input: Lines::new(stdin()),
            host: host.to_string(),
            hook: Rc::from("hook_0"),
            open: vec![None; SLOTS],
            free: (0..SLOTS).collect(),
            asked: 0,
            line: Vec::new(),
        }
    }

    /// Asks, without waiting.
    pub(super) fn ask(&mut self, operation: &Operation) -> Result<u64, Failure> {
        let slot = self
            .free
            .pop()
            .ok_or_else(|| Failure::new("too many requests are open"))?;
        self.asked += 1;
        // The slot can be read from the id, and no id comes twice.
        let id = self.asked * SLOTS as u64 + slot as u64;
        operation.write(&mut self.line, id);
        self.open[slot] = Some((id, operation.clone()));
        write_whole(stdout(), &self.line)?;
        Ok(id)
    }

    /// The next answer: which request it is for. It has been checked.
    pub(super) fn answer(&mut self) -> Result<(u64, Operation), Failure> {
        let line = self
            .input
            .next_line()?
            .ok_or_else(|| Failure::new("the host has closed stdin while requests are open"))?;
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

    /// Asks, and waits for the answer to it; no other request may be open.
    pub(super) fn round_trip(&mut self, operation: &Operation) -> Result<(), Failure> {
        let asked = self.ask(operation)?;
        let (answered, _) = self.answer()?;
        if asked == answered {
            Ok(())
        } else {
            Err(Failure::new(format!("asked {asked}, answered {answered}")))
        }
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        write_whole(stdout(), bytes)
    }

    /// Notes the resident memory of the host and of the helper processes that it has started.
    pub(super) fn note_memory(
        &self,
        report: &mut Report,
        name: &'static str,
    ) -> Result<(), Failure> {
        let mut resident = Memory::of(&self.host)?.resident;
        let own = std::process::id().to_string();
        for helper in children(&self.host)?.iter().filter(|child| **child != own) {
            // A helper may end at any time.
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
    Failure::new(format!("not the answer to an open request: {shown}"))
}
