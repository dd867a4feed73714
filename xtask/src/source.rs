//! Rust files as tokens and comments with their lines, read with `proc-macro2`.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The tokens and comments of one file.
pub(crate) struct Source {
    /// Every token and doc comment in order. Delimiters are tokens.
    pub(crate) tokens: Vec<Token>,
    /// Comments that are not doc comments, one entry for each line.
    pub(crate) comments: Vec<Comment>,
    /// The number of lines in the file.
    pub(crate) lines: usize,
}

/// An identifier, a literal, one punctuation character, a delimiter or a doc comment.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The text as it is in the file.
    pub(crate) text: String,
    /// The first line, counted from 1.
    pub(crate) line: usize,
    /// The last line; differs from `line` for literals and block comments.
    pub(crate) last_line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Ident,
    Literal,
    Punct,
    Doc,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Comment {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the text is not made of Rust tokens.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let stream: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
        let mut reader = Reader {
            text,
            end: 0,
            source: Self {
                tokens: Vec::new(),
                comments: Vec::new(),
                lines: text.lines().count(),
            },
        };
        reader.read(stream);
        reader.comments_until(text.len());
        // The spans of every parsed file stay in memory otherwise.
        proc_macro2::extra::invalidate_current_thread_spans();
        Ok(reader.source)
    }

    /// Returns the tokens of code: everything but doc comments.
    pub(crate) fn code(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| token.kind != Kind::Doc)
    }

    /// Returns the first line of the inline module of unit tests, or the number of lines plus one.
    pub(crate) fn first_test_line(&self) -> usize {
        let code: Vec<&Token> = self.code().collect();
        let texts: Vec<&str> = code.iter().map(|token| token.text.as_str()).collect();
        let found = (0..texts.len()).find(|at| begins_tests(&texts[*at..]));
        found.map_or(self.lines + 1, |at| code[at].line)
    }
}

/// Returns whether code begins with an inline module that is only compiled for tests: `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn begins_tests(code: &[&str]) -> bool {
    let Some(condition) = code.strip_prefix(&["#", "[", "cfg", "("]) else {
        return false;
    };
    let rest = match condition {
        ["test", ")", "]", rest @ ..] => rest,
        ["all", "(", "test", ",", rest @ ..] => {
            let end = rest.iter().position(|text| *text == "]");
            &rest[end.map_or(rest.len(), |end| end + 1)..]
        }
        _ => return false,
    };
    matches!(rest, ["mod", _, "{", ..])
}

struct Reader<'a> {
    text: &'a str,
    /// The end of the last token.
    end: usize,
    source: Source,
}

impl Reader<'_> {
    fn read(&mut self, stream: TokenStream) {
        for tree in stream {
            let span = tree.span();
            let range = span.byte_range();
            if self.text[range.clone()].starts_with("//")
                || self.text[range.clone()].starts_with("/*")
            {
                // A doc comment becomes `#`, `!` and a group, which all have the span of the comment.
                if range.start >= self.end {
                    self.push(Kind::Doc, span);
                }
                continue;
            }
            match tree {
                TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                    self.read(group.stream());
                }
                TokenTree::Group(group) => {
                    self.push(Kind::Punct, group.span_open());
                    self.read(group.stream());
                    self.push(Kind::Punct, group.span_close());
                }
                TokenTree::Ident(_) => self.push(Kind::Ident, span),
                TokenTree::Literal(_) => self.push(Kind::Literal, span),
                TokenTree::Punct(_) => self.push(Kind::Punct, span),
            }
        }
    }

    fn push(&mut self, kind: Kind, span: proc_macro2::Span) {
        let range = span.byte_range();
        self.comments_until(range.start);
        self.end = range.end;
        self.source.tokens.push(Token {
            kind,
            text: self.text[range].to_owned(),
            line: span.start().line,
            last_line: span.end().line,
        });
    }

    /// Between two tokens there is nothing but whitespace and comments.
    fn comments_until(&mut self, start: usize) {
        let gap = &self.text[self.end..start];
        if gap.trim().is_empty() {
            return;
        }
        let first = self.text[..self.end].matches('\n').count() + 1;
        let lines = gap.split('\n').zip(first..);
        let comments = lines.filter(|(text, _)| !text.trim().is_empty());
        self.source
            .comments
            .extend(comments.map(|(text, line)| Comment {
                line,
                text: text.trim().to_owned(),
            }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &Source) -> Vec<&str> {
        source
            .tokens
            .iter()
            .map(|token| token.text.as_str())
            .collect()
    }

    #[test]
    fn literals_and_comments_are_not_split() {
        let source = Source::parse("let a = \"x::y\"; // z::w\nb(r#\"\n\"#, 'c');").unwrap();
        assert_eq!(
            texts(&source),
            [
                "let",
                "a",
                "=",
                "\"x::y\"",
                ";",
                "b",
                "(",
                "r#\"\n\"#",
                ",",
                "'c'",
                ")",
                ";"
            ]
        );
        let comment = Comment {
            line: 1,
            text: "// z::w".to_owned(),
        };
        assert_eq!(source.comments, [comment]);
        assert_eq!((source.tokens[7].line, source.tokens[7].last_line), (2, 3));
    }

    #[test]
    fn doc_comments_are_single_tokens() {
        let source = Source::parse("//! Outer.\n\n/// Ünner.\n#[a]\npub fn b() {} // end").unwrap();
        assert_eq!(texts(&source)[..4], ["//! Outer.", "/// Ünner.", "#", "["]);
        assert_eq!(source.tokens[1].kind, Kind::Doc);
        assert_eq!(source.tokens[1].line, 3);
        assert_eq!(source.comments[0].line, 5);
    }

    #[test]
    fn unit_tests_begin_at_their_inline_module() {
        let inline = "#[cfg(test)]\nuse a;\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(Source::parse(inline).unwrap().first_test_line(), 4);
        let on_unix = "fn a() {}\n#[cfg(all(test, unix))]\nmod tests {\n}\n";
        assert_eq!(Source::parse(on_unix).unwrap().first_test_line(), 2);
        let separate = "#[cfg(test)]\nmod tests;\nfn a() {}\n";
        assert_eq!(Source::parse(separate).unwrap().first_test_line(), 4);
    }
}
