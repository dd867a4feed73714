//! `inhouse drift`: what the newest official SDK and its CLI have that inhouse does not model.
//!
//! The CLI is that of the package which belongs to the SDK, `@anthropic-ai/claude-agent-sdk-<platform>` of the same version.
//!
//! The declarations of the official SDK, the flags that it passes and the variables that the CLI reads are one [surface](surface). That
//! of the version that inhouse models is committed in `surface.json`, and the things in it that inhouse does not model are listed in
//! `not_modelled.txt`. Unit tests keep the list in step with the code: they decode samples of every shape.

mod declarations;
mod items;
#[cfg(test)]
mod modelled_tests;
mod report;
mod rust_name;
#[cfg(test)]
mod samples_tests;
mod scan;
mod shape;
mod surface;
mod tokens;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use inhouse_testkit::npm::Npm;
use inhouse_testkit::{RealCli, ScriptedModel, real};
use tempfile::TempDir;

use crate::output::{print_json, print_line};
use report::{NotModelled, Report};
use surface::{Packages, Surface};

/// Options of `inhouse drift`.
#[derive(clap::Args)]
#[command(after_help = "\
Downloads the official SDK, and the CLI package that belongs to it, with the npm client, checks their hashes, and compares messages, control requests, hooks,
options, flags, environment variables and built-in tools with what this version of inhouse models.
The exit status is 1 if something that inhouse models is gone or has another shape; additions are listed, but no failure.")]
pub(crate) struct Arguments {
    /// The version of @anthropic-ai/claude-agent-sdk; the newest by default
    #[arg(long, conflicts_with = "package")]
    version: Option<String>,
    /// Read the files of a package from a directory instead of downloading it; can be repeated
    #[arg(long, value_name = "DIRECTORY")]
    package: Vec<PathBuf>,
    /// Do not download the CLI, only the SDK: environment variables are not examined
    #[arg(long, conflicts_with = "package")]
    sdk_only: bool,
    /// Run the CLI with --help, in isolation from your settings, to examine its flags
    #[arg(long, conflicts_with = "sdk_only")]
    run: bool,
    /// Compare with a file of --write-surface, instead of what inhouse models
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Also list the known things that inhouse does not model
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// For developers of inhouse: write the inputs of the built-in tools as Rust modules, instead of comparing
    #[arg(long, value_name = "DIRECTORY")]
    write_tools: Option<PathBuf>,
    /// For developers of inhouse: write what the packages have as JSON, instead of comparing
    #[arg(long, value_name = "FILE")]
    write_surface: Option<PathBuf>,
}

const SDK: &str = "@anthropic-ai/claude-agent-sdk";

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    let download;
    let packages = match arguments.package.as_slice() {
        [] => {
            download = Download::new(arguments)?;
            &download.packages
        }
        directories => &Packages {
            directories: directories.to_vec(),
        },
    };
    let mut surface = Surface::read(packages)?;
    if arguments.run {
        let Some(cli) = packages.cli() else {
            bail!(
                "no package has a CLI to run; name the directory of one with another `--package`"
            );
        };
        surface.add_help(&help(&cli).await?);
    }
    if arguments.write_tools.is_some() || arguments.write_surface.is_some() {
        return write(arguments, &surface);
    }
    let not_modelled = NotModelled::read(include_str!("not_modelled.txt"));
    let earlier = match &arguments.against {
        Some(file) => fs::read_to_string(file)
            .map_err(anyhow::Error::from)
            .and_then(|text| Ok(serde_json::from_str(&text)?))
            .with_context(|| format!("cannot read {}", file.display()))?,
        None => pinned(),
    };
    let report = Report::new(&earlier, &surface, &not_modelled);
    if arguments.json {
        print_json(&report)?;
    } else {
        report.print(arguments.all)?;
    }
    match report.breaks() {
        0 => Ok(()),
        1 => bail!("something that inhouse models is gone or has another shape"),
        count => bail!("{count} things that inhouse models are gone or have another shape"),
    }
}

/// Returns the surface that inhouse models.
fn pinned() -> Surface {
    serde_json::from_str(include_str!("surface.json")).expect("the committed file has this form")
}

/// Packages in a temporary directory, which is removed with this value.
struct Download {
    packages: Packages,
    _directory: TempDir,
}

impl Download {
    fn new(arguments: &Arguments) -> Result<Self> {
        let npm = Npm::in_path();
        let version = match &arguments.version {
            Some(version) => version.clone(),
            None => npm.newest(SDK).context("the newest version is not known")?,
        };
        let mut names = vec![format!("{SDK}@{version}")];
        if !arguments.sdk_only {
            let platform = real::platform().context(
                "npm has no CLI for this platform; `--sdk-only` compares everything that needs none",
            )?;
            names.push(format!("{SDK}-{platform}@{version}"));
        }
        let directory = tempfile::Builder::new()
            .prefix("inhouse-drift-")
            .tempdir()?;
        let mut packages = Packages::default();
        for (name, place) in names.iter().zip(["sdk", "cli"]) {
            let place = directory.path().join(place);
            fs::create_dir(&place)?;
            let files = npm
                .integrity(name)
                .and_then(|integrity| npm.download(name, &integrity, &place))
                .with_context(|| format!("{name} was not downloaded"))?;
            packages.directories.push(files);
        }
        Ok(Self {
            packages,
            _directory: directory,
        })
    }
}

/// Runs the CLI in isolation and returns its help.
async fn help(cli: &Path) -> Result<String> {
    const DEADLINE: Duration = Duration::from_secs(60);

    let model = ScriptedModel::start().await?;
    let isolation = RealCli::at(cli).isolated(&model)?;
    let mut command = isolation.command();
    command.arg("--help").stdin(std::process::Stdio::null());
    let output = tokio::time::timeout(DEADLINE, command.output())
        .await
        .context("the CLI did not print its help within a minute")?
        .with_context(|| format!("{} does not start", cli.display()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!(
            "the CLI did not print its help ({}): {}",
            output.status,
            stderr.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write(arguments: &Arguments, surface: &Surface) -> Result<()> {
    let write = |path: &Path, text: &str| {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(file) = &arguments.write_surface {
        let json = serde_json::to_string_pretty(surface)?;
        write(file, &format!("{json}\n"))?;
        print_line(file.display())?;
    }
    if let Some(directory) = &arguments.write_tools {
        let files = tools::generate(surface);
        fs::create_dir_all(directory)?;
        for entry in fs::read_dir(directory)? {
            // Of a tool that is gone. Files of other origin stay.
            let path = entry?.path();
            let is_current = path
                .file_name()
                .is_some_and(|name| files.contains_key(&*name.to_string_lossy()));
            let is_generated =
                fs::read_to_string(&path).is_ok_and(|text| tools::is_generated(&text));
            if is_generated && !is_current {
                fs::remove_file(path)?;
            }
        }
        for (name, text) in files {
            write(&directory.join(name), &text)?;
        }
        print_line(directory.display())?;
    }
    Ok(())
}
