//! Prints the paths of the real CLIs for tests, and installs them if they are missing.
//!
//! On success stdout has two lines, `pinned=<path>` and `oldest=<path>`, and the exit code is 0. Otherwise the exit code
//! is 1, and stderr has the reason after `error: `. `cargo xtask test` runs this once before the tests.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool prints"
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

/// Makes a path absolute: the override variables may have relative paths, and tests run in other directories.
fn absolute(program: &Path) -> String {
    let path = std::path::absolute(program);
    path.as_deref().unwrap_or(program).display().to_string()
}
