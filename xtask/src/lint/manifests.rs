//! Every crate inherits the lints of the workspace, which forbid unsafe code, and can be published.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::{Files, Findings};

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut findings = Findings::new();
    let mut manifests = Vec::new();
    for file in files
        .text
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"))
    {
        let manifest: Table = file.text.parse().with_context(|| file.path.clone())?;
        if let Some(workspace) = table(&manifest, "workspace") {
            let lints = table(workspace, "lints").and_then(|lints| table(lints, "rust"));
            let unsafe_code = lints.and_then(|lints| lints.get("unsafe_code")?.as_str());
            if unsafe_code != Some("forbid") {
                findings.push(format!("{}: does not forbid unsafe_code", file.path));
            }
        } else {
            let lints = table(&manifest, "lints");
            if lints.and_then(|lints| lints.get("workspace")?.as_bool()) != Some(true) {
                findings.push(format!(
                    "{}: does not inherit the lints of the workspace",
                    file.path
                ));
            }
        }
        manifests.push((file.path.as_str(), manifest));
    }
    findings.extend(unpublishable(&manifests));
    Ok(findings)
}

/// Finds dev-dependencies with a version on a crate that depends on their own crate.
///
/// Cargo keeps such a dependency when it publishes the crate, so that neither of the two can be published first. It
/// leaves out one that has a path alone.
fn unpublishable(manifests: &[(&str, Table)]) -> Findings {
    let mut dependencies = BTreeMap::new();
    for (_, manifest) in manifests {
        if let Some(name) = name(manifest) {
            let normal = all(manifest, "dependencies").chain(all(manifest, "build-dependencies"));
            dependencies.insert(name, normal.map(|(name, _)| name).collect::<Vec<_>>());
        }
    }
    let mut findings = Findings::new();
    for (path, manifest) in manifests {
        let Some(this) = name(manifest) else { continue };
        for (dependency, value) in all(manifest, "dev-dependencies") {
            // Every crate in the table of the workspace has a version.
            let has_version = value.is_str()
                || value.get("version").is_some()
                || value.get("workspace").is_some();
            if has_version && depends_on(&dependencies, dependency, this) {
                findings.push(format!(
                    "{path}: the dev-dependency `{dependency}` depends on `{this}`; give it a path alone"
                ));
            }
        }
    }
    findings
}

/// Returns whether a crate depends on another one, directly or not.
fn depends_on(dependencies: &BTreeMap<&str, Vec<&str>>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(name) = open.pop() {
        let below = dependencies.get(name).into_iter().flatten().copied();
        open.extend(below.filter(|name| seen.insert(*name)));
    }
    seen.contains(to)
}

/// Returns the dependencies of a kind, also those for some platforms only.
fn all<'a>(manifest: &'a Table, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let targets = table(manifest, "target").into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.as_table());
    let tables = std::iter::once(manifest).chain(targets);
    tables
        .filter_map(move |manifest| table(manifest, kind))
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn name(manifest: &Table) -> Option<&str> {
    table(manifest, "package")?.get("name")?.as_str()
}

fn table<'a>(parent: &'a Table, key: &str) -> Option<&'a Table> {
    parent.get(key)?.as_table()
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn crates_inherit_and_the_workspace_forbids() {
        for (manifest, expected) in [
            ("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n", 0),
            ("[package]\nname = \"a\"\n", 1),
            ("[lints]\n\n[dependencies.b]\nworkspace = true\n", 1),
            ("[workspace.lints.rust]\nunsafe_code = \"forbid\"\n", 0),
            ("[workspace.lints.rust]\nunsafe_code = \"warn\"\n", 1),
        ] {
            let findings = check(&files(&[("Cargo.toml", manifest)])).unwrap();
            assert_eq!(findings.len(), expected, "{manifest}");
        }
    }

    #[test]
    fn versioned_dev_dependency_on_a_dependent_crate_is_refused() {
        let package = |name: &str, rest: &str| {
            format!("[package]\nname = \"{name}\"\n[lints]\nworkspace = true\n{rest}\n")
        };
        let kit = package("kit", "[dependencies]\nmiddle = \"1\"");
        let middle = package(
            "middle",
            "[target.'cfg(unix)'.dependencies]\nbase.workspace = true",
        );
        for (dev_dependencies, expected) in [
            ("kit.workspace = true", 1),
            ("kit = { path = \"../kit\", version = \"1\" }", 1),
            ("middle = \"1\"", 1),
            ("kit = { path = \"../kit\", features = [\"a\"] }", 0),
            ("other.workspace = true", 0),
        ] {
            let base = package("base", &format!("[dev-dependencies]\n{dev_dependencies}"));
            let files = files(&[
                ("base/Cargo.toml", &base),
                ("kit/Cargo.toml", &kit),
                ("middle/Cargo.toml", &middle),
            ]);
            let findings = check(&files).unwrap();
            assert_eq!(findings.len(), expected, "{dev_dependencies}: {findings:?}");
        }
    }
}
