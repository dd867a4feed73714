//! The shape of a JSON value, with all names of declarations resolved.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::declarations::{Declarations, Member, Type};

/// The shape of a JSON value.
///
/// In a file it is JSON: a string is a type by its name, or a literal in quotes, or several of them with `|` between them; an object
/// has the shapes of its members, `?` behind the names of optional ones; `[shape]` is a list, `{"*": shape}` an object with any names,
/// and `{"|": [shape, …]}` a union with objects or lists in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// `string`, `number`, `boolean`, `true`, `null`, `unknown`, or the name or text of a type that is not resolved.
    Named(String),
    /// A string literal.
    Literal(String),
    List(Box<Shape>),
    /// An object with any names.
    Map(Box<Shape>),
    Object(BTreeMap<String, Property>),
    /// Several shapes, sorted and without duplicates.
    Union(Vec<Shape>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Property {
    pub(super) optional: bool,
    pub(super) shape: Shape,
}

/// Types that are not part of the protocol between host and CLI: settings files have a schema of thousands of members.
const OPAQUE: [&str; 2] = ["Settings", "SandboxSettings"];

impl Shape {
    pub(super) fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }

    /// Combines shapes into a union.
    pub(super) fn union(shapes: impl IntoIterator<Item = Shape>) -> Self {
        let mut flat = Vec::new();
        for shape in shapes {
            match shape {
                Self::Union(shapes) => flat.extend(shapes),
                shape => flat.push(shape),
            }
        }
        flat.retain(|shape| *shape != Self::named("undefined"));
        // `"latest" | string` allows any string.
        if flat.contains(&Self::named("string")) {
            flat.retain(|shape| !matches!(shape, Self::Literal(_)));
        }
        flat.sort();
        flat.dedup();
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::Union(flat),
        }
    }

    /// Returns the alternatives of a union; a shape that is none is its only alternative.
    pub(super) fn alternatives(&self) -> &[Shape] {
        match self {
            Self::Union(shapes) => shapes,
            shape => std::slice::from_ref(shape),
        }
    }

    /// Returns the strings of a literal, or of a union of literals; `None` for any other shape.
    pub(super) fn literals(&self) -> Option<Vec<&str>> {
        let mut literals = Vec::new();
        for shape in self.alternatives() {
            let Self::Literal(text) = shape else {
                return None;
            };
            literals.push(text.as_str());
        }
        Some(literals)
    }

    /// Returns a member of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Shape> {
        match self {
            Self::Object(members) => members.get(name).map(|member| &member.shape),
            _ => None,
        }
    }

    /// Combines two objects that have the same tag: a member that only one of them has is optional.
    pub(super) fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Object(one), Self::Object(mut other)) => {
                let mut members = BTreeMap::new();
                for (name, mut property) in one {
                    match other.remove(&name) {
                        Some(same) => {
                            property.optional |= same.optional;
                            property.shape = Self::union([property.shape, same.shape]);
                        }
                        None => property.optional = true,
                    }
                    members.insert(name, property);
                }
                for (name, mut property) in other {
                    property.optional = true;
                    members.insert(name, property);
                }
                Self::Object(members)
            }
            (one, other) => Self::union([one, other]),
        }
    }
}

/// Resolves declared types.
pub(super) struct Resolver<'a> {
    pub(super) declarations: &'a Declarations,
    /// Whether names of declared types are replaced by what they stand for.
    pub(super) expands: bool,
}

