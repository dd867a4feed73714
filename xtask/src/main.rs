//! The chores of the workspace, run as `cargo xtask <chore>`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to its terminal"
)]

mod bench;
mod cargo;
mod coverage;
mod lint;
mod metadata;
mod record;
mod record_official;
mod soak;
mod test;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask <chore>

chores:
  bench [--quick] [--rounds <n>] [--only <scenario>,...] [--hosts <host>,...]
                                            hosts side by side under the same load; a complete run is written to docs/bench and README
  bench --check | --update-budget           instructions and allocations of the hot paths against bench/budget.json (needs valgrind)
  bench --pages                             writes chart, tables and README's lines again from docs/bench/result.json
  coverage                                  lines of the MCP and protocol parts that the fast tests run; fails below 90 %
  lint                                      every static check; all run, then it fails if one found something
  record [<scenario>...]                    the fixtures of inhouse-proto anew, from the real CLI; all scenarios unless some are named
  record-official                           what the official SDKs send to the CLI, for the launch tests (needs npm and Python)
  soak --runs <n> [--seed <n>] [<filter>]   the soak tests with the real CLI, <n> runs each; ends with a table
  test [--ring <ring>]... [-- <libtest>...] the tests, ring by ring: pure, behaviour, process, doc, real, foreign, soak
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let Some((chore, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(ExitCode::FAILURE);
    };
    let passed = match chore.as_str() {
        "bench" => bench::run(&Workspace::locate(), &bench::Plan::parse(rest)?)?,
        "coverage" if rest.is_empty() => coverage::run(&Workspace::locate())?,
        "lint" if rest.is_empty() => lint::run(&Workspace::locate())?,
        "record" => record::run(&Workspace::locate(), rest)?,
        "record-official" if rest.is_empty() => record_official::run(&Workspace::locate())?,
        "soak" => soak::run(&Workspace::locate(), &soak::Plan::parse(rest)?)?,
        "test" => test::run(&Workspace::locate(), &test::Plan::parse(rest)?)?,
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            true
        }
        _ => {
            return Err(format!(
                "`{}` is not a chore\n\n{USAGE}",
                arguments.join(" ")
            ));
        }
    };
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
