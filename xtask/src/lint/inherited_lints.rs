//! Every crate stands under the lints of the workspace, which forbid unsafe code.

use super::finding::Finding;
use crate::workspace::TextFile;

pub(crate) fn check(files: &[TextFile]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"))
        .filter_map(|file| {
            if file.path == "Cargo.toml" {
                let forbidden = has_line(
                    &file.text,
                    "[workspace.lints.rust]",
                    "unsafe_code = \"forbid\"",
                );
                (!forbidden).then(|| Finding::new(&file.path, "does not forbid unsafe_code"))
            } else {
                let inherited = has_line(&file.text, "[lints]", "workspace = true");
                (!inherited).then(|| {
                    Finding::new(&file.path, "does not inherit the lints of the workspace")
                })
            }
        })
        .collect()
}

fn has_line(manifest: &str, section: &str, wanted: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == section)
        && lines
            .take_while(|line| !line.starts_with('['))
            .any(|line| line == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }])
        .len()
    }

    #[test]
    fn a_crate_must_inherit() {
        assert_eq!(
            count(
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"
            ),
            0
        );
        assert_eq!(count("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"), 1);
        assert_eq!(
            count(
                "crates/a/Cargo.toml",
                "[lints]\n\n[dependencies.b]\nworkspace = true\n"
            ),
            1
        );
    }

    #[test]
    fn the_workspace_must_forbid() {
        assert_eq!(
            count(
                "Cargo.toml",
                "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"
            ),
            0
        );
        assert_eq!(
            count(
                "Cargo.toml",
                "[workspace.lints.rust]\nunsafe_code = \"warn\"\n"
            ),
            1
        );
    }
}