impl Resolver<'_> {
    /// Returns the shape of a declared type; `None` if there is no such declaration.
    pub(super) fn declared(&self, name: &str) -> Option<Shape> {
        let of = self.declarations.types.get(name)?;
        Some(self.resolve(of, &mut vec![name.to_owned()]))
    }

    /// Returns the shape of a type. `open` has the names that are being resolved: a type that contains itself is not expanded again.
    pub(super) fn resolve(&self, of: &Type, open: &mut Vec<String>) -> Shape {
        match of {
            Type::Literal(text) => Shape::Literal(text.clone()),
            Type::Other(text) => Shape::Named(text.clone()),
            Type::List(of) => Shape::List(Box::new(self.resolve(of, open))),
            Type::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|of| self.resolve(of, open)).collect();
                Shape::List(Box::new(Shape::union(items)))
            }
            Type::Union(types) => {
                let types: Vec<_> = types.iter().map(|of| self.resolve(of, open)).collect();
                Shape::union(types)
            }
            Type::Intersection(types) => {
                let types: Vec<_> = types.iter().map(|of| self.resolve(of, open)).collect();
                intersection(types)
            }
            Type::Object { members, index } => self.object(members, index.as_deref(), open),
            Type::Named(name, arguments) => self.named(name, arguments, open),
        }
    }

    fn object(&self, members: &[Member], index: Option<&Type>, open: &mut Vec<String>) -> Shape {
        if let (true, Some(of)) = (members.is_empty(), index) {
            return Shape::Map(Box::new(self.resolve(of, open)));
        }
        let property = |member: &Member, open: &mut Vec<String>| Property {
            optional: member.optional,
            shape: self.resolve(&member.of, open),
        };
        let members = members.iter();
        Shape::Object(
            members
                .map(|member| (member.name.clone(), property(member, open)))
                .collect(),
        )
    }

    fn named(&self, name: &str, arguments: &[Type], open: &mut Vec<String>) -> Shape {
        match (name, arguments) {
            ("any", []) => return Shape::named("unknown"),
            ("Record", [_, value]) => return Shape::Map(Box::new(self.resolve(value, open))),
            ("Array" | "ReadonlyArray", [of]) => {
                return Shape::List(Box::new(self.resolve(of, open)));
            }
            ("Readonly", [of]) => return self.resolve(of, open),
            ("Partial", [of]) => return partial(self.resolve(of, open)),
            ("NonNullable", [of]) => {
                let shape = self.resolve(of, open);
                let alternatives = shape.alternatives().iter().cloned();
                return Shape::union(alternatives.filter(|shape| *shape != Shape::named("null")));
            }
            _ => {}
        }
        let declared = self.declarations.types.get(name);
        let is_opaque = OPAQUE.contains(&name) || open.iter().any(|open| open == name);
        match declared {
            Some(of) if self.expands && !is_opaque && arguments.is_empty() => {
                open.push(name.to_owned());
                let shape = self.resolve(of, open);
                open.pop();
                match (of, shape) {
                    // The text of a type that is not read says less than its name.
                    (Type::Other(_), _) => Shape::named(name),
                    (_, shape) => shape,
                }
            }
            _ => Shape::named(name),
        }
    }
}

/// Combines objects into one that has the members of all of them.
fn intersection(shapes: Vec<Shape>) -> Shape {
    let mut all = BTreeMap::new();
    for shape in &shapes {
        match shape {
            Shape::Object(members) => {
                all.extend(
                    members
                        .iter()
                        .map(|(name, member)| (name.clone(), member.clone())),
                );
            }
            _ => {
                let texts: Vec<_> = shapes.iter().map(kind).collect();
                return Shape::Named(texts.join(" & "));
            }
        }
    }
    Shape::Object(all)
}

fn partial(shape: Shape) -> Shape {
    match shape {
        Shape::Object(mut members) => {
            for member in members.values_mut() {
                member.optional = true;
            }
            Shape::Object(members)
        }
        other => other,
    }
}

/// Describes a shape without its members and literals.
pub(super) fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => name.clone(),
        Shape::Literal(_) => "string of a set".to_owned(),
        Shape::List(of) => format!("list of {}", kind(of)),
        Shape::Map(of) => format!("map of {}", kind(of)),
        Shape::Object(_) => "object".to_owned(),
        Shape::Union(shapes) => {
            let mut kinds: Vec<_> = shapes.iter().map(kind).collect();
            kinds.sort();
            kinds.dedup();
            kinds.join(" | ")
        }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        to_json(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        of_json(&value).ok_or_else(|| D::Error::custom(format!("{value} is not a shape")))
    }
}

fn to_json(shape: &Shape) -> Value {
    match shape {
        Shape::Named(name) => Value::from(name.as_str()),
        Shape::Literal(text) => Value::from(format!("'{text}'")),
        Shape::List(of) => Value::from(vec![to_json(of)]),
        Shape::Map(of) => Value::from(Map::from_iter([("*".to_owned(), to_json(of))])),
        Shape::Object(members) => members
            .iter()
            .map(|(name, member)| {
                let mark = if member.optional { "?" } else { "" };
                (format!("{name}{mark}"), to_json(&member.shape))
            })
            .collect(),
        Shape::Union(shapes) => {
            let shapes: Vec<_> = shapes.iter().map(to_json).collect();
            let names: Option<Vec<_>> = shapes.iter().map(Value::as_str).collect();
            match names {
                Some(names) => Value::from(names.join(" | ")),
                None => Value::from(Map::from_iter([("|".to_owned(), Value::from(shapes))])),
            }
        }
    }
}

