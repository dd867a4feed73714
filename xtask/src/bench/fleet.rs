//! A fleet on PostgreSQL: turns in comparison with pgbench, idle sessions, claims, and a simulation of many sessions.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};

use super::figures::Costs;
use super::host;
use super::programs::Programs;
use super::server::Server;
use super::sessions::{Values, figures, medians};

pub(crate) const NAMES: [&str; 5] = [
    "fleet-turns",
    "fleet-begin",
    "fleet-idle",
    "fleet-claims",
    "fleet-simulation",
];

/// Longer than any program takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// Measures fleets, and collects the figures.
pub(crate) struct Fleets<'a> {
    programs: &'a Programs,
    server: Option<Server>,
    sizes: &'a Sizes,
    pub(crate) costs: Costs,
    /// What could not be measured here, with the reason.
    pub(crate) absent: BTreeMap<String, String>,
    /// What failed, with the reason.
    pub(crate) failed: BTreeMap<String, String>,
}

struct Sizes {
    sessions: &'static str,
    turns: &'static str,
    /// The number of clients of pgbench, and what each of them does: small turns, large turns, notifications.
    clients: &'static str,
    client_turns: &'static str,
    client_large_turns: &'static str,
    client_notifications: &'static str,
    /// The sessions and their prompts for the time to begin.
    begin: [&'static str; 2],
    /// The seconds of an idle fleet.
    window: &'static str,
    claims: &'static str,
    /// The sessions and their prompts of the simulation.
    simulated: [&'static str; 2],
    rounds: usize,
}

const COMPLETE: Sizes = Sizes {
    sessions: "200",
    turns: "10",
    clients: "16",
    client_turns: "125",
    client_large_turns: "40",
    client_notifications: "2000",
    begin: ["40", "5"],
    window: "10",
    claims: "200",
    simulated: ["2000", "10"],
    rounds: 3,
};

/// Sizes that only show that the programs work.
const QUICK: Sizes = Sizes {
    sessions: "20",
    turns: "3",
    client_turns: "5",
    client_large_turns: "2",
    client_notifications: "10",
    begin: ["4", "2"],
    window: "1",
    claims: "20",
    simulated: ["40", "5"],
    rounds: 1,
    ..COMPLETE
};

impl<'a> Fleets<'a> {
    pub(crate) fn new(programs: &'a Programs, quick: bool) -> Self {
        Self {
            programs,
            server: None,
            sizes: if quick { &QUICK } else { &COMPLETE },
            costs: Costs::new(),
            absent: BTreeMap::new(),
            failed: BTreeMap::new(),
        }
    }

    /// Measures those of [`NAMES`] that are chosen.
    pub(crate) fn measure(&mut self, is_chosen: impl Fn(&str) -> bool) {
        let chosen: Vec<&str> = NAMES.into_iter().filter(|name| is_chosen(name)).collect();
        if chosen.is_empty() {
            return;
        }
        match Server::start(self.programs) {
            Ok(server) => self.server = Some(server),
            Err(error) => {
                eprintln!("\r\x1b[2KThe fleet is not measured: {error:#}");
                let reason = format!("{error:#}").replace('\n', " ");
                self.absent.insert("fleet".to_owned(), reason);
                return;
            }
        }
        for name in chosen {
            eprint!("\r\x1b[2K{name} ");
            let measured = match name {
                "fleet-turns" => self.turns(),
                "fleet-begin" => self.add("begin", &["begin"], &self.sizes.begin.clone()),
                "fleet-idle" => self.idle(),
                "fleet-claims" => self.claims(),
                _ => self.add("simulation", &["simulation"], &self.sizes.simulated.clone()),
            };
            eprint!("\r\x1b[2K");
            if let Err(error) = measured {
                eprintln!("{name}: {error:#}");
                self.failed.insert(name.to_owned(), format!("{error:#}"));
            }
        }
        self.server = None;
    }

    /// Measures turns of the fleet and of pgbench one after the other, so that other work on the machine affects both.
    fn turns(&mut self) -> Result<()> {
        let sizes = self.sizes;
        let (mut fleet, mut pgbench) = (Vec::new(), Vec::new());
        for _ in 0..sizes.rounds {
            fleet.push(self.own(&["turns"], &[sizes.sessions, sizes.turns])?);
            pgbench.push(self.pgbench("small-turn", sizes.client_turns)?);
        }
        self.costs.insert("turns".to_owned(), medians(&fleet));
        let pgbench = medians(&pgbench);
        self.costs.insert("turns, pgbench".to_owned(), pgbench);
        let large = self.pgbench("large-turn", sizes.client_large_turns)?;
        self.costs.insert("large turns, pgbench".to_owned(), large);
        let notify = self.pgbench("notify", sizes.client_notifications)?;
        self.costs
            .insert("notifications, pgbench".to_owned(), notify);
        Ok(())
    }

    fn idle(&mut self) -> Result<()> {
        let window = self.sizes.window;
        self.add("idle, 0 sessions", &["idle"], &["0", window])?;
        self.add("idle, 10,000 sessions", &["idle"], &["10000", window])
    }

    fn claims(&mut self) -> Result<()> {
        let rounds = self.sizes.claims;
        self.add("claim, 10 prompts", &["claims"], &["10", rounds])?;
        self.add("claim, 100,000 prompts", &["claims"], &["100000", rounds])
    }

    fn add(&mut self, row: &str, before_url: &[&str], after_url: &[&str]) -> Result<()> {
        let values = self.own(before_url, after_url)?;
        self.costs.insert(row.to_owned(), values);
        Ok(())
    }

    fn pgbench(&self, script: &str, transactions: &str) -> Result<Values> {
        let programs = self.server.as_ref().map(|server| server.programs.clone());
        let programs = programs.unwrap_or_default();
        let programs = programs.to_string_lossy();
        let sizes = self.sizes;
        let arguments = [
            &*programs,
            script,
            sizes.sessions,
            sizes.clients,
            transactions,
        ];
        self.own(&["pgbench"], &arguments)
    }

    /// Runs `bench-fleet` and returns its figures.
    fn own(&self, before_url: &[&str], after_url: &[&str]) -> Result<Values> {
        let Some(server) = &self.server else {
            bail!("there is no server");
        };
        let mut command = host::limited(DEADLINE, &[self.programs.path("bench-fleet")]);
        command.args(before_url).arg(&server.url).args(after_url);
        figures(&mut command)
    }
}
