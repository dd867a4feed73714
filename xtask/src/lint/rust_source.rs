//! A Rust file split into code, comments and string literals, line by line.
//!
//! Enough of a lexer for the scans of this tool: a name inside a string is not a call, and a call inside a
//! comment is not code.

/// One layer of a file; what belongs to the other layers is blank, and no line moves.
pub(crate) struct RustSource {
    /// The code: comments and the insides of literals are blank.
    pub(crate) code: String,
    /// The comments, with their markers.
    pub(crate) comments: String,
    pub(crate) literals: Vec<Literal>,
}

/// A string literal, as it is written between its quotes.
pub(crate) struct Literal {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// An identifier, or one character of punctuation (`::` counts as one).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token<'a> {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) text: &'a str,
}

impl RustSource {
    pub(crate) fn parse(text: &str) -> Self {
        let mut splitter = Splitter {
            rest: text,
            line: 1,
            source: Self {
                code: String::new(),
                comments: String::new(),
                literals: Vec::new(),
            },
        };
        while !splitter.rest.is_empty() {
            splitter.step();
        }
        splitter.source
    }

    /// The line at which the module of unit tests begins, or the number of lines plus one.
    pub(crate) fn first_test_line(&self) -> usize {
        const TEST_MODULE: [&str; 8] = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
        let tokens = self.tokens();
        tokens
            .windows(TEST_MODULE.len() + 2)
            .find(|window| {
                texts(window).starts_with(&TEST_MODULE) && window[TEST_MODULE.len() + 1].text == "{"
            })
            .map_or(self.code.lines().count() + 1, |window| window[0].line)
    }

    pub(crate) fn tokens(&self) -> Vec<Token<'_>> {
        self.code
            .lines()
            .zip(1..)
            .flat_map(|(line, number)| tokens_of(line, number))
            .collect()
    }
}

/// The texts of `tokens`, to be compared with a pattern.
pub(crate) fn texts<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    tokens.iter().map(|token| token.text).collect()
}

fn tokens_of(line: &str, number: usize) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(Token {
            line: number,
            text: &rest[..length],
        });
        rest = rest[length..].trim_start();
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Code,
    Comment,
    Literal,
}

struct Splitter<'a> {
    rest: &'a str,
    line: usize,
    source: RustSource,
}

impl Splitter<'_> {
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            self.take(
                self.rest.find('\n').unwrap_or(self.rest.len()),
                Layer::Comment,
            );
        } else if self.rest.starts_with("/*") {
            self.take(block_comment_length(self.rest), Layer::Comment);
        } else if let Some(opening) = string_opening(self.rest) {
            self.string(opening);
        } else if let Some(length) = character_length(self.rest) {
            self.take(length, Layer::Literal);
        } else {
            self.take(code_length(self.rest), Layer::Code);
        }
    }

    fn string(&mut self, opening: Opening) {
        self.take(opening.length, Layer::Code);
        let inside = opening.inside_length(self.rest);
        let text = self.rest[..inside].to_owned();
        self.source.literals.push(Literal {
            line: self.line,
            text,
        });
        self.take(inside, Layer::Literal);
        self.take(opening.closing().len().min(self.rest.len()), Layer::Code);
    }

    fn take(&mut self, length: usize, layer: Layer) {
        let (taken, rest) = self.rest.split_at(length);
        for letter in taken.chars() {
            let shown_in = |own| {
                if layer == own || letter == '\n' {
                    letter
                } else {
                    ' '
                }
            };
            self.source.code.push(shown_in(Layer::Code));
            self.source.comments.push(shown_in(Layer::Comment));
        }
        self.line += taken.matches('\n').count();
        self.rest = rest;
    }
}

/// The beginning of a string literal up to and with its first quote.
struct Opening {
    length: usize,
    /// The number of `#` of a raw string.
    raw: Option<usize>,
}

impl Opening {
    fn closing(&self) -> String {
        format!("\"{}", "#".repeat(self.raw.unwrap_or(0)))
    }

    fn inside_length(&self, rest: &str) -> usize {
        if self.raw.is_some() {
            return rest.find(&self.closing()).unwrap_or(rest.len());
        }
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '"' => return at,
                _ => {}
            }
        }
        rest.len()
    }
}

fn string_opening(rest: &str) -> Option<Opening> {
    let after_kind = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    let after_raw = after_kind.strip_prefix('r');
    let after_prefix = after_raw.unwrap_or(after_kind);
    let after_hashes = if after_raw.is_some() {
        after_prefix.trim_start_matches('#')
    } else {
        after_prefix
    };
    after_hashes.starts_with('"').then(|| Opening {
        length: rest.len() - after_hashes.len() + 1,
        raw: after_raw.map(|_| after_prefix.len() - after_hashes.len()),
    })
}

/// The length of a character literal; `None` for a lifetime and for everything else.
fn character_length(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    let end = if first == '\\' {
        let escaped = 1 + inside[1..].chars().next()?.len_utf8();
        escaped + inside[escaped..].find('\'')?
    } else {
        first.len_utf8()
    };
    inside[end..].starts_with('\'').then_some(1 + end + 1)
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let Some(found) = rest[at..].find(['/', '*']) else {
            return rest.len();
        };
        at += found;
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
}

/// A whole word, so that the `r` of `var"` is not taken for the beginning of a raw string; else one character.
fn code_length(rest: &str) -> usize {
    match rest.find(|letter| !is_word(letter)) {
        Some(0) => rest.chars().next().map_or(0, char::len_utf8),
        Some(length) => length,
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_in_code() {
        let source = RustSource::parse("let a = \"x::y\"; // z::w\nb();");
        assert_eq!(source.code, "let a = \"    \";        \nb();");
        assert_eq!(source.comments.trim(), "// z::w");
        assert_eq!(literals(&source), [(1, "x::y")]);
    }

    #[test]
    fn every_form_of_literal_is_known() {
        let source = RustSource::parse(
            "f(\"a\\\"b\", r#\"c\"d\"#, b\"e\", br\"f\\\", '\"', '\\'', '\\u{41}');\nfn g<'a>(h: &'a str) { \"i\" }",
        );
        assert_eq!(
            literals(&source),
            [(1, "a\\\"b"), (1, "c\"d"), (1, "e"), (1, "f\\"), (2, "i")]
        );
        assert!(
            source.code.ends_with("fn g<'a>(h: &'a str) { \" \" }"),
            "{}",
            source.code
        );
    }

    #[test]
    fn block_comments_nest_and_keep_the_lines() {
        let source = RustSource::parse("a /* b /* c */\nd */ e");
        assert_eq!(source.code, "a             \n     e");
        assert_eq!(
            source.tokens(),
            [Token { line: 1, text: "a" }, Token { line: 2, text: "e" }]
        );
    }

    #[test]
    fn tokens_are_words_and_punctuation() {
        let source = RustSource::parse("std::fs::read(x)?");
        assert_eq!(
            texts(&source.tokens()),
            ["std", "::", "fs", "::", "read", "(", "x", ")", "?"]
        );
    }

    #[test]
    fn unit_tests_begin_at_their_module() {
        let source =
            RustSource::parse("#[cfg(test)]\nuse a;\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(source.first_test_line(), 4);
    }

    #[test]
    fn a_module_of_tests_in_another_file_ends_nothing() {
        let source = RustSource::parse("#[cfg(test)]\nmod tests;\nfn a() {}\n");
        assert_eq!(source.first_test_line(), 4);
    }

    fn literals(source: &RustSource) -> Vec<(usize, &str)> {
        source
            .literals
            .iter()
            .map(|literal| (literal.line, literal.text.as_str()))
            .collect()
    }
}
