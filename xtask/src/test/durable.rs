//! Programs that tests of stores and engines need: servers and emulators of object stores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::execute::Environment;
use crate::command::{install, output};
use crate::pinned::cache;

/// The directory that Debian's packages install each version of PostgreSQL to.
const POSTGRES: &str = "/usr/lib/postgresql";
const S3S_FS: &str = "0.14.1";
const AZURITE: &str = "3.35.0";
const RESTATE: &str = "1.7.12";

/// A program that the tests of one module need.
pub(crate) struct Program {
    /// The module of the tests that need the program, with `::`.
    pub(crate) tests: &'static str,
    pub(crate) environment: Result<Environment>,
}

/// Finds or installs the programs of the ring `durable`.
pub(crate) fn provide(root: &Path) -> Vec<Program> {
    vec![
        postgres(),
        Program::find("s3::", "INHOUSE_S3S_FS", || {
            // A debug build takes half the time of a release build.
            install(root, "s3s-fs", S3S_FS, &["--features=binary", "--debug"])
        }),
        Program::find("azure::", "INHOUSE_AZURITE", || {
            npm("azurite", AZURITE, "dist/src/blob/main.js")
        }),
        restate(),
    ]
}

/// Finds or installs the servers of the ring `soak`.
pub(crate) fn provide_servers() -> Vec<Program> {
    vec![postgres(), restate()]
}

/// Finds PostgreSQL, for the tests in modules `postgres`.
pub(crate) fn postgres() -> Program {
    Program::find("postgres::", "INHOUSE_POSTGRES", newest_postgres)
}

impl Program {
    /// Returns the variable with the path of a program, or why the program is missing. A variable that is set overrides the program.
    fn find(
        tests: &'static str,
        variable: &'static str,
        find: impl FnOnce() -> Result<PathBuf>,
    ) -> Self {
        let path = match std::env::var_os(variable) {
            Some(path) => Ok(path.into()),
            None => find(),
        };
        Self {
            tests,
            environment: path.map(|path| vec![(variable, path.into())]),
        }
    }
}

/// Returns the directory of the newest PostgreSQL.
fn newest_postgres() -> Result<PathBuf> {
    let versions = fs::read_dir(POSTGRES).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|version| Some((version.file_name().to_str()?.parse::<u32>().ok()?, version)))
        .filter(|(_, version)| version.path().join("bin/postgres").exists())
        .max_by_key(|(number, _)| *number);
    let (_, newest) = newest.context("PostgreSQL is not installed: apt-get install postgresql")?;
    Ok(newest.path().join("bin"))
}

/// Finds or installs Restate, for the tests in modules `restate`.
fn restate() -> Program {
    Program::find("restate::", "INHOUSE_RESTATE", restate_server)
}

/// Returns the program of the Restate server, which npm has for the platforms that Restate supports.
fn restate_server() -> Result<PathBuf> {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "aarch64") => "darwin-arm64",
        (os, architecture) => bail!("Restate has no server for {os} on {architecture}"),
    };
    let package = format!("@restatedev/restate-server-{platform}");
    npm(&package, RESTATE, "bin/restate-server")
}

/// Returns a file of an npm package, which is installed in a cache on first use.
fn npm(package: &str, version: &str, file: &str) -> Result<PathBuf> {
    // The name without the scope, which has a slash.
    let name = package.rsplit('/').next().unwrap_or(package);
    let directory = cache()?.join(format!("{name}-{version}"));
    let path = directory.join("node_modules").join(package).join(file);
    if path.exists() {
        return Ok(path);
    }
    println!("installing {package} {version}");
    // Installed into a temporary directory first: the final one is either complete or absent.
    let unfinished = cache()?.join(format!("{name}-{version}-{}", std::process::id()));
    fs::create_dir_all(&unfinished)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(&unfinished)
        .arg(format!("{package}@{version}"));
    let result = output(&mut npm).and_then(|_| Ok(fs::rename(&unfinished, &directory)?));
    if let Err(error) = result {
        let _ = fs::remove_dir_all(&unfinished);
        // Another run may have installed the same in the meantime.
        if !path.exists() {
            return Err(error);
        }
    }
    if !path.exists() {
        bail!("the package {package} has no {file}");
    }
    Ok(path)
}
