//! Reads the TypeScript declarations of the official SDK.
//!
//! Not a parser of TypeScript: the declarations are written by a generator, and only the types of the wire matter. It reads
//!
//! - `type X = …`, `interface X { … }` and `const X: readonly […]`, with `export` and `declare` before them,
//! - objects with members and index signatures, lists, tuples, unions, intersections, literals, and names with arguments.
//!
//! Any other type, such as a function or a mapped type, is kept as text, and any other statement is skipped. So a construct that is new
//! in the declarations makes a type opaque, but no error. A complete parser would add 70 to 100 crates (`oxc_parser`, whose current version
//! needs a newer compiler than this crate, or `swc_ecma_parser`).

use std::collections::BTreeMap;

use super::tokens::{Token, tokens};

/// The types and constants of a file, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    pub(super) types: BTreeMap<String, Type>,
    /// Constants that are a list of strings.
    pub(super) lists: BTreeMap<String, Vec<String>>,
}

/// A type as it is declared: names are not resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// A name, without the namespaces before it, and its arguments.
    Named(String, Vec<Type>),
    /// A string literal.
    Literal(String),
    Object {
        members: Vec<Member>,
        /// The type of all further members.
        index: Option<Box<Type>>,
    },
    List(Box<Type>),
    /// A list whose items have these types.
    Tuple(Vec<Type>),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// The text of a type that is not read.
    Other(String),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) of: Type,
}

