//! Running cargo.

use std::path::Path;
use std::process::Command;

/// The cargo that runs this chore, to be started in the root of the workspace.
pub(crate) fn cargo<const N: usize>(root: &Path, arguments: [&str; N]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}
