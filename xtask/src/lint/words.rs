//! Comments and names are plain English: no word of `xtask/words.toml`, no doc comment of a public item without a
//! sentence, no function name of more than 70 characters.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Files, Findings};
use crate::source::{Kind, Source, Token};
use crate::workspace::{TextFile, Workspace};

const LIST: &str = include_str!("../../words.toml");
const MAX_NAME: usize = 70;
const MIN_DOC_WORDS: usize = 4;

#[derive(Deserialize)]
struct List {
    doc_openings: Vec<String>,
    word: Vec<Word>,
}

#[derive(Deserialize)]
struct Word {
    word: String,
    scope: Scope,
    /// Whether the word matches only in its own case.
    #[serde(default)]
    exact: bool,
    instead: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Comment,
    Identifier,
    Both,
}

pub(super) fn check(files: &Files) -> Result<Findings> {
    let list: List = toml::from_str(LIST).context("xtask/words.toml")?;
    Ok(list.check(files))
}

/// Returns the number of findings in the workspace.
pub(crate) fn count(workspace: &Workspace) -> Result<usize> {
    Ok(check(&Files::read(workspace)?)?.len())
}

impl List {
    fn check(&self, files: &Files) -> Findings {
        let mut findings = Findings::new();
        for file in &files.text {
            if file.path.ends_with(".rs") || file.path.ends_with(".md") {
                let reasons = self.words_in(&file.path, Scope::Identifier);
                findings.extend(reasons.map(|reason| format!("{}: {reason}", file.path)));
            }
            if file.path.ends_with(".md") {
                let lines = file.text.lines().zip(1..);
                findings.extend(lines.flat_map(|(line, number)| {
                    let reasons = self.words_in(line, Scope::Comment);
                    reasons.map(move |reason| format!("{}:{number}: {reason}", file.path))
                }));
            }
        }
        for (file, source) in files.rust() {
            let mut reasons = self.reasons(file, source);
            reasons.sort_by_key(|(line, _)| *line);
            let reasons = reasons.into_iter();
            findings
                .extend(reasons.map(|(line, reason)| format!("{}:{line}: {reason}", file.path)));
        }
        findings
    }

    /// Returns what is wrong in a Rust file, with the line.
    fn reasons(&self, file: &TextFile, source: &Source) -> Vec<(usize, String)> {
        let mut reasons = Vec::new();
        let mut add = |line: usize, text: &str, scope: Scope| {
            reasons.extend(self.words_in(text, scope).map(|reason| (line, reason)));
        };
        for comment in &source.comments {
            add(comment.line, &comment.text, Scope::Comment);
        }
        for token in &source.tokens {
            match token.kind {
                Kind::Doc => {
                    for (line, number) in token.text.lines().zip(token.line..) {
                        add(number, line, Scope::Comment);
                    }
                }
                Kind::Ident => add(token.line, &token.text, Scope::Identifier),
                Kind::Literal | Kind::Punct => {}
            }
        }
        let code: Vec<&Token> = source.code().collect();
        for pair in code.windows(2).filter(|pair| pair[0].text == "fn") {
            let length = pair[1].text.len();
            if length > MAX_NAME {
                let reason = format!("the name has {length} characters; the limit is {MAX_NAME}");
                reasons.push((pair[1].line, reason));
            }
        }
        let is_library = file.path.starts_with("crates/") || file.path.starts_with("bench/");
        if is_library && file.path.contains("/src/") && !file.is_test() {
            let docs = public_docs(source).into_iter();
            reasons.extend(docs.filter_map(|(line, text)| Some((line, self.doc_reason(&text)?))));
        }
        reasons
    }

    fn words_in(&self, text: &str, scope: Scope) -> impl Iterator<Item = String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric());
        let parts: Vec<String> = parts.map(str::to_owned).collect();
        let text = normalized(text);
        self.word
            .iter()
            .filter(move |word| word.scope == scope || word.scope == Scope::Both)
            .filter(move |word| match word.exact {
                true => parts.contains(&word.word),
                false => text.contains(&normalized(&word.word)),
            })
            .map(|word| format!("`{}`: write {}", word.word, word.instead))
    }

    fn doc_reason(&self, text: &str) -> Option<String> {
        let words = text.split_whitespace().count();
        if words < MIN_DOC_WORDS {
            return Some(format!("the doc comment has {words} words: `{text}`"));
        }
        let text = normalized(text);
        let mut openings = self.doc_openings.iter();
        let opening = openings.find(|opening| text.starts_with(&normalized(opening)))?;
        Some(format!("the doc comment begins with `{opening}`"))
    }
}