impl Declarations {
    /// Reads a file.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader {
            tokens: tokens(text),
            position: 0,
        };
        let mut declarations = Self::default();
        while reader.peek().is_some() {
            reader.statement(&mut declarations);
        }
        declarations
    }
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.position).copied()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.position += 1;
        Some(token)
    }

    /// Skips a punctuation mark or a word; `false` if something else comes next.
    fn skip(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(text));
        self.position += usize::from(found);
        found
    }

    fn word(&mut self) -> Option<&'a str> {
        match self.peek()? {
            Token::Word(word) => {
                self.position += 1;
                Some(word)
            }
            _ => None,
        }
    }

    fn statement(&mut self, declarations: &mut Declarations) {
        self.skip("export");
        self.skip("declare");
        let start = self.position;
        let read = match self.word() {
            Some("type") => self.alias(),
            Some("interface") => self.interface(),
            Some("const") => {
                if let Some((name, values)) = self.constant() {
                    declarations.lists.insert(name, values);
                }
                None
            }
            _ => None,
        };
        match read {
            Some((name, of)) => drop(declarations.types.insert(name, of)),
            None => {
                self.position = start;
                self.skip_statement();
            }
        }
    }

    /// Reads `X = …;` after the word `type`.
    fn alias(&mut self) -> Option<(String, Type)> {
        let name = self.word()?.to_owned();
        if self.peek()?.is("<") {
            // A generic type is no type of the wire.
            return None;
        }
        self.skip("=").then_some(())?;
        let of = self.type_until(";");
        self.skip(";");
        Some((name, of))
    }

    /// Reads `X extends Y { … }` after the word `interface`.
    fn interface(&mut self) -> Option<(String, Type)> {
        let name = self.word()?.to_owned();
        let mut parts = Vec::new();
        if self.skip("extends") {
            parts.push(self.primary()?);
            while self.skip(",") {
                parts.push(self.primary()?);
            }
        }
        let own = self.object()?;
        if parts.is_empty() {
            return Some((name, own));
        }
        parts.push(own);
        Some((name, Type::Intersection(parts)))
    }

    /// Reads `X: readonly ['a', 'b'];` after the word `const`. The position after it does not matter.
    fn constant(&mut self) -> Option<(String, Vec<String>)> {
        let name = self.word()?.to_owned();
        let is_list = self.skip(":") && self.skip("readonly") && self.skip("[");
        is_list.then_some(())?;
        let mut values = Vec::new();
        while let Some(Token::Text(value)) = self.next() {
            values.push(value.to_owned());
            if !self.skip(",") {
                break;
            }
        }
        Some((name, values))
    }

    /// Skips to the end of a statement: a `;`, or the end of its block.
    fn skip_statement(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.next() {
            depth += token.depth();
            let ends = token.is(";") || token.is("}");
            if ends && depth <= 0 {
                break;
            }
        }
        self.skip(";");
    }

    /// Reads a type that ends before `end`. A type of another form is kept as text.
    fn type_until(&mut self, end: &str) -> Type {
        let start = self.position;
        let read = self.union();
        let ends = self.peek().is_none_or(|next| next.is(end) || next.is("}"));
        if let (Some(read), true) = (read, ends) {
            return read;
        }
        self.position = start;
        let mut depth = 0;
        let mut text = String::new();
        while let Some(token) = self.peek() {
            if depth == 0 && (token.is(end) || token.is("}")) {
                break;
            }
            depth += token.depth();
            token.push_to(&mut text);
            self.position += 1;
        }
        Type::Other(text)
    }

    fn union(&mut self) -> Option<Type> {
        self.skip("|");
        let mut types = vec![self.intersection()?];
        while self.skip("|") {
            types.push(self.intersection()?);
        }
        Some(one_or(types, Type::Union))
    }

    fn intersection(&mut self) -> Option<Type> {
        self.skip("&");
        let mut types = vec![self.list()?];
        while self.skip("&") {
            types.push(self.list()?);
        }
        Some(one_or(types, Type::Intersection))
    }

    fn list(&mut self) -> Option<Type> {
        let mut of = self.primary()?;
        while self.skip("[") {
            // Anything between the brackets selects a member of a type.
            self.skip("]").then_some(())?;
            of = Type::List(Box::new(of));
        }
        Some(of)
    }

    fn primary(&mut self) -> Option<Type> {
        match self.peek()? {
            Token::Text(text) => {
                self.position += 1;
                Some(Type::Literal(text.to_owned()))
            }
            Token::Mark("(") => {
                self.position += 1;
                let inner = self.union()?;
                // A function has a name and a colon here.
                self.skip(")").then_some(inner)
            }
            Token::Mark("{") => self.object(),
            Token::Mark("[") => self.tuple(),
            Token::Mark(_) => None,
            Token::Word("typeof" | "keyof" | "infer" | "unique") => None,
            Token::Word("readonly") => {
                self.position += 1;
                self.list()
            }
            Token::Word(_) => self.named(),
        }
    }

    /// Reads a name such as `coreTypes.SDKMessage` or `Record<string, T>`.
    fn named(&mut self) -> Option<Type> {
        let mut name = self.word()?;
        while self.skip(".") {
            name = self.word()?;
        }
        let mut arguments = Vec::new();
        if self.skip("<") {
            arguments.push(self.union()?);
            while self.skip(",") {
                arguments.push(self.union()?);
            }
            self.skip(">").then_some(())?;
        }
        Some(Type::Named(name.to_owned(), arguments))
    }

    fn tuple(&mut self) -> Option<Type> {
        self.skip("[").then_some(())?;
        let mut items = Vec::new();
        while !self.skip("]") {
            if self.skip("...") {
                // The rest of the list: its items have one type.
                let Type::List(rest) = self.union()? else {
                    return None;
                };
                items.push(*rest);
            } else {
                items.push(self.union()?);
            }
            self.skip(",");
        }
        Some(Type::Tuple(items))
    }

    fn object(&mut self) -> Option<Type> {
        self.skip("{").then_some(())?;
        let mut members = Vec::new();
        let mut index = None;
        while !self.skip("}") {
            if self.skip("[") {
                // `[k: string]: T` and not `[K in T]: …`
                self.word()?;
                self.skip(":").then_some(())?;
                self.union()?;
                (self.skip("]") && self.skip(":")).then_some(())?;
                index = Some(Box::new(self.type_until(";")));
            } else {
                members.push(self.member()?);
            }
            let _ = self.skip(";") || self.skip(",");
        }
        Some(Type::Object { members, index })
    }

    fn member(&mut self) -> Option<Member> {
        self.skip("readonly");
        let name = match self.next()? {
            Token::Word(name) | Token::Text(name) => name.to_owned(),
            Token::Mark(_) => return None,
        };
        let optional = self.skip("?");
        let of = match self.skip(":") {
            true => self.type_until(";"),
            // A method.
            false => {
                let start = self.position;
                self.skip_statement_part();
                let mut text = String::new();
                for token in &self.tokens[start..self.position] {
                    token.push_to(&mut text);
                }
                Type::Other(text)
            }
        };
        Some(Member { name, optional, of })
    }

    /// Skips to the `;` that ends a member.
    fn skip_statement_part(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.peek() {
            if depth == 0 && (token.is(";") || token.is("}")) {
                break;
            }
            depth += token.depth();
            self.position += 1;
        }
    }
}

