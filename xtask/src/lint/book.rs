//! Every chapter of the guide is in its table of contents, links of chapters lead somewhere, and the tests that the
//! chapters and the pages of `docs` name exist.
//!
//! Links to items of the API are checked by rustdoc.

use std::collections::HashSet;

use anyhow::{Context, Result};

use super::{Files, Findings};
use crate::book::{Chapter, Contents, GUIDE, is_rust_path};
use crate::workspace::TextFile;

pub(super) fn check(files: &Files) -> Result<Findings> {
    let table = format!("{GUIDE}/mod.rs");
    let source = files.text.iter().find(|file| file.path == table);
    let source = source.with_context(|| table.clone())?;
    let contents = Contents::parse(&source.text);
    let tests = test_functions(files);
    let chapters: Vec<_> = files
        .text
        .iter()
        .filter_map(|file| Some((file, chapter_name(&file.path)?)))
        .collect();
    let mut findings = Findings::new();
    for name in contents.names() {
        if !chapters.iter().any(|(_, chapter)| *chapter == name) {
            findings.push(format!("{table}: the chapter `{name}` has no file"));
        }
    }
    for (file, name) in &chapters {
        let path = &file.path;
        if !contents.lists(name) || !contents.includes(name) {
            findings.push(format!("{path}: the chapter is not in {table}"));
        }
        let chapter = Chapter::parse(&file.text);
        for link in chapter.links() {
            if let Some(flaw) = link_flaw(&link.target, &chapter, &chapters) {
                let line = chapter.line(&link);
                findings.push(format!(
                    "{path}:{line}: the link to `{}` {flaw}",
                    link.target
                ));
            }
        }
        findings.extend(missing_tests(path, &chapter, &tests));
    }
    let pages = files.text.iter().filter(|file| is_page(&file.path));
    for TextFile { path, text } in pages {
        findings.extend(missing_tests(path, &Chapter::parse(text), &tests));
    }
    Ok(findings)
}

/// Returns whether a file is a page of `docs`, in the Markdown of GitHub.
fn is_page(path: &str) -> bool {
    path.starts_with("docs/") && path.ends_with(".md")
}

fn missing_tests(path: &str, chapter: &Chapter<'_>, tests: &HashSet<&str>) -> Findings {
    let mut named = chapter.tests();
    named.retain(|(_, test)| !tests.contains(test));
    let findings = named.into_iter();
    findings
        .map(|(line, test)| format!("{path}:{line}: there is no test `{test}`"))
        .collect()
}

/// Returns the module of a chapter, or `None` for any other file.
fn chapter_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix(GUIDE)?.strip_prefix('/')?;
    name.strip_suffix(".md")
}

fn link_flaw(
    target: &str,
    chapter: &Chapter<'_>,
    chapters: &[(&TextFile, &str)],
) -> Option<&'static str> {
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let anchors = match path.strip_prefix("crate::guide::") {
        _ if path.is_empty() => chapter.anchors(),
        Some(name) => match chapters.iter().find(|(_, chapter)| *chapter == name) {
            Some((file, _)) => Chapter::parse(&file.text).anchors(),
            None => return Some("leads to no chapter"),
        },
        None if path.starts_with("https://") || is_rust_path(path) => return None,
        None => return Some("is relative, which docs.rs cannot resolve"),
    };
    let is_found = fragment.is_empty() || anchors.iter().any(|anchor| anchor == fragment);
    (!is_found).then_some("leads to no heading")
}

/// Returns the names of the functions in test code.
fn test_functions(files: &Files) -> HashSet<&str> {
    let mut names = HashSet::new();
    for (file, source) in files.rust() {
        let first_line = if file.is_test() {
            1
        } else {
            source.first_test_line()
        };
        let code: Vec<_> = source
            .code()
            .skip_while(|token| token.line < first_line)
            .collect();
        let functions = code.windows(2).filter(|pair| pair[0].text == "fn");
        names.extend(functions.map(|pair| pair[1].text.as_str()));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    const TABLE: &str = "//! 1. [A](a): one.\n\n#[doc = include_str!(\"a.md\")]\npub mod a {}\n";

    fn found(chapters: &[(&str, &str)]) -> Vec<String> {
        let paths: Vec<String> = chapters
            .iter()
            .map(|(name, _)| format!("{GUIDE}/{name}.md"))
            .collect();
        let table = format!("{GUIDE}/mod.rs");
        let mut texts = vec![
            (table.as_str(), TABLE),
            ("crates/a/tests/t.rs", "fn it_works() {}"),
        ];
        texts.extend(
            paths
                .iter()
                .zip(chapters)
                .map(|(path, (_, text))| (path.as_str(), *text)),
        );
        check(&files(&texts)).unwrap()
    }

    #[test]
    fn chapters_and_the_table_have_to_agree() {
        assert_eq!(found(&[("a", "# A\n")]), [""; 0]);
        assert!(found(&[])[0].contains("`a` has no file"));
        assert!(found(&[("a", ""), ("b", "")])[0].contains("b.md: the chapter is not in"));
    }

    #[test]
    fn links_have_to_lead_somewhere() {
        for link in [
            "crate::guide::a#limits",
            "#limits",
            "crate::Options",
            "https://a.example/",
        ] {
            assert_eq!(
                found(&[("a", &format!("## Limits\n\n[x]({link})"))]),
                [""; 0]
            );
        }
        for link in [
            "crate::guide::b",
            "crate::guide::a#more",
            "#more",
            "../a.md",
        ] {
            assert_eq!(
                found(&[("a", &format!("\n[x]({link})"))]).len(),
                1,
                "{link}"
            );
        }
    }

    #[test]
    fn named_tests_have_to_exist() {
        assert_eq!(found(&[("a", "Tests: `it_works`.")]), [""; 0]);
        assert_eq!(found(&[("a", "Tests: `it_fails`.")]).len(), 1);
    }

    #[test]
    fn tests_named_by_pages_of_docs_have_to_exist() {
        let table = format!("{GUIDE}/mod.rs");
        let page = "See the test `it_works`.\nSee the test `it_fails`.\n";
        let found = check(&files(&[
            (&table, ""),
            ("crates/a/tests/t.rs", "fn it_works() {}"),
            ("docs/b/c.md", page),
            ("README.md", "See the test `it_fails`."),
        ]));
        assert_eq!(
            found.unwrap(),
            ["docs/b/c.md:2: there is no test `it_fails`"]
        );
    }
}