/// Returns the words in lower case with a space around each, the same for `BrokenPipe`, `broken_pipe` and "broken pipe".
fn normalized(text: &str) -> String {
    let mut words = " ".to_owned();
    let mut was_lower = false;
    for letter in text.chars() {
        if (letter.is_uppercase() && was_lower || !letter.is_alphanumeric())
            && !words.ends_with(' ')
        {
            words.push(' ');
        }
        if letter.is_alphanumeric() {
            words.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

/// Returns the doc comments of public items, fields, variants and trait items, with the line of each.
fn public_docs(source: &Source) -> Vec<(usize, String)> {
    let first_test_line = source.first_test_line();
    let tokens: Vec<&Token> = source
        .tokens
        .iter()
        .take_while(|token| token.line < first_test_line)
        .collect();
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_doc = |at: usize| {
        let doc = tokens.get(at).filter(|token| token.kind == Kind::Doc);
        doc.is_some_and(|doc| !doc.text.starts_with("//!") && !doc.text.starts_with("/*!"))
    };
    let mut docs = Vec::new();
    // Whether the members of each open block are public without `pub`, as those of an enum or a trait.
    let mut blocks = vec![false];
    let mut opens_public = false;
    let mut at = 0;
    while at < tokens.len() {
        if is_doc(at) {
            let first = at;
            while is_doc(at) {
                at += 1;
            }
            let mut item = at;
            while text(item) == "#" {
                item = after_group(&tokens, item + 1);
            }
            let is_pub = text(item) == "pub" && text(item + 1) != "(";
            if is_pub || blocks.last() == Some(&true) {
                let lines = tokens[first..at].iter().map(|token| doc_text(&token.text));
                docs.push((tokens[first].line, lines.collect::<Vec<_>>().join(" ")));
            }
            continue;
        }
        match text(at) {
            "enum" | "trait" => opens_public = text(at.wrapping_sub(1)) == "pub",
            ";" => opens_public = false,
            "{" => blocks.push(std::mem::take(&mut opens_public)),
            "(" | "[" => blocks.push(false),
            "}" | ")" | "]" => drop(blocks.pop()),
            _ => {}
        }
        at += 1;
    }
    docs
}

/// Returns the index behind the group that begins at `at`.
fn after_group(tokens: &[&Token], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn doc_text(comment: &str) -> &str {
    comment
        .trim_start_matches(['/', '*'])
        .trim_end_matches(['/', '*'])
        .trim()
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let list: List = toml::from_str(
            "doc_openings = [\"it\"]\n[[word]]\nword = \"hung up\"\nscope = \"both\"\ninstead = \"closed\"\n\
             [[word]]\nword = \"told\"\nscope = \"comment\"\ninstead = \"sent\"\n\
             [[word]]\nword = \"TODO\"\nscope = \"comment\"\nexact = true\ninstead = \"nothing\"\n",
        )
        .unwrap();
        list.check(&files(&[(path, text)]))
    }

    #[test]
    fn words_are_found_in_their_scope() {
        assert_eq!(found("a.rs", "// It hung up.\nstruct HungUp;").len(), 2);
        assert_eq!(
            found("a.rs", "fn told() { told(\"told\"); } // untold"),
            [""; 0]
        );
        assert_eq!(
            found("a.rs", "/// Told.\nfn a() {}"),
            ["a.rs:1: `told`: write sent"]
        );
        assert_eq!(found("a.md", "It is told."), ["a.md:1: `told`: write sent"]);
        assert_eq!(found("src/hung_up.rs", "").len(), 1);
    }

    #[test]
    fn exact_word_is_found_only_in_its_case() {
        assert_eq!(found("a.rs", "// TODO: this\n// (TODO)").len(), 2);
        assert_eq!(found("a.rs", "// The tool `TodoWrite` has todos."), [""; 0]);
    }

    #[test]
    fn short_and_dangling_docs_of_public_items_are_found() {
        let count = |text: &str| found("crates/a/src/a.rs", text).len();
        assert_eq!(count("/// None.\npub fn a() {}"), 1);
        assert_eq!(count("/// None.\n#[must_use]\npub(crate) fn a() {}"), 0);
        assert_eq!(count("/// None.\n#[a(b)]\n#[must_use]\npub fn a() {}"), 1);
        assert_eq!(count("/// None\n/// of these words.\npub fn a() {}"), 0);
        assert_eq!(count("pub enum A {\n    /// None.\n    B,\n}"), 1);
        assert_eq!(count("enum A {\n    /// None.\n    B,\n}"), 0);
        assert_eq!(count("/// It does so for the caller.\npub fn a() {}"), 1);
    }

    #[test]
    fn long_function_names_are_found() {
        let name = "a".repeat(MAX_NAME);
        assert_eq!(found("a.rs", &format!("fn {name}() {{}}")).len(), 0);
        assert_eq!(found("a.rs", &format!("fn {name}a() {{}}")).len(), 1);
    }
}
