//! Tests wait for events and never sleep, and no test or example is ignored.

use anyhow::Result;

use super::{Files, Findings};
use crate::source::{Kind, Source};

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut findings = Findings::new();
    for (file, source) in files.rust() {
        let first_test_line = if file.is_test() {
            1
        } else {
            source.first_test_line()
        };
        let mut report = |line, what| findings.push(format!("{}:{line}: {what}", file.path));
        for (line, what) in sleeps_and_ignores(source, first_test_line) {
            report(line, what);
        }
        for token in source.tokens.iter().filter(|token| token.kind == Kind::Doc) {
            if is_ignored_example(&token.text) {
                report(token.line, IGNORED_EXAMPLE);
            }
        }
    }
    for file in files.text.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, number) in file.text.lines().zip(1..) {
            if is_ignored_example(line) {
                findings.push(format!("{}:{number}: {IGNORED_EXAMPLE}", file.path));
            }
        }
    }
    Ok(findings)
}

const IGNORED_EXAMPLE: &str = "an example is ignored; use `text` for what is not a program";

fn sleeps_and_ignores(source: &Source, first_test_line: usize) -> Vec<(usize, &'static str)> {
    let code: Vec<_> = source
        .code()
        .skip_while(|token| token.line < first_test_line)
        .collect();
    let text = |at: usize| code.get(at).map_or("", |token| token.text.as_str());
    let mut findings = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let (before, after) = (text(at.wrapping_sub(1)), text(at + 1));
        // A method or a definition with the same name is a different function.
        let is_function = before == ":" || (after == "(" && before != "." && before != "fn");
        match token.text.as_str() {
            "sleep" | "sleep_until" | "sleep_ms" if is_function => {
                findings.push((token.line, "a test sleeps"));
            }
            "ignore" if before == "[" && text(at.wrapping_sub(2)) == "#" => {
                findings.push((token.line, "a test is ignored"));
            }
            _ => {}
        }
    }
    findings
}

fn is_ignored_example(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['/', '!', '*']).trim();
    let attributes = text.strip_prefix("```").unwrap_or_default();
    attributes
        .split(',')
        .any(|attribute| attribute.trim() == "ignore")
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&files(&[(path, text)])).unwrap().len()
    }

    #[test]
    fn sleeps_are_found_in_every_spelling() {
        for text in [
            "std::thread::sleep(d);",
            "tokio::time::sleep(d).await;",
            "use tokio::time::{sleep, timeout};\nsleep(d).await;",
            "time::sleep_until(then).await;",
        ] {
            assert_eq!(count("tests/a.rs", text), 1, "{text}");
        }
    }

    #[test]
    fn other_sleeps_and_code_outside_tests_are_allowed() {
        let other = "Command::new(\"sleep\").arg(\"60\"); script.sleep(); fn sleep() {}";
        assert_eq!(count("tests/a.rs", other), 0);
        let both = "fn a() { sleep(d) }\n#[cfg(test)]\nmod tests {\n    fn b() { sleep(d) }\n}";
        assert_eq!(count("a.rs", both), 1);
    }

    #[test]
    fn ignored_tests_are_found() {
        assert_eq!(count("tests/a.rs", "#[test]\n#[ignore]\nfn a() {}"), 1);
        assert_eq!(
            count("tests/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn a() {}"),
            1
        );
        assert_eq!(count("tests/a.rs", "#[test]\nfn ignore() {}"), 0);
    }

    #[test]
    fn ignored_examples_are_found() {
        assert_eq!(count("a.rs", "/// ```ignore\n/// a\n/// ```\nfn a() {}"), 1);
        assert_eq!(count("a.md", "```rust,ignore\na\n```"), 1);
        assert_eq!(
            count(
                "a.rs",
                "//! ```text\n//! ignore\n//! ```\n//! ```no_run\n//! ```"
            ),
            0
        );
    }
}
