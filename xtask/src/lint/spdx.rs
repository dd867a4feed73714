//! SPDX licence expressions, as far as crates use them: `OR`, `AND`, `WITH`, parentheses, and the old `/` for `OR`.

/// Whether `expression` can be fulfilled with licences of `allowed` alone.
///
/// A licence `WITH` an exception is allowed if the pair is listed, or the licence itself: an exception only ever
/// grants more.
pub(crate) fn is_allowed(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut parser = Parser {
        words: spaced.split_whitespace().collect(),
        at: 0,
        allowed,
    };
    let verdict = parser.any_of()?;
    match parser.peek() {
        None => Ok(verdict),
        Some(word) => Err(format!("unexpected `{word}`")),
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

impl<'a> Parser<'a> {
    fn any_of(&mut self) -> Result<bool, String> {
        let mut verdict = self.all_of()?;
        while self.accept("OR") {
            verdict |= self.all_of()?;
        }
        Ok(verdict)
    }

    fn all_of(&mut self) -> Result<bool, String> {
        let mut verdict = self.single()?;
        while self.accept("AND") {
            verdict &= self.single()?;
        }
        Ok(verdict)
    }

    fn single(&mut self) -> Result<bool, String> {
        if self.accept("(") {
            let verdict = self.any_of()?;
            return if self.accept(")") {
                Ok(verdict)
            } else {
                Err("missing `)`".to_owned())
            };
        }
        let licence = self.identifier()?;
        let alone = self.lists(licence);
        if !self.accept("WITH") {
            return Ok(alone);
        }
        let exception = self.identifier()?;
        Ok(alone || self.lists(&format!("{licence} WITH {exception}")))
    }

    fn identifier(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Some(word) if !["OR", "AND", "WITH", "(", ")"].contains(&word) => {
                self.at += 1;
                Ok(word)
            }
            Some(word) => Err(format!("`{word}` where a name should stand")),
            None => Err("a name is missing at the end".to_owned()),
        }
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn lists(&self, licence: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == licence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expression: &str) -> Result<bool, String> {
        is_allowed(
            expression,
            &["MIT", "Unicode-3.0", "GPL-3.0 WITH Linking"].map(String::from),
        )
    }

    #[test]
    fn one_allowed_alternative_is_enough() {
        assert_eq!(verdict("MIT"), Ok(true));
        assert_eq!(verdict("LGPL-2.1 OR MIT"), Ok(true));
        assert_eq!(verdict("Unlicense/MIT"), Ok(true));
        assert_eq!(verdict("LGPL-2.1 OR GPL-2.0"), Ok(false));
    }

    #[test]
    fn every_part_of_a_conjunction_counts() {
        assert_eq!(verdict("(MIT OR Apache-2.0) AND Unicode-3.0"), Ok(true));
        assert_eq!(verdict("MIT AND OpenSSL"), Ok(false));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        assert_eq!(verdict("MIT OR OpenSSL AND ISC"), Ok(true));
        assert_eq!(verdict("(MIT OR OpenSSL) AND ISC"), Ok(false));
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        assert_eq!(verdict("MIT WITH Anything"), Ok(true));
        assert_eq!(verdict("GPL-3.0 WITH Linking"), Ok(true));
        assert_eq!(verdict("GPL-3.0 WITH Other"), Ok(false));
        assert_eq!(verdict("GPL-3.0"), Ok(false));
    }

    #[test]
    fn nonsense_is_refused() {
        for expression in [
            "",
            "MIT OR",
            "(MIT",
            "MIT)",
            "OR MIT",
            "MIT Apache-2.0",
            "MIT WITH",
        ] {
            assert!(verdict(expression).is_err(), "{expression:?}");
        }
    }
}
