//! `cargo xtask size`: the sizes of the crates.
//!
//! A line of code has at least one token outside unit tests; so tokei counts as well, which includes the tests.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::lint;
use crate::source::{Kind, Source};
use crate::workspace::Workspace;

/// The sums of one crate.
#[derive(Clone, Copy, Default)]
struct Size {
    files: usize,
    code: usize,
    docs: usize,
    comments: usize,
    /// Doc comments of items.
    documented: usize,
    /// Doc comments of items that contain an example.
    with_example: usize,
}

/// Prints the table; always succeeds.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let mut sizes: BTreeMap<String, Size> = BTreeMap::new();
    for file in workspace
        .text_files()?
        .iter()
        .filter(|file| file.is_rust() && !file.is_test())
    {
        let Some((name, _)) = file.path.split_once("/src/") else {
            continue;
        };
        let size = Size::of(&file.parse()?);
        for name in [name, "all"] {
            sizes.entry(name.to_owned()).or_default().add(size);
        }
    }
    println!(
        "{:<24} {:>6} {:>8} {:>8} {:>9} {:>9} {:>11} {:>9}",
        "crate", "files", "code", "docs", "docs/code", "comments", "documented", "examples"
    );
    for (name, size) in &sizes {
        println!(
            "{name:<24} {:>6} {:>8} {:>8} {:>9.2} {:>9} {:>11} {:>9}",
            size.files,
            size.code,
            size.docs,
            size.docs as f64 / size.code.max(1) as f64,
            size.comments,
            size.documented,
            size.with_example
        );
    }
    println!(
        "{} findings of `cargo xtask lint words`",
        lint::count_words(workspace)?
    );
    Ok(true)
}

impl Size {
    fn of(source: &Source) -> Self {
        let end = source.first_test_line();
        let mut size = Self {
            files: 1,
            comments: source
                .comments
                .iter()
                .filter(|comment| comment.line < end)
                .count(),
            ..Self::default()
        };
        let mut code = BTreeSet::new();
        // Each item's doc comment has one token for each line.
        let mut fences = 0;
        let mut last_doc = 0;
        for token in source.tokens.iter().take_while(|token| token.line < end) {
            if token.kind != Kind::Doc {
                code.extend(token.line..=token.last_line);
                continue;
            }
            size.docs += token.last_line - token.line + 1;
            if !token.text.starts_with("//!") {
                if token.line != last_doc + 1 {
                    size.documented += 1;
                    fences = 0;
                }
                fences += usize::from(token.text.contains("```"));
                size.with_example += usize::from(fences == 1 && token.text.contains("```"));
                last_doc = token.last_line;
            }
        }
        size.code = code.len();
        size
    }

    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.code += other.code;
        self.docs += other.docs;
        self.comments += other.comments;
        self.documented += other.documented;
        self.with_example += other.with_example;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_docs_and_comments_are_counted_apart() {
        let text = "//! Module.\n\n/// A:\n/// ```\n/// a();\n/// ```\nfn a() {\n    \"x\n    y\" // y\n}\n\n\
             #[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let size = Size::of(&Source::parse(text).unwrap());
        assert_eq!((size.code, size.docs, size.comments), (4, 5, 1));
        assert_eq!((size.documented, size.with_example), (1, 1));
    }
}
