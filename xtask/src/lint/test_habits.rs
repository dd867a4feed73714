//! Tests wait for events and not for time, and none of them is switched off.

use super::finding::Finding;
use super::rust_source::{RustSource, Token, texts};
use crate::workspace::TextFile;

pub(crate) fn check(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        if file.is_rust() {
            let source = RustSource::parse(&file.text);
            let first_test_line = if file.is_test() {
                1
            } else {
                source.first_test_line()
            };
            findings.extend(sleeps_and_ignores(&file.path, &source, first_test_line));
            findings.extend(ignored_examples(&file.path, &source.comments));
        } else if file.path.ends_with(".md") {
            findings.extend(ignored_examples(&file.path, &file.text));
        }
    }
    findings
}

fn sleeps_and_ignores(path: &str, source: &RustSource, first_test_line: usize) -> Vec<Finding> {
    let tokens: Vec<Token<'_>> = source
        .tokens()
        .into_iter()
        .skip_while(|token| token.line < first_test_line)
        .collect();
    (0..tokens.len())
        .filter_map(|at| {
            let objection = match tokens[at].text {
                "sleep" | "sleep_until" | "sleep_ms" if is_free_function(&tokens, at) => "sleeps",
                "ignore" if texts(&tokens[..at]).ends_with(&["#", "["]) => "is ignored",
                _ => return None,
            };
            Some(Finding::at_line(
                path,
                tokens[at].line,
                format!("a test {objection}"),
            ))
        })
        .collect()
}

/// A call of the function or a path to it; a method or a definition of the same name is somebody else's.
fn is_free_function(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
    let after = tokens.get(at + 1).map_or("", |token| token.text);
    before == "::" || (after == "(" && before != "." && before != "fn")
}

fn ignored_examples(path: &str, prose: &str) -> Vec<Finding> {
    prose
        .lines()
        .zip(1..)
        .filter(|(line, _)| {
            let text = line.trim_start().trim_start_matches(['/', '!', '*']).trim();
            let attributes = text.strip_prefix("```").unwrap_or_default();
            attributes
                .split(',')
                .any(|attribute| attribute.trim() == "ignore")
        })
        .map(|(_, line)| {
            Finding::at_line(
                path,
                line,
                "an example is ignored; use `text` for what is no program",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_tests(text: &str) -> usize {
        sleeps_and_ignores("a.rs", &RustSource::parse(text), 1).len()
    }

    #[test]
    fn sleeps_are_found_in_every_spelling() {
        assert_eq!(in_tests("std::thread::sleep(d);"), 1);
        assert_eq!(in_tests("tokio::time::sleep(d).await;"), 1);
        assert_eq!(
            in_tests("use tokio::time::{sleep, timeout};\nsleep(d).await;"),
            1
        );
        assert_eq!(in_tests("time::sleep_until(then).await;"), 1);
    }

    #[test]
    fn other_sleeps_are_fine() {
        assert_eq!(
            in_tests("Command::new(\"sleep\").arg(\"60\"); script.sleep(); fn sleep() {}"),
            0
        );
    }

    #[test]
    fn code_outside_of_tests_may_sleep() {
        let source = RustSource::parse(
            "fn a() { sleep(d) }\n#[cfg(test)]\nmod tests {\n    fn b() { sleep(d) }\n}",
        );
        assert_eq!(
            sleeps_and_ignores("a.rs", &source, source.first_test_line()),
            [Finding::at_line("a.rs", 4, "a test sleeps")]
        );
    }

    #[test]
    fn ignored_tests_are_found() {
        assert_eq!(in_tests("#[test]\n#[ignore]\nfn a() {}"), 1);
        assert_eq!(in_tests("#[test]\n#[ignore = \"slow\"]\nfn a() {}"), 1);
        assert_eq!(in_tests("#[test]\nfn ignore() {}"), 0);
    }

    #[test]
    fn ignored_examples_are_found() {
        assert_eq!(
            ignored_examples("a.rs", "/// ```ignore\n/// a\n/// ```").len(),
            1
        );
        assert_eq!(ignored_examples("a.md", "```rust,ignore\na\n```").len(), 1);
        assert_eq!(
            ignored_examples(
                "a.rs",
                "//! ```text\n//! ignore\n//! ```\n//! ```no_run\n//! ```"
            )
            .len(),
            0
        );
    }
}
