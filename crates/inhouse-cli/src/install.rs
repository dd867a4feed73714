//! `inhouse install`: the Claude Code CLI from npm, with its hash checked.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use inhouse_testkit::npm::Npm;
use inhouse_testkit::real;
use serde::Serialize;

use crate::output::{bold, dim, print_json, print_line};

/// Options of `inhouse install`.
#[derive(clap::Args)]
#[command(after_help = "\
Downloads the package for this platform with the npm client and its registry. No script of the package runs.
The package of the version that inhouse is tested with must have the SHA-512 hash that is part of this program; that of any
other version must have the hash that the registry names. A package with another hash is removed without unpacking it.
A program uses the CLI with `Options::cli_path`, or if its directory is in PATH.")]
pub(crate) struct Arguments {
    /// The version of the CLI, such as 2.1.325; the one that inhouse is tested with by default
    #[arg(long)]
    version: Option<String>,
    /// The directory to put the CLI in; the cache that the test kit uses by default
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The output of `inhouse install --json`.
#[derive(Serialize)]
struct Report<'a> {
    path: &'a Path,
    version: &'a str,
    package: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    integrity: Option<&'a str>,
    /// Whether the hash is part of this program, and not one that the registry named.
    pinned: bool,
    downloaded: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { version, to, json } = arguments;
    let installed = real::install(version.as_deref(), to.as_deref(), &Npm::in_path())
        .context("the CLI was not installed")?;
    let real::Installed {
        program,
        version,
        package,
        integrity,
        is_pinned,
        is_new,
        ..
    } = &installed;
    if *json {
        return print_json(&Report {
            path: program,
            version,
            package,
            integrity: integrity.as_deref(),
            pinned: *is_pinned,
            downloaded: *is_new,
        });
    }
    print_line(bold(program.display()))?;
    let checked = match (integrity, is_pinned, is_new) {
        (_, _, false) => "was there already".to_owned(),
        (Some(integrity), true, _) => format!("has the pinned hash {integrity}"),
        (integrity, ..) => {
            let integrity = integrity.as_deref().unwrap_or_default();
            format!("has the hash that the registry names, {integrity}")
        }
    };
    print_line(dim(format!("{package} {checked}")))
}
