//! Records conversations of the real CLI with a scripted model, as fixtures for tests of the protocol.
//!
//! `record <directory> [<scenario>…]` plays all scenarios, or the named ones, with each version of the CLI, and writes the
//! recordings to `<directory>/<version of the CLI>/`. `cargo xtask record` calls it with the directory of the fixtures.
//! Everything that differs between runs and machines is replaced, see [`sanitize`].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool prints"
)]

mod numbering;
mod sanitize;
mod scenarios;
mod setup;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use inhouse_testkit::{RealCli, recording::Tape};

use crate::{scenarios::Scenario, setup::RecordingSetup};

/// The time limit of a scenario.
const DEADLINE: Duration = Duration::from_secs(90);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match record(&arguments).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Records the scenarios; returns whether all of them succeeded.
async fn record(arguments: &[String]) -> Result<bool, Box<dyn Error>> {
    let (fixtures, names) = arguments
        .split_first()
        .ok_or("usage: record <directory> [<scenario>...]")?;
    let scenarios = Scenario::chosen(names)?;
    let mut complete = true;
    for cli in [RealCli::pinned()?, RealCli::oldest()?] {
        let version = version_of(&cli).await?;
        let directory = PathBuf::from(fixtures).join(&version);
        fs::create_dir_all(&directory)?;
        for scenario in &scenarios {
            let name = scenario.name;
            match play(&cli, scenario).await {
                Ok(tape) => {
                    save(&tape, &directory.join(name))?;
                    println!("{version} {name}: {} steps", tape.steps().len());
                }
                Err(error) => {
                    complete = false;
                    eprintln!("{version} {name}: error: {error}");
                }
            }
        }
    }
    Ok(complete)
}

async fn play(cli: &RealCli, scenario: &Scenario) -> Result<Tape, Box<dyn Error>> {
    let setup = RecordingSetup::new(cli).await?;
    tokio::time::timeout(DEADLINE, (scenario.play)(&setup))
        .await
        .map_err(|_| format!("not done after {DEADLINE:?}"))??;
    let unexpected = setup.model.unexpected();
    if let Some(request) = unexpected.first() {
        let text = request.last_user_text().unwrap_or_default();
        return Err(format!("the script of the model has no answer to {text:?}").into());
    }
    Ok(sanitize::sanitize(setup.tape()?, &setup.replacements())?)
}

/// Writes the recording, unless the existing one is equal.
fn save(tape: &Tape, path: &Path) -> std::io::Result<()> {
    match Tape::load(path) {
        Ok(earlier) if earlier == *tape => Ok(()),
        _ => tape.save(path),
    }
}

async fn version_of(cli: &RealCli) -> Result<String, Box<dyn Error>> {
    let setup = RecordingSetup::new(cli).await?;
    let output = setup.isolation.command().arg("--version").output().await?;
    let text = String::from_utf8(output.stdout)?;
    let version = text.split_whitespace().next();
    Ok(version
        .ok_or("the CLI does not print its version")?
        .to_owned())
}
