//! What `cargo metadata` says about the packages and who depends on whom.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::cargo::cargo;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// Whether crates for other platforms are missing, since they could not be fetched.
    #[serde(skip)]
    pub(crate) host_only: bool,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// Where it was fetched from; `None` for a path.
    pub(crate) source: Option<String>,
    publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for a normal dependency.
    kind: Option<String>,
}

impl Metadata {
    /// Asks cargo for the graph of all platforms, or of this one alone when the rest cannot be fetched.
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
        let mut all = cargo(root, ["metadata", "--format-version=1", "--all-features"]);
        if let Ok(metadata) = read(&mut all) {
            return Ok(metadata);
        }
        let host = host_triple()?;
        let mut here = cargo(
            root,
            [
                "metadata",
                "--format-version=1",
                "--all-features",
                "--offline",
            ],
        );
        let metadata = read(here.arg(format!("--filter-platform={host}")))?;
        Ok(Self {
            host_only: true,
            ..metadata
        })
    }

    pub(crate) fn parse(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|cause| format!("cargo metadata: {cause}"))
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Package> {
        self.members().find(|package| package.name == name)
    }

    /// Everything that users of `roots` compile: their normal and build dependencies all the way down, themselves included.
    pub(crate) fn shipped_with<'a>(
        &'a self,
        roots: impl IntoIterator<Item = &'a Package>,
    ) -> Vec<&'a Package> {
        let nodes: HashMap<&str, &Node> = self
            .resolve
            .nodes
            .iter()
            .map(|node| (node.id.as_str(), node))
            .collect();
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = roots
            .into_iter()
            .map(|package| package.id.as_str())
            .collect();
        while let Some(id) = open.pop() {
            if !reached.insert(id) {
                continue;
            }
            let dependencies = nodes.get(id).map_or(&[][..], |node| &node.deps);
            open.extend(
                dependencies
                    .iter()
                    .filter(|dependency| dependency.ships())
                    .map(|dependency| dependency.pkg.as_str()),
            );
        }
        self.packages
            .iter()
            .filter(|package| reached.contains(package.id.as_str()))
            .collect()
    }
}

impl Package {
    pub(crate) fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }
}

impl Dependency {
    fn ships(&self) -> bool {
        self.dep_kinds
            .iter()
            .any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

fn read(command: &mut Command) -> Result<Metadata, String> {
    let output = command
        .output()
        .map_err(|cause| format!("cargo metadata: {cause}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Metadata::parse(&output.stdout)
}

fn host_triple() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .map_err(|cause| format!("rustc -vV: {cause}"))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .ok_or_else(|| "rustc -vV names no host".to_owned())
}
