//! Prints where the real CLIs are that tests run against, and installs them if need be.
//!
//! On success stdout has two lines, `pinned=<path>` and `oldest=<path>`, and the exit code is 0. Otherwise the exit code
//! is 1, and stderr says why behind `error: `. `cargo xtask test` asks this once, before the tests run side by side.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what it prints is what it is for"
)]

use std::{path::Path, process::ExitCode};

use inhouse_testkit::{RealCli, RealCliUnavailable};

fn main() -> ExitCode {
    match find() {
        Ok(lines) => {
            println!("{lines}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn find() -> Result<String, RealCliUnavailable> {
    let pinned = RealCli::pinned()?;
    let oldest = RealCli::oldest()?;
    let [pinned, oldest] = [&pinned, &oldest].map(|cli| absolute(cli.program()));
    Ok(format!("pinned={pinned}\noldest={oldest}"))
}

/// The override variables may name a path relative to here, and tests run elsewhere.
fn absolute(program: &Path) -> String {
    let path = std::path::absolute(program);
    path.as_deref().unwrap_or(program).display().to_string()
}
