//! Users of the published crates compile no crate twice.

use std::collections::BTreeMap;

use super::dependencies::Dependencies;
use super::finding::Finding;

pub(crate) fn check(dependencies: &Dependencies) -> Vec<Finding> {
    let published = dependencies
        .metadata
        .members()
        .filter(|member| member.is_published());
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in dependencies.metadata.shipped_with(published) {
        if !dependencies
            .deny
            .duplicates
            .iter()
            .any(|spec| matches(spec, &package.name, &package.version))
        {
            versions
                .entry(&package.name)
                .or_default()
                .push(&package.version);
        }
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            Finding::new(name, format!("in the tree as {}", versions.join(" and ")))
        })
        .collect()
}

/// `name@1` stands for all of 1.x.y, `name@1.2` for all of 1.2.y.
fn matches(spec: &str, name: &str, version: &str) -> bool {
    spec.split_once('@').is_some_and(|(spec_name, prefix)| {
        let rest = version.strip_prefix(prefix);
        spec_name == name && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::dependencies::sample;
    use super::*;

    const TWICE: [&str; 2] = ["a 1.0.0 MIT -", "a 2.0.0 MIT -"];

    #[test]
    fn two_versions_that_ship_are_found() {
        let dependencies = sample::dependencies(
            &[TWICE[0], TWICE[1], "b 1.0.0 MIT -"],
            &[
                "app@1.0.0 b@1.0.0 normal",
                "b@1.0.0 a@1.0.0 normal",
                "app@1.0.0 a@2.0.0 build",
            ],
        );
        assert_eq!(
            check(&dependencies),
            [Finding::new("a", "in the tree as 1.0.0 and 2.0.0")]
        );
    }

    #[test]
    fn what_only_tests_or_unpublished_crates_need_does_not_count() {
        let edges = [
            "app@1.0.0 a@1.0.0 normal",
            "app@1.0.0 a@2.0.0 dev",
            "chores@1.0.0 a@2.0.0 normal",
        ];
        assert_eq!(check(&sample::dependencies(&TWICE, &edges)), []);
    }

    #[test]
    fn a_skipped_version_does_not_count() {
        let packages = ["old 1.3.0 MIT -", "old 2.0.0 MIT -"];
        let edges = ["app@1.0.0 old@1.3.0 normal", "app@1.0.0 old@2.0.0 normal"];
        assert_eq!(check(&sample::dependencies(&packages, &edges)), []);
    }

    #[test]
    fn a_spec_ends_at_a_dot() {
        assert!(matches("old@1", "old", "1.3.0"));
        assert!(!matches("old@1", "old", "11.3.0"));
        assert!(!matches("old@1", "older", "1.3.0"));
    }
}