fn of_json(value: &Value) -> Option<Shape> {
    match value {
        Value::String(text) => {
            let shape = |text: &str| {
                let literal = text
                    .strip_prefix('\'')
                    .and_then(|text| text.strip_suffix('\''));
                match literal {
                    Some(literal) => Shape::Literal(literal.to_owned()),
                    None => Shape::named(text),
                }
            };
            // A function type has a `|` in its parentheses.
            match text.contains("=>") {
                true => Some(shape(text)),
                false => Some(Shape::union(text.split(" | ").map(shape))),
            }
        }
        Value::Array(items) => match items.as_slice() {
            [of] => Some(Shape::List(Box::new(of_json(of)?))),
            _ => None,
        },
        Value::Object(members) => match (members.len(), members.get("*"), members.get("|")) {
            (1, Some(of), _) => Some(Shape::Map(Box::new(of_json(of)?))),
            (1, _, Some(Value::Array(shapes))) => {
                let shapes: Option<Vec<_>> = shapes.iter().map(of_json).collect();
                Some(Shape::union(shapes?))
            }
            _ => {
                let member = |(name, value): (&String, &Value)| {
                    let shape = of_json(value)?;
                    Some(match name.strip_suffix('?') {
                        Some(name) => (
                            name.to_owned(),
                            Property {
                                optional: true,
                                shape,
                            },
                        ),
                        None => (
                            name.clone(),
                            Property {
                                optional: false,
                                shape,
                            },
                        ),
                    })
                };
                Some(Shape::Object(
                    members.iter().map(member).collect::<Option<_>>()?,
                ))
            }
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape(text: &str) -> Value {
        let declarations = Declarations::read(&format!(
            "type X = {text}; type A = {{ a: 'x' | 'y'; b?: X }}; type C = {{ c: null }}; type F = keyof A;"
        ));
        let resolver = Resolver {
            declarations: &declarations,
            expands: true,
        };
        serde_json::to_value(resolver.declared("X").unwrap()).unwrap()
    }

    #[test]
    fn names_are_resolved_and_recursion_ends() {
        assert_eq!(shape("A"), json!({"a": "'x' | 'y'", "b?": "X"}));
        assert_eq!(
            shape("Partial<A & C>"),
            json!({"a?": "'x' | 'y'", "b?": "X", "c?": "null"})
        );
        assert_eq!(shape("F[]"), json!(["F"]));
        assert_eq!(
            shape("Settings | BetaMessage"),
            json!("BetaMessage | Settings")
        );
    }

    #[test]
    fn equivalent_types_have_one_shape() {
        assert_eq!(shape("[C] | [C, C] | C[]"), json!([{"c": "null"}]));
        assert_eq!(shape("'latest' | string | undefined"), json!("string"));
        assert_eq!(shape("Record<string, unknown>"), json!({"*": "unknown"}));
        assert_eq!(shape("{ [k: string]: any }"), json!({"*": "unknown"}));
        assert_eq!(shape("NonNullable<string | null>"), json!("string"));
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for text in ["A | C | null", "(A | 'z')[]", "Record<string, A | C>", "{}"] {
            let value = shape(text);
            let read: Shape = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), value, "{text}");
        }
        assert!(serde_json::from_value::<Shape>(json!([])).is_err());
        assert!(serde_json::from_value::<Shape>(json!(1)).is_err());
    }

    #[test]
    fn member_of_one_of_two_objects_is_optional() {
        let one: Shape = serde_json::from_value(json!({"a": "string", "b": "number"})).unwrap();
        let other: Shape = serde_json::from_value(json!({"a": "null", "c": "number"})).unwrap();
        assert_eq!(
            serde_json::to_value(one.merge(other)).unwrap(),
            json!({"a": "null | string", "b?": "number", "c?": "number"})
        );
    }
}
