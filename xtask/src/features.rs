//! `cargo xtask features`: checks that each published crate builds without features, with each one, and with all.

use anyhow::{Result, bail};

use crate::command::{cargo, cargo_of, run as run_command};
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The toolchain to check with, such as 1.89; that of this tool by default
    #[arg(long)]
    toolchain: Option<String>,
    /// Features to leave out, such as those that need a newer compiler
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// The crates to check; every published one by default
    packages: Vec<String>,
}

/// Checks the crates one after another; returns whether all of them build.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    let mut packages = workspace.published_packages()?;
    if let Some(unknown) = arguments
        .packages
        .iter()
        .find(|name| !packages.iter().any(|package| package.name == **name))
    {
        bail!("no published crate has the name `{unknown}`");
    }
    packages.retain(|package| {
        arguments.packages.is_empty() || arguments.packages.contains(&package.name)
    });
    let mut failures = Vec::new();
    for package in packages {
        let features = package.features.keys().map(String::as_str);
        for set in feature_sets(features, &arguments.without) {
            println!("{} with {}", package.name, shown(&set));
            let mut check = match &arguments.toolchain {
                Some(toolchain) => cargo_of(root, toolchain),
                None => cargo(root, []),
            };
            check.args(["check", "--quiet", "--locked", "--no-default-features"]);
            check.args(["--package", &package.name, "--features", &set]);
            if let Err(error) = run_command(&mut check) {
                failures.push(format!("{error:#}"));
            }
        }
    }
    for failure in &failures {
        println!("{failure}");
    }
    Ok(failures.is_empty())
}

/// Returns the sets to check, each as a list with commas: no feature, each one alone, and all if there are several.
fn feature_sets<'a>(features: impl Iterator<Item = &'a str>, without: &[String]) -> Vec<String> {
    let features: Vec<_> = features
        .filter(|name| *name != "default" && !without.iter().any(|other| other == name))
        .collect();
    let mut sets = vec![String::new()];
    sets.extend(features.iter().map(|name| (*name).to_owned()));
    if features.len() > 1 {
        sets.push(features.join(","));
    }
    sets
}

fn shown(set: &str) -> &str {
    match set {
        "" => "no features",
        set => set,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_checked_alone_and_all_together() {
        let sets = |features: &[&str], without: &[String]| {
            feature_sets(features.iter().copied(), without).join(" | ")
        };
        assert_eq!(sets(&["default"], &[]), "");
        assert_eq!(sets(&["a", "default"], &[]), " | a");
        assert_eq!(sets(&["a", "b", "c"], &["b".to_owned()]), " | a | c | a,c");
    }
}
