//! Rust files outside of tests have at most 500 lines, not counting their unit tests.

use anyhow::Result;

use super::{Files, Findings};

const LIMIT: usize = 500;

pub(super) fn check(files: &Files) -> Result<Findings> {
    let sources = files.rust().filter(|(file, _)| !file.is_test());
    let sizes = sources.map(|(file, source)| (&file.path, source.first_test_line() - 1));
    let findings = sizes
        .filter(|(_, lines)| *lines > LIMIT)
        .map(|(path, lines)| format!("{path}: {lines} lines; the limit is {LIMIT}"));
    Ok(findings.collect())
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn limit_applies_to_lines_before_unit_tests() {
        let count = |path: &str, lines: usize, end: &str| {
            let text = "a!();\n".repeat(lines) + end;
            check(&files(&[(path, &text)])).unwrap().len()
        };
        assert_eq!(count("a.rs", LIMIT, ""), 0);
        assert_eq!(count("a.rs", LIMIT + 1, ""), 1);
        assert_eq!(count("tests/a.rs", LIMIT + 1, ""), 0);
        assert_eq!(count("a.rs", LIMIT, "#[cfg(test)]\nmod tests {\n}\n"), 0);
    }
}
