//! What cannot be meant: contradictions and bad values.

mod command;
mod environment;
mod extensions;
mod hooks;
mod model;
mod permissions;
mod problems;
mod prompt;
mod rules;
mod session;
mod skills;
mod tools;

pub(super) use self::rules::pieces;

use std::sync::Arc;

pub(super) use self::command::{command, extra_flags};
use self::problems::Problems;
use crate::error::Result;
use crate::mcp::Server;
use crate::options::{McpServer, Options};

/// Reports everything that is wrong with the options, at once.
pub(super) fn options(options: &Options) -> Result<()> {
    let mut problems = Problems::default();
    model::check(options, &mut problems);
    prompt::check(options, &mut problems);
    tools::check(options, &mut problems);
    permissions::check(options, &mut problems);
    extensions::check(options, &mut problems);
    hooks::check(options, &mut problems);
    session::check(options, &mut problems);
    environment::check(options, &mut problems);
    problems.into_result()
}

/// Reports everything that is wrong with the MCP servers of a session.
pub(crate) fn mcp_servers(
    external: &[(String, McpServer)],
    in_process: &[(String, Arc<dyn Server>)],
) -> Result<()> {
    let mut problems = Problems::default();
    extensions::check_servers(external, in_process, &mut problems);
    problems.into_result()
}
