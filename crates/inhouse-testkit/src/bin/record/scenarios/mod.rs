//! The recorded conversations.

mod control;
mod failures;
mod permissions;
mod servers;
mod sessions;
mod tasks;
mod tools;
mod turns;

use std::{error::Error, future::Future, pin::Pin};

use crate::setup::RecordingSetup;

/// A recorded conversation.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) play: for<'a> fn(&'a RecordingSetup) -> Pin<Box<dyn Future<Output = Played> + 'a>>,
}

/// The outcome of a scenario.
pub(crate) type Played = Result<(), Box<dyn Error>>;

macro_rules! scenarios {
    ($( $module:ident { $( $name:ident ),+ $(,)? } )+) => {
        const ALL: &[Scenario] = &[
            $( $( Scenario {
                name: stringify!($name),
                play: |setup| Box::pin($module::$name(setup)),
            } ),+ ),+
        ];
    };
}

scenarios! {
    turns { text, two_turns, partial_messages, replayed_prompts, local_commands, structured_output }
    tools { tools, failing_tool, hooks }
    permissions { asked_and_allowed, asked_and_denied, denied, mode_changes }
    failures { interrupt, max_turns, max_budget, api_error, retries, refusal }
    control { questions, changes, refused_requests }
    sessions { compaction, resume, fork, resume_unknown }
    tasks { subagent, background_command }
    servers { mcp_stdio, mcp_in_process }
}

impl Scenario {
    /// Returns the scenarios with these names; all scenarios if `names` is empty.
    pub(crate) fn chosen(names: &[String]) -> Result<Vec<&'static Self>, String> {
        if names.is_empty() {
            return Ok(ALL.iter().collect());
        }
        names.iter().map(|name| Self::find(name)).collect()
    }
    fn find(name: &str) -> Result<&'static Self, String> {
        let found = ALL.iter().find(|scenario| scenario.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|scenario| scenario.name).collect();
            format!(
                "`{name}` is not a scenario; the scenarios are {}",
                known.join(", ")
            )
        })
    }
}
