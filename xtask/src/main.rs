//! Development commands of the workspace, run as `cargo xtask <command>`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool writes to its terminal"
)]

mod bench;
mod book;
mod command;
mod coverage;
mod docs;
mod features;
mod fuzz;
mod lint;
mod mutants;
mod page;
mod pinned;
mod record;
mod size;
mod soak;
mod source;
mod test;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
enum Command {
    /// Measures hosts side by side; a complete run is written to docs/bench and README.md
    Bench(bench::Arguments),
    /// Builds the guide as an mdBook below target/book (needs mdbook, which it installs in the cache)
    Book,
    /// Measures the lines of the MCP and protocol parts that the fast tests run; fails below 90 %
    Coverage,
    /// Builds the documentation of the published libraries as docs.rs does (needs a nightly toolchain)
    Docs,
    /// Checks that each published crate builds without features, with each one, and with all
    Features(features::Arguments),
    /// Feeds the fuzz targets with libFuzzer (nightly and cargo-fuzz) or a mutating loop; prints a table
    Fuzz(fuzz::Arguments),
    /// Runs every static check, or those with these names
    Lint { checks: Vec<String> },
    /// Runs the fast tests on mutants of the code (needs cargo-mutants, which it installs in the cache)
    Mutants(mutants::Arguments),
    /// Builds the pages of `inhouse trace` and `inhouse fleet` (needs npm)
    Page(page::Arguments),
    /// Records the fixtures of inhouse-proto from the real CLI; all scenarios unless some are named
    Record { scenarios: Vec<String> },
    /// Records what the official SDKs send to the CLI, for the launch tests (needs npm and Python)
    RecordOfficial,
    /// Prints the sizes of the crates: code, docs, examples, refused words
    Size,
    /// Repeats the soak tests with the real CLI and prints a table
    Soak(soak::Arguments),
    /// Runs the tests ring by ring
    Test(test::Arguments),
}

fn main() -> ExitCode {
    let workspace = Workspace::locate();
    let passed = match Command::parse() {
        Command::Bench(arguments) => bench::run(&workspace, &arguments),
        Command::Book => book::run(&workspace),
        Command::Coverage => coverage::run(&workspace),
        Command::Docs => docs::run(&workspace),
        Command::Features(arguments) => features::run(&workspace, &arguments),
        Command::Fuzz(arguments) => fuzz::run(&workspace, &arguments),
        Command::Lint { checks } => lint::run(&workspace, &checks),
        Command::Mutants(arguments) => mutants::run(&workspace, &arguments),
        Command::Page(arguments) => page::run(&workspace, &arguments),
        Command::Record { scenarios } => record::fixtures(&workspace, &scenarios),
        Command::RecordOfficial => record::official_sdks(&workspace),
        Command::Size => size::run(&workspace),
        Command::Soak(arguments) => soak::run(&workspace, &arguments),
        Command::Test(arguments) => test::run(&workspace, &arguments),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Command::command().debug_assert();
    }
}
