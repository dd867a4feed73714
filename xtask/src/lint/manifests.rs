//! Every crate inherits the lints of the workspace, which forbid unsafe code.

use anyhow::{Context, Result};
use toml::Table;

use super::{Files, Findings};

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut findings = Findings::new();
    for file in files
        .text
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"))
    {
        let manifest: Table = file.text.parse().with_context(|| file.path.clone())?;
        let get =
            |table: &Table, key: &str| table.get(key).and_then(|value| value.as_table().cloned());
        if let Some(workspace) = get(&manifest, "workspace") {
            let lints = get(&workspace, "lints").and_then(|lints| get(&lints, "rust"));
            let unsafe_code =
                lints.and_then(|lints| lints.get("unsafe_code")?.as_str().map(str::to_owned));
            if unsafe_code.as_deref() != Some("forbid") {
                findings.push(format!("{}: does not forbid unsafe_code", file.path));
            }
        } else {
            let lints = get(&manifest, "lints");
            if lints.and_then(|lints| lints.get("workspace")?.as_bool()) != Some(true) {
                findings.push(format!(
                    "{}: does not inherit the lints of the workspace",
                    file.path
                ));
            }
        }
    }
    Ok(findings)
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
}
