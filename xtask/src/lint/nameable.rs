//! Every type in the public API of `inhouse` can be named with a path of `inhouse`.
//!
//! The check goes over tokens. It looks up each name in public fields, enum variants and function signatures among the
//! public types of `inhouse-proto`, and among those that `inhouse` re-exports. It relies on the lint `unreachable_pub`:
//! an item is `pub` only if its module exports it.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Files, Findings};
use crate::source::{Kind, Source, Token};

const PROTO: &str = "crates/inhouse-proto/src/";
const INHOUSE: &str = "crates/inhouse/src/";

/// An item of the API that names types.
struct Mention {
    place: String,
    /// The type that has the field, variant or method.
    owner: String,
    names: Vec<String>,
}

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut proto_types = BTreeSet::new();
    // The module path and the name of everything that the modules of `inhouse-proto` export.
    let mut proto_exports = Vec::new();
    let mut nameable = BTreeSet::new();
    let mut mentions = Vec::new();
    for (file, source) in files.rust() {
        let tokens = api_tokens(source);
        if let Some(path) = file.path.strip_prefix(PROTO) {
            proto_types.extend(defined_types(&tokens).map(str::to_owned));
            let reexported = reexports(&tokens, "crate");
            let reexported = reexported.iter().filter_map(|path| path.last());
            let names = defined_types(&tokens).chain(reexported.map(String::as_str));
            proto_exports.extend(names.map(|name| (path, name.to_owned())));
        } else if file.path.starts_with(INHOUSE) {
            nameable.extend(defined_types(&tokens).map(str::to_owned));
        } else {
            continue;
        }
        mentions.extend(api_mentions(&file.path, &tokens));
    }
    for (file, source) in files.rust() {
        if file.path.starts_with(INHOUSE) {
            for path in reexports(&api_tokens(source), "inhouse_proto") {
                let module = path.join("/");
                let in_module = proto_exports
                    .iter()
                    .filter(|(path, _)| is_in(path, &module))
                    .map(|(_, name)| name.clone());
                nameable.extend(in_module);
                nameable.extend(path.last().cloned());
            }
        }
    }
    let mut findings = Findings::new();
    for mention in mentions {
        if !nameable.contains(&mention.owner) {
            continue;
        }
        for name in mention.names {
            if proto_types.contains(&name) && !nameable.contains(&name) {
                findings.push(format!(
                    "{}: `{name}` has no path in `inhouse`",
                    mention.place
                ));
            }
        }
    }
    Ok(findings)
}

/// Returns the tokens of code up to the unit tests.
fn api_tokens(source: &Source) -> Vec<&Token> {
    let end = source.first_test_line();
    source.code().take_while(|token| token.line < end).collect()
}

fn text<'a>(tokens: &[&'a Token], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

/// Returns the names of public types and traits.
fn defined_types<'a>(tokens: &[&'a Token]) -> impl Iterator<Item = &'a str> {
    tokens
        .windows(3)
        .filter(|window| {
            window[0].text == "pub"
                && matches!(&*window[1].text, "struct" | "enum" | "trait" | "type")
        })
        .map(|window| window[2].text.as_str())
}

/// Returns whether the file at `path` belongs to a module.
fn is_in(path: &str, module: &str) -> bool {
    path.strip_prefix(module)
        .is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
}

/// Returns the paths of everything that `pub use` declarations export from a crate, without the name of the crate.
fn reexports(tokens: &[&Token], from: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for at in 0..tokens.len() {
        if (0..3).all(|i| text(tokens, at + i) == ["pub", "use", from][i]) {
            // The segments before each open brace, and the path that is being read.
            let mut prefixes: Vec<usize> = Vec::new();
            let mut path: Vec<String> = Vec::new();
            for token in &tokens[at + 3..] {
                match token.text.as_str() {
                    ";" => break,
                    "{" => prefixes.push(path.len()),
                    "," | "}" => {
                        let prefix = prefixes.last().copied().unwrap_or_default();
                        if path.len() > prefix {
                            paths.push(path.clone());
                        }
                        path.truncate(prefix);
                        if token.text == "}" {
                            prefixes.pop();
                            path.truncate(prefixes.last().copied().unwrap_or_default());
                        }
                    }
                    ":" => {}
                    segment => path.push(segment.to_owned()),
                }
            }
            if !path.is_empty() {
                paths.push(path);
            }
        }
    }
    paths
}

