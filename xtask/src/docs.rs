//! `cargo xtask docs`: builds the documentation of the published libraries as docs.rs does.
//!
//! docs.rs uses a nightly toolchain, which the badges of features need, and the settings of `[package.metadata.docs.rs]`. Each
//! crate is built alone, so that a link which needs the features of another crate is found.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::{Package, TargetKind};
use serde::Deserialize;

use crate::command::{cargo_of, output, run as run_command};
use crate::workspace::Workspace;

const TOOLCHAIN: &str = "nightly";

/// The section `[package.metadata.docs.rs]` of a manifest. A setting that this tool does not apply is an error.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    all_features: bool,
    #[serde(default)]
    features: Vec<String>,
    #[serde(default)]
    rustdoc_args: Vec<String>,
}

/// Documents the crates one after another; returns whether none of them has a warning.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    output(cargo_of(root, TOOLCHAIN).arg("--version")).context(
        "docs.rs uses a nightly toolchain: rustup toolchain install nightly --profile minimal",
    )?;
    let mut failures = Vec::new();
    for package in libraries(workspace)? {
        println!("{}", package.name);
        let mut doc = doc(root, &package.name, &Settings::of(&package)?);
        if let Err(error) = run_command(&mut doc) {
            failures.push(format!("{error:#}"));
        }
    }
    for failure in &failures {
        println!("{failure}");
    }
    Ok(failures.is_empty())
}

/// Returns the published packages that docs.rs documents: those with a library or a procedural macro.
fn libraries(workspace: &Workspace) -> Result<Vec<Package>> {
    let mut packages = workspace.published_packages()?;
    packages.retain(|package| {
        let mut kinds = package.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| matches!(kind, TargetKind::Lib | TargetKind::ProcMacro))
    });
    Ok(packages)
}

impl Settings {
    fn of(package: &Package) -> Result<Self> {
        let settings = &package.metadata["docs"]["rs"];
        Self::deserialize(settings)
            .with_context(|| format!("[package.metadata.docs.rs] of {}", package.name))
    }
}

fn doc(root: &Path, package: &str, settings: &Settings) -> Command {
    let mut doc = cargo_of(root, TOOLCHAIN);
    doc.args(["doc", "--quiet", "--locked", "--no-deps", "--lib"]);
    doc.args(["--package", package]);
    match settings.all_features {
        true => doc.arg("--all-features"),
        false => doc.arg("--features").arg(settings.features.join(",")),
    };
    let flags = format!("{} -D warnings", settings.rustdoc_args.join(" "));
    doc.env("RUSTDOCFLAGS", flags);
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(json: &str) -> serde_json::Result<Settings> {
        serde_json::from_str(json)
    }

    #[test]
    fn settings_become_arguments_of_cargo_doc() {
        let arguments = |json: &str| {
            let doc = doc(Path::new("."), "a", &settings(json).unwrap());
            let words: Vec<_> = doc.get_args().map(|word| word.to_string_lossy()).collect();
            words.join(" ")
        };
        let all = arguments(r#"{"all-features": true}"#);
        assert!(all.starts_with("+nightly doc "), "{all}");
        assert!(all.ends_with("--package a --all-features"), "{all}");
        let some = arguments(r#"{"features": ["b", "c"]}"#);
        assert!(some.ends_with("--package a --features b,c"), "{some}");
        assert!(settings(r#"{"targets": []}"#).is_err());
    }

    #[test]
    fn every_published_crate_is_documented_with_all_features_and_badges() {
        let workspace = Workspace::locate();
        for package in workspace.published_packages().unwrap() {
            let settings = Settings::of(&package).unwrap();
            assert!(settings.all_features, "{}", package.name);
            assert_eq!(
                settings.rustdoc_args,
                ["--cfg", "docsrs"],
                "{}",
                package.name
            );
        }
        let libraries = libraries(&workspace).unwrap();
        let has = |name: &str| libraries.iter().any(|package| package.name == name);
        assert!(has("inhouse") && has("inhouse-macros"));
        assert!(!has("inhouse-cli") && !has("xtask"));
    }
}
