//! Building the tests, once for all rings.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::ring::{PURE_PACKAGES, Ring};
use crate::cargo::cargo;

/// What cargo built.
#[derive(Default)]
pub(crate) struct Build {
    executables: Vec<Executable>,
}

pub(crate) struct Executable {
    pub(crate) package: String,
    pub(crate) package_directory: PathBuf,
    pub(crate) target: String,
    pub(crate) path: PathBuf,
    is_test: bool,
}

impl Build {
    /// Builds what the rings need; compiler messages go to the terminal as they come.
    pub(crate) fn run(root: &Path, rings: &[Ring]) -> Result<Self, String> {
        let mut command = cargo(
            root,
            [
                "test",
                "--no-run",
                "--all-features",
                "--message-format=json-render-diagnostics",
            ],
        );
        match rings {
            [Ring::Doc] => return Ok(Self::default()),
            [Ring::Pure] | [Ring::Pure, Ring::Doc] => {
                command.args(PURE_PACKAGES.map(|package| format!("--package={package}")));
            }
            // Cargo builds the binaries of a package (`real-cli`) only along with one of its
            // integration tests.
            [Ring::Soak] => {
                command.args(["--package=inhouse", "--package=inhouse-testkit"]);
                command.args(["--test=soak", "--test=scripted_model"]);
            }
            _ => {
                command.arg("--workspace");
            }
        }
        Self::read(command)
    }

    /// The test executables of one ring, in the order of their names.
    pub(crate) fn tests_of(&self, ring: Ring) -> impl Iterator<Item = &Executable> {
        self.executables
            .iter()
            .filter(move |built| built.is_test && Ring::of(&built.package, &built.target) == ring)
    }

    pub(crate) fn binary(&self, name: &str) -> Option<&Path> {
        let mut binaries = self.executables.iter().filter(|built| !built.is_test);
        binaries
            .find(|built| built.target == name)
            .map(|built| built.path.as_path())
    }

    fn read(mut command: Command) -> Result<Self, String> {
        let failed = |cause: std::io::Error| format!("cargo test --no-run: {cause}");
        let mut cargo = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let stdout = cargo.stdout.take().expect("stdout is piped");
        let mut executables = Vec::new();
        for line in BufReader::new(stdout).lines() {
            executables.extend(Executable::from_message(&line.map_err(failed)?));
        }
        if !cargo.wait().map_err(failed)?.success() {
            return Err("the tests do not build".to_owned());
        }
        executables.sort_by(|one, other| {
            (&one.package, &one.target).cmp(&(&other.package, &other.target))
        });
        Ok(Self { executables })
    }
}

impl Executable {
    /// `None` for the messages of cargo that are about something else.
    fn from_message(line: &str) -> Option<Self> {
        let artifact: Artifact = serde_json::from_str(line).ok()?;
        let package_directory = artifact.manifest_path.parent()?.to_owned();
        Some(Self {
            package: package_name(&artifact.package_id).to_owned(),
            package_directory,
            target: artifact.target.name,
            path: artifact.executable?,
            is_test: artifact.profile.test,
        })
    }
}

/// The name in a package id: `path+file:///dir/name#0.1.0` or `path+file:///dir#name@0.1.0`.
fn package_name(id: &str) -> &str {
    let (place, version) = id.rsplit_once('#').unwrap_or((id, ""));
    match version.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next().unwrap_or(place),
    }
}

#[derive(Deserialize)]
struct Artifact {
    package_id: String,
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(target: &str, executable: &str, test: bool) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"path+file:///w/crates/inhouse#0.1.0",
            "manifest_path":"/w/crates/inhouse/Cargo.toml","target":{{"kind":["test"],"name":"{target}"}},
            "profile":{{"test":{test}}},"executable":{executable}}}"#
        )
    }

    #[test]
    fn executables_are_read_from_the_messages_of_cargo() {
        let test = Executable::from_message(&artifact("real", "\"/t/real-1\"", true)).unwrap();
        assert_eq!(
            (test.package.as_str(), test.target.as_str()),
            ("inhouse", "real")
        );
        assert_eq!(test.package_directory, Path::new("/w/crates/inhouse"));
        assert!(Executable::from_message(&artifact("inhouse", "null", false)).is_none());
        assert!(
            Executable::from_message(r#"{"reason":"build-finished","success":true}"#).is_none()
        );
    }

    #[test]
    fn tests_and_binaries_are_told_apart() {
        let messages = [
            artifact("real", "\"/t/real-1\"", true),
            artifact("real-cli", "\"/t/real-cli\"", false),
        ];
        let build = Build {
            executables: messages
                .iter()
                .filter_map(|line| Executable::from_message(line))
                .collect(),
        };
        assert_eq!(build.tests_of(Ring::Real).count(), 1);
        assert_eq!(build.tests_of(Ring::Behaviour).count(), 0);
        assert_eq!(build.binary("real-cli"), Some(Path::new("/t/real-cli")));
        assert_eq!(build.binary("real"), None);
    }

    #[test]
    fn package_ids_come_in_two_forms() {
        assert_eq!(
            package_name("path+file:///w/crates/inhouse#0.1.0"),
            "inhouse"
        );
        assert_eq!(package_name("path+file:///w/odd#inhouse@0.1.0"), "inhouse");
    }
}
