//! The dependency graph beside what `deny.toml` allows.

use super::deny_toml::DenyToml;
use super::finding::Finding;
use crate::metadata::Metadata;
use crate::workspace::Workspace;

pub(crate) struct Dependencies {
    pub(crate) metadata: Metadata,
    pub(crate) deny: DenyToml,
}

impl Dependencies {
    pub(crate) fn load(workspace: &Workspace) -> Result<Self, String> {
        Ok(Self {
            metadata: Metadata::load(workspace.root())?,
            deny: DenyToml::parse(&workspace.read("deny.toml")?)?,
        })
    }

    /// Every package is a member of the workspace or comes from an allowed registry.
    pub(crate) fn check_sources(&self) -> Vec<Finding> {
        let outside = self
            .metadata
            .packages
            .iter()
            .filter(|package| match &package.source {
                Some(source) => !self
                    .deny
                    .registries
                    .iter()
                    .any(|registry| *source == format!("registry+{registry}")),
                None => self
                    .metadata
                    .members()
                    .all(|member| member.id != package.id),
            });
        outside
            .map(|package| {
                let source = package
                    .source
                    .as_deref()
                    .unwrap_or("a path outside of the workspace");
                Finding::new(
                    format!("{} {}", package.name, package.version),
                    format!("comes from {source}"),
                )
            })
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod sample {
    use super::*;

    /// A workspace of `app` (published) and `chores` (not), with the given packages around them.
    ///
    /// A package is written `name version licence source`, an edge `from to kind`.
    pub(crate) fn dependencies(packages: &[&str], edges: &[&str]) -> Dependencies {
        let packages = ["app 1.0.0 MIT -", "chores 1.0.0 MIT -"]
            .into_iter()
            .chain(packages.iter().copied());
        let packages: Vec<[&str; 4]> = packages.map(words).collect();
        let edges: Vec<[&str; 3]> = edges.iter().copied().map(words).collect();
        let metadata = serde_json::json!({
            "packages": packages.iter().map(|[name, version, licence, source]| serde_json::json!({
                "id": format!("{name}@{version}"),
                "name": name,
                "version": version,
                "license": (*licence != "-").then(|| licence.replace('_', " ")),
                "source": (*source != "-").then_some(source),
                "publish": (*name == "chores").then(Vec::<String>::new),
            })).collect::<Vec<_>>(),
            "workspace_members": ["app@1.0.0", "chores@1.0.0"],
            "resolve": { "nodes": packages.iter().map(|[name, version, ..]| serde_json::json!({
                "id": format!("{name}@{version}"),
                "deps": edges.iter().filter(|[from, ..]| *from == format!("{name}@{version}")).map(|[_, to, kind]| {
                    serde_json::json!({
                        "pkg": to,
                        "dep_kinds": [{ "kind": (*kind != "normal").then_some(kind) }],
                    })
                }).collect::<Vec<_>>(),
            })).collect::<Vec<_>>() },
        });
        Dependencies {
            metadata: Metadata::parse(metadata.to_string().as_bytes()).unwrap(),
            deny: DenyToml {
                licences: vec!["MIT".to_owned()],
                duplicates: vec!["old@1".to_owned()],
                registries: vec!["https://known".to_owned()],
            },
        }
    }

    fn words<const N: usize>(line: &str) -> [&str; N] {
        line.split(' ')
            .collect::<Vec<_>>()
            .try_into()
            .expect("a line of the sample has the right number of words")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_are_known_by_name() {
        let good = sample::dependencies(&["a 1.0.0 MIT registry+https://known"], &[]);
        assert_eq!(good.check_sources(), []);
        for source in ["registry+https://unknown", "git+https://known", "-"] {
            let bad = sample::dependencies(&[&format!("a 1.0.0 MIT {source}")], &[]);
            assert_eq!(bad.check_sources().len(), 1, "{source}");
        }
    }
}
