//! Building the tests, once for all rings.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use cargo_metadata::{Message, MetadataCommand};

use super::ring::{PURE_PACKAGES, Ring};
use crate::command::cargo;

/// The packages with tests of the ring `durable`.
const DURABLE_PACKAGES: [&str; 4] = [
    "inhouse-cli",
    "inhouse-fleet",
    "inhouse-restate",
    "inhouse-store",
];

/// The arguments that leave crates out of `--workspace`: the benchmarks bind their processes to CPUs and read `/proc`.
pub(crate) const EXCLUDED: &[&str] = if cfg!(target_os = "linux") {
    &[]
} else {
    &["--exclude=inhouse-bench"]
};

/// A test executable or another binary that cargo has built.
pub(crate) struct Executable {
    pub(crate) package: String,
    pub(crate) package_directory: PathBuf,
    pub(crate) target: String,
    pub(crate) path: PathBuf,
    is_test: bool,
}

pub(crate) struct Build(Vec<Executable>);

impl Build {
    /// Builds what the rings need. Compiler messages go to the terminal.
    pub(crate) fn run(root: &Path, rings: &[Ring]) -> Result<Self> {
        let mut command = cargo(root, ["test", "--no-run", "--all-features"]);
        command.arg("--message-format=json-render-diagnostics");
        match rings {
            [Ring::Doc] => return Ok(Self(Vec::new())),
            [Ring::Pure] | [Ring::Pure, Ring::Doc] => {
                command.args(PURE_PACKAGES.map(|package| format!("--package={package}")));
            }
            [Ring::Durable] => {
                // With `--test`, cargo builds no example, and one test runs it. The same packages have the same features.
                let mut example = cargo(root, ["build", "--all-features"]);
                example.args(DURABLE_PACKAGES.map(|package| format!("--package={package}")));
                if !example.arg("--example=fleet").status()?.success() {
                    bail!("the example does not build");
                }
                command.args(DURABLE_PACKAGES.map(|package| format!("--package={package}")));
                command.arg("--test=durable");
            }
            [Ring::Real] => {
                command.args(["--package=inhouse", "--package=inhouse-cli"]);
                command.arg("--package=inhouse-fleet");
                command.args(["--package=inhouse-testkit", "--test=scripted_model"]);
                command.arg("--test=real");
                command.args(["--test=differential", "--examples"]);
            }
            // Cargo builds the binaries of a package (`real-cli`) only together with one of its integration tests.
            [Ring::Soak] => {
                command.args(["--package=inhouse", "--package=inhouse-fleet"]);
                command.arg("--package=inhouse-restate");
                command.args(["--package=inhouse-testkit", "--test=scripted_model"]);
                command.arg("--test=soak");
            }
            _ => {
                command.arg("--workspace").args(EXCLUDED);
            }
        }
        let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
        let mut cargo = command
            .stdout(Stdio::piped())
            .spawn()
            .context("cargo test")?;
        let stdout = cargo.stdout.take().expect("stdout is piped");
        let mut executables = Vec::new();
        for message in Message::parse_stream(BufReader::new(stdout)) {
            let Message::CompilerArtifact(artifact) = message? else {
                continue;
            };
            if let Some(path) = artifact.executable {
                let directory = artifact.manifest_path.parent();
                executables.push(Executable {
                    package: metadata[&artifact.package_id].name.to_string(),
                    package_directory: directory.context("a manifest has a directory")?.into(),
                    target: artifact.target.name,
                    path: path.into(),
                    is_test: artifact.profile.test,
                });
            }
        }
        if !cargo.wait()?.success() {
            bail!("the tests do not build");
        }
        executables.sort_by(|one, other| {
            (&one.package, &one.target).cmp(&(&other.package, &other.target))
        });
        Ok(Self(executables))
    }

    /// Returns the test executables of one ring, in the order of their names.
    pub(crate) fn tests_of(&self, ring: Ring) -> impl Iterator<Item = &Executable> {
        self.0
            .iter()
            .filter(move |built| built.is_test && Ring::of(&built.package, &built.target) == ring)
    }

    pub(crate) fn binary(&self, name: &str) -> Option<&Path> {
        let mut binaries = self.0.iter().filter(|built| !built.is_test);
        binaries
            .find(|built| built.target == name)
            .map(|built| built.path.as_path())
    }
}