/// Returns the names in public fields, in the variants of public enums, and in the signatures of public functions.
fn api_mentions(path: &str, tokens: &[&Token]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut owner = String::new();
    for at in 0..tokens.len() {
        let here = text(tokens, at);
        // An `impl` after any other token is the type of an argument or a return value.
        let begins_item = at == 0 || matches!(text(tokens, at - 1), "}" | ";" | "]");
        if here == "impl" && begins_item {
            owner = implementing_type(&tokens[at + 1..]).to_owned();
        }
        if here != "pub" {
            continue;
        }
        let end = match text(tokens, at + 1) {
            "struct" | "trait" => {
                owner = text(tokens, at + 2).to_owned();
                continue;
            }
            "enum" => {
                owner = text(tokens, at + 2).to_owned();
                end_of(tokens, at, &[])
            }
            "mod" | "use" | "const" | "type" | "(" => continue,
            "fn" | "async" => end_of(tokens, at, &["{", ";"]),
            _ => end_of(tokens, at, &[",", ";", ")", "}"]),
        };
        let item = &tokens[at..end];
        // A name before `(`, `{` or `,` in an enum is a variant; its payload follows.
        let is_enum = text(tokens, at + 1) == "enum";
        let mut depth = 0;
        let mut names = Vec::new();
        for token in item {
            match token.text.as_str() {
                "{" | "(" => depth += 1,
                "}" | ")" => depth -= 1,
                name if token.kind == Kind::Ident && (!is_enum || depth > 1) => {
                    names.push(name.to_owned());
                }
                _ => {}
            }
        }
        mentions.push(Mention {
            place: format!("{path}:{}", tokens[at].line),
            owner: owner.clone(),
            names,
        });
    }
    mentions
}

/// Returns the type of an `impl` block, given the tokens after `impl`.
fn implementing_type<'a>(tokens: &[&'a Token]) -> &'a str {
    let header = tokens.iter().take_while(|token| token.text != "{");
    let header: Vec<&Token> = header.copied().collect();
    let start = match header.iter().position(|token| token.text == "for") {
        Some(at) => at + 1,
        None if text(&header, 0) == "<" => end_of_generics(&header),
        None => 0,
    };
    text(&header, start)
}

fn end_of_generics(tokens: &[&Token]) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "<" => depth += 1,
            ">" if text(tokens, i.wrapping_sub(1)) != "-" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// Returns the end of an item: the first of `ends` outside of brackets, or the brace that closes the item.
fn end_of(tokens: &[&Token], at: usize, ends: &[&str]) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        let here = token.text.as_str();
        if depth == 0 && ends.contains(&here) {
            return i;
        }
        match here {
            "{" | "(" | "[" | "<" => depth += 1,
            ">" if i > 0 && tokens[i - 1].text == "-" => {}
            "}" | ")" | "]" | ">" => depth -= 1,
            _ => {}
        }
        if depth == 0 && here == "}" {
            return i + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    fn findings(proto: &str, inhouse: &str) -> Vec<String> {
        check(&files(&[
            ("crates/inhouse-proto/src/message/a.rs", proto),
            ("crates/inhouse/src/lib.rs", inhouse),
        ]))
        .unwrap()
    }

    const PROTO: &str = "
        pub struct A { pub b: Option<B>, c: C }
        pub enum B { Known(C), C }
        pub struct C;
        pub struct D;
        impl<T: Into<E>> A { fn e(t: impl T) -> E {} pub fn d(&self) -> Vec<D> {} }
        pub struct E { pub d: D }";

    #[test]
    fn types_in_fields_variants_and_signatures_are_found() {
        let found = findings(PROTO, "pub use inhouse_proto::message::{A, B};");
        assert_eq!(
            found,
            [
                "crates/inhouse-proto/src/message/a.rs:3: `C` has no path in `inhouse`",
                "crates/inhouse-proto/src/message/a.rs:6: `D` has no path in `inhouse`",
            ]
        );
        let found = findings(PROTO, "pub struct F { pub(crate) c: C, pub a: Box<A> }");
        assert_eq!(
            found,
            ["crates/inhouse/src/lib.rs:1: `A` has no path in `inhouse`"]
        );
    }

    #[test]
    fn types_of_a_reexported_module_have_a_path() {
        let inhouse = "pub use inhouse_proto::message; pub struct F { pub e: E }";
        assert!(findings(PROTO, inhouse).is_empty());
        assert!(findings(PROTO, "pub use inhouse_proto::message::{C, a::{A, B, D}};").is_empty());
    }
}
