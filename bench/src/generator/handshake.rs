use std::rc::Rc;

use memchr::memmem::{self, Finder};

use super::answer::{member, request_id_text, string};
use super::operation::Operation;
use super::{Failure, Session, lines};
use crate::clock::now_ns;
use crate::environment;
use crate::report::Report;
use crate::servers::name_of;

impl Session {
    /// Acts as the CLI up to the first tool call: `initialize`, the prompt, a handshake with each server.
    ///
    /// A server whose manifest is in `initialize` gets no handshake, as from the CLI.
    ///
    /// # Errors
    /// Returns an error if the host does not follow the protocol.
    pub fn accept(report: &mut Report) -> Result<Self, Failure> {
        let mut session = Self::new();
        let initialize = session.expect("\"initialize\"")?;
        report.count("first_line_ns", now_ns());
        let id =
            request_id_text(&initialize).ok_or_else(|| Failure::new("initialize has no id"))?;
        if let Some(hook) = hook_of(&initialize) {
            session.hook = hook;
        }
        let servers = environment::number(environment::SERVERS)?.unwrap_or(1);
        let (known, unknown): (Vec<String>, Vec<String>) = (0..servers)
            .map(name_of)
            .partition(|name| lines::has_manifest(&initialize, name));
        session.write(lines::initialized(id, &known).as_bytes())?;
        session.expect("\"type\":\"user\"")?;
        session.write(lines::state("running").as_bytes())?;
        session.write(lines::INIT.as_bytes())?;
        for server in &unknown {
            session.connect(server)?;
        }
        session.note_memory(report, "connected_kib")?;
        report.count("first_call_ns", now_ns());
        session.round_trip(&Operation::Add)?;
        report.count("first_answer_ns", now_ns());
        Ok(session)
    }

    /// Ends the turn and waits until the host closes stdin.
    ///
    /// # Errors
    /// Returns an error if the host has exited.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.write(lines::RESULT.as_bytes())?;
        self.write(lines::state("idle").as_bytes())?;
        while self.input.next_line()?.is_some() {}
        Ok(())
    }

    /// Does the MCP handshake with one server.
    fn connect(&mut self, server: &str) -> Result<(), Failure> {
        for step in 0..lines::HANDSHAKE_STEPS {
            let id = format!("{server}-{step}");
            self.write(lines::handshake(server, &id, step).as_bytes())?;
            let answer = self.expect(&id)?;
            let is_list = step + 1 == lines::HANDSHAKE_STEPS;
            if is_list && memmem::find(&answer, b"\"add\"").is_none() {
                return Err(Failure::new(format!("{server} has no tool `add`")));
            }
        }
        Ok(())
    }

    /// Returns the next line that contains `needle`. Other lines are skipped: hosts may send their own requests.
    fn expect(&mut self, needle: &str) -> Result<Vec<u8>, Failure> {
        // Python writes a space after a colon.
        let spaced = needle.replace(':', ": ");
        while let Some(line) = self.input.next_line()? {
            if [needle, &spaced]
                .iter()
                .any(|needle| memmem::find(line, needle.as_bytes()).is_some())
            {
                return Ok(line.to_owned());
            }
        }
        Err(Failure::new(format!(
            "the host closed stdin before {needle}"
        )))
    }
}

fn hook_of(initialize: &[u8]) -> Option<Rc<str>> {
    let ids = member(initialize, &Finder::new("\"hookCallbackIds\":"))?;
    string(ids.strip_prefix(b"[")?.trim_ascii_start()).map(Rc::from)
}
