//! Splits TypeScript declarations into tokens.

/// A token of a declaration; comments and whitespace are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// The content of a string.
    Text(&'a str),
    /// A punctuation mark.
    Mark(&'a str),
}

impl Token<'_> {
    pub(super) fn is(self, text: &str) -> bool {
        match self {
            Token::Word(word) | Token::Mark(word) => word == text,
            Token::Text(_) => false,
        }
    }

    /// Returns by how much the token changes the depth of brackets.
    pub(super) fn depth(self) -> i32 {
        match self {
            Token::Mark("(" | "[" | "{") => 1,
            Token::Mark(")" | "]" | "}") => -1,
            _ => 0,
        }
    }

    /// Appends the token to the text of a type.
    pub(super) fn push_to(self, text: &mut String) {
        let spaced = matches!(
            self,
            Token::Word(_) | Token::Text(_) | Token::Mark("=>" | "|" | "&" | "{" | "}")
        );
        if spaced && !text.is_empty() && !text.ends_with(['(', '.', '<', '[']) {
            text.push(' ');
        }
        match self {
            Token::Word(word) | Token::Mark(word) => text.push_str(word),
            Token::Text(content) => {
                text.push('\'');
                text.push_str(content);
                text.push('\'');
            }
        }
    }
}

/// Splits a text into tokens. Characters that no declaration has are skipped.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' | '"' | '`' => {
                let end = string_end(rest, first);
                tokens.push(Token::Text(&rest[1..end]));
                (end + 1).min(rest.len())
            }
            _ if is_word(first) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(&rest[..length]));
                length
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let length = match rest {
                    _ if rest.starts_with("...") => 3,
                    _ if rest.starts_with("=>") => 2,
                    _ => first.len_utf8(),
                };
                tokens.push(Token::Mark(&rest[..length]));
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the position of the quote that ends a string.
fn string_end(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (position, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return position,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_hide_marks() {
        let found = tokens("a /* ; */ 'b;' // ;\n\"it's\" => ...");
        assert_eq!(
            found,
            [
                Token::Word("a"),
                Token::Text("b;"),
                Token::Text("it's"),
                Token::Mark("=>"),
                Token::Mark("..."),
            ]
        );
    }

    #[test]
    fn unterminated_text_ends_with_the_file() {
        assert_eq!(tokens("'a"), [Token::Text("a")]);
        assert_eq!(tokens("/* a"), []);
    }
}