fn one_or(mut types: Vec<Type>, several: fn(Vec<Type>) -> Type) -> Type {
    match types.len() {
        1 => types.remove(0),
        _ => several(types),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Type {
        Type::Named(name.to_owned(), Vec::new())
    }

    fn read(text: &str) -> Type {
        let declarations = Declarations::read(&format!("export type X = {text};"));
        declarations.types["X"].clone()
    }

    #[test]
    fn types_of_the_wire_are_read() {
        assert_eq!(
            read("| 'a' | null"),
            Type::Union(vec![Type::Literal("a".to_owned()), named("null")])
        );
        assert_eq!(
            read("(a.B | C)[][]"),
            Type::List(Box::new(Type::List(Box::new(Type::Union(vec![
                named("B"),
                named("C")
            ])))))
        );
        assert_eq!(
            read("[string, ...string[]]"),
            Type::Tuple(vec![named("string"), named("string")])
        );
        assert_eq!(
            read("Record<string, B> & { '-n'?: boolean; [k: string]: unknown }"),
            Type::Intersection(vec![
                Type::Named("Record".to_owned(), vec![named("string"), named("B")]),
                Type::Object {
                    members: vec![Member {
                        name: "-n".to_owned(),
                        optional: true,
                        of: named("boolean"),
                    }],
                    index: Some(Box::new(named("unknown"))),
                },
            ])
        );
    }

    #[test]
    fn other_types_are_kept_as_text() {
        for text in [
            "(data: string) => void",
            "{ [K in keyof A]: B }",
            "A['b']",
            "A extends B ? C : D",
            "ReturnType<typeof A>",
        ] {
            assert!(matches!(read(text), Type::Other(_)), "{text}");
        }
        let Type::Object { members, .. } =
            read("{ run(a: { b: string }): void; call?: (a: B) => { c: D }; e: F }")
        else {
            panic!("an object");
        };
        let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["run", "call", "e"]);
        assert_eq!(members[2].of, named("F"));
    }

    #[test]
    fn other_statements_are_skipped() {
        let declarations = Declarations::read(
            "import type { A } from 'b';\n\
             /** A comment; with { marks */\n\
             declare namespace n {\n    export { A, B }\n}\n\
             export declare function f(a: { b: string }): Promise<void>;\n\
             export declare class C extends D {\n    e: F;\n    g(): void;\n}\n\
             declare const z: () => z.ZodObject<{ a: z.ZodString }, z.core.$strip>;\n\
             export declare const L: readonly ['a', \"b's\"];\n\
             export declare type G<T> = T[];\n\
             export declare interface H extends I { j: 'k'; }\n\
             export {};\n\
             export type M = N;\n",
        );
        let names: Vec<_> = declarations.types.keys().collect();
        assert_eq!(names, ["H", "M"]);
        assert!(matches!(&declarations.types["H"], Type::Intersection(parts) if parts.len() == 2));
        assert_eq!(declarations.lists["L"], ["a", "b's"]);
    }

    #[test]
    fn every_beginning_of_a_file_is_read() {
        let text = "export declare type A = { 'b'?: [C, ...D[]]; e(f: { g: 'h' }): void; [k: string]: I<J, (k) => l> } & M | `n`;\n\
             interface O extends P { q: typeof r['s'] } declare const t: readonly ['u', 'v'];";
        for end in 0..text.len() {
            Declarations::read(&text[..end]);
        }
        assert_eq!(Declarations::read(text).types.len(), 2);
    }
}
