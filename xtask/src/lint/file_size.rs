//! Files stay small enough to be read at one sitting.

use super::finding::{Finding, Outcome};
use super::rust_source::RustSource;
use crate::workspace::TextFile;

/// Lines of one file, not counting its unit tests.
const BUDGET: usize = 500;

pub(crate) fn check(files: &[TextFile]) -> Outcome {
    let mut sizes = Vec::new();
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !file.is_test())
    {
        let lines = lines_without_tests(&file.text);
        sizes.push(lines);
        if lines > BUDGET {
            findings.push(Finding::new(
                &file.path,
                format!("{lines} lines, {BUDGET} are the most"),
            ));
        }
    }
    let largest = sizes.iter().max().copied().unwrap_or(0);
    let note = format!(
        "{} files, median {} lines, largest {largest}",
        sizes.len(),
        median(&mut sizes)
    );
    Outcome::from(findings).note(note)
}

fn lines_without_tests(text: &str) -> usize {
    RustSource::parse(text).first_test_line() - 1
}

fn median(sizes: &mut [usize]) -> usize {
    sizes.sort_unstable();
    sizes.get(sizes.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: String) -> TextFile {
        TextFile {
            path: path.to_owned(),
            text,
        }
    }

    #[test]
    fn a_file_may_fill_its_budget_and_no_more() {
        assert_eq!(check(&[file("a.rs", "a();\n".repeat(BUDGET))]).findings, []);
        assert_eq!(
            check(&[file("a.rs", "a();\n".repeat(BUDGET + 1))])
                .findings
                .len(),
            1
        );
    }

    #[test]
    fn tests_do_not_count() {
        let tests = format!(
            "a();\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "a();\n".repeat(BUDGET)
        );
        assert_eq!(lines_without_tests(&tests), 1);
        assert_eq!(
            check(&[file("tests/a.rs", "a();\n".repeat(BUDGET + 1))]).findings,
            []
        );
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [9, 1, 5]), 5);
        assert_eq!(median(&mut []), 0);
    }
}
