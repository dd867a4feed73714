//! Nothing unfinished: no notes to oneself, no placeholders, no debugging prints.

use super::finding::Finding;
use super::rust_source::{RustSource, texts};
use crate::workspace::TextFile;

const NOTES: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];
const PLACEHOLDERS: &[&str] = &["todo", "unimplemented", "dbg"];

pub(crate) fn check(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        if file.is_rust() {
            let source = RustSource::parse(&file.text);
            findings.extend(notes(&file.path, &source.comments));
            findings.extend(placeholders(&file.path, &source));
        } else if is_prose(&file.path) {
            findings.extend(notes(&file.path, &file.text));
        }
    }
    findings
}

/// Fixtures and lock files hold what others wrote.
fn is_prose(path: &str) -> bool {
    [".md", ".toml", ".sh", ".ci/run"]
        .iter()
        .any(|end| path.ends_with(end))
}

fn notes(path: &str, text: &str) -> Vec<Finding> {
    text.lines()
        .zip(1..)
        .filter_map(|(line, number)| {
            let mut words = line.split(|letter: char| letter != '_' && !letter.is_alphanumeric());
            let note = words.find(|word| NOTES.contains(word))?;
            Some(Finding::at_line(path, number, format!("{note} is left")))
        })
        .collect()
}

fn placeholders(path: &str, source: &RustSource) -> Vec<Finding> {
    source
        .tokens()
        .windows(2)
        .filter(|pair| PLACEHOLDERS.contains(&pair[0].text) && texts(pair)[1] == "!")
        .map(|pair| Finding::at_line(path, pair[0].line, format!("{}! is left", pair[0].text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_whole_words() {
        assert_eq!(notes("a.md", "one\nTODO: two").len(), 1);
        assert_eq!(notes("a.md", "TodoWrite, TODOS and a todo list").len(), 0);
    }

    #[test]
    fn in_rust_notes_are_looked_for_in_comments() {
        let file = |text: &str| TextFile {
            path: "a.rs".to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(check(&[file("fn a() {} // FIXME")]).len(), 1);
        assert_eq!(check(&[file("const A: &str = \"FIXME\";")]).len(), 0);
    }

    #[test]
    fn placeholders_are_looked_for_in_code() {
        let count = |text| placeholders("a.rs", &RustSource::parse(text)).len();
        assert_eq!(
            count("fn a() { todo!() }\nfn b() { dbg!(c) }\nfn d() { unimplemented!() }"),
            3
        );
        assert_eq!(count("// todo!()\nlet todo = \"dbg!\"; todo.list();"), 0);
    }
}
