use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schema;

/// The answer of a user to a form, see [`McpClient::elicit`](super::McpClient::elicit).
///
/// ```
/// use inhouse::tool::Elicited;
///
/// assert_eq!(Elicited::Accepted(7).accepted(), Some(7));
/// assert_eq!(Elicited::<u32>::Declined.accepted(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user filled in the form.
    Accepted(T),
    /// The user refused to answer.
    Declined,
    /// The user dismissed the form without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the content of the form; `None` if the user declined or cancelled.
    ///
    /// ```
    /// use inhouse::tool::Elicited;
    ///
    /// let answer = Elicited::Accepted("north");
    /// assert_eq!(answer.accepted().unwrap_or("south"), "north");
    /// assert_eq!(Elicited::Cancelled.accepted().unwrap_or("south"), "south");
    /// ```
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

impl<T: DeserializeOwned> Elicited<T> {
    /// Decodes the result of `elicitation/create`.
    pub(super) fn decode(result: Value) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        #[serde(tag = "action", rename_all = "lowercase")]
        enum Answer {
            Accept {
                #[serde(default)]
                content: Map<String, Value>,
            },
            Decline,
            Cancel,
        }
        Ok(match serde_json::from_value(result)? {
            Answer::Accept { content } => {
                Self::Accepted(serde_json::from_value(Value::Object(content))?)
            }
            Answer::Decline => Self::Declined,
            Answer::Cancel => Self::Cancelled,
        })
    }
}

/// Returns the schema of a form with the fields of `T`, within the subset that MCP allows: an object of
/// text, numbers, booleans and lists of values.
pub(super) fn form_schema<T: JsonSchema>() -> Value {
    let mut schema = schema::generate(|generator| Some(T::json_schema(generator)))
        .and_then(|schema| Schema::try_from(schema).ok())
        .unwrap_or_default();
    RecursiveTransform(simplify).transform(&mut schema);
    schema.to_value()
}

/// Replaces what schemars writes for optional fields and enums by the simpler form of MCP.
fn simplify(schema: &mut Schema) {
    drop_null(schema);
    if let Some(names) = constants(schema) {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), "string".into());
        schema.insert("enum".to_owned(), names.into());
    }
}

/// Removes `null` from the types of an optional field: a form leaves such a field out.
fn drop_null(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [name] = &types[..] {
            let name = name.clone();
            members.insert("type".to_owned(), name);
        }
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(schemas)) = members.get_mut("anyOf") {
        schemas.retain(|schema| schema["type"] != "null");
        if let [Value::Object(only)] = &mut schemas[..] {
            let only = std::mem::take(only);
            members.remove("anyOf");
            // The description of a field is better than that of its type.
            for (name, value) in only {
                members.entry(name).or_insert(value);
            }
        }
    }
    if members.get("default") == Some(&Value::Null) {
        members.remove("default");
    }
}

/// Returns the names of an enum whose variants have descriptions, which schemars writes as `oneOf`.
fn constants(schema: &Schema) -> Option<Vec<Value>> {
    let variants = schema.get("oneOf")?.as_array()?;
    let mut names = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum")) {
            (Some(name @ Value::String(_)), _) => names.push(name.clone()),
            (None, Some(Value::Array(several))) if several.iter().all(Value::is_string) => {
                names.extend(several.iter().cloned());
            }
            _ => return None,
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is used")]
    enum Size {
        /// Up to one litre
        Small,
        Large,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is used")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    struct Order {
        /// The name on the cup
        name: String,
        #[serde(default)]
        cups: u32,
        price: Option<f64>,
        /// The size of the cup
        size: Option<Size>,
        colour: Option<Colour>,
        colours: Vec<Colour>,
        hot: bool,
    }

    #[test]
    fn form_schema_stays_within_the_subset_of_mcp() {
        assert_eq!(
            form_schema::<Order>(),
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The name on the cup"},
                    "cups": {"type": "integer", "minimum": 0, "default": 0},
                    "price": {"type": "number"},
                    "size": {
                        "type": "string",
                        "enum": ["large", "small"],
                        "description": "The size of the cup",
                    },
                    "colour": {"type": "string", "enum": ["red", "green"]},
                    "colours": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["red", "green"]},
                    },
                    "hot": {"type": "boolean"},
                },
                "required": ["name", "colours", "hot"],
            })
        );
    }

    #[test]
    fn answers_decode_by_their_action() {
        let decode = |answer| Elicited::<Vec<(String, u32)>>::decode(answer);
        assert!(decode(json!({"action": "accept", "content": {"a": 1}})).is_err());
        assert_eq!(
            Elicited::decode(json!({"action": "accept", "content": {"a": 1}})).expect("accepted"),
            Elicited::Accepted(json!({"a": 1}))
        );
        assert_eq!(
            Elicited::decode(json!({"action": "accept"})).expect("accepted"),
            Elicited::Accepted(json!({}))
        );
        assert_eq!(
            Elicited::<Value>::decode(json!({"action": "decline"})).expect("declined"),
            Elicited::Declined
        );
        assert_eq!(
            Elicited::<Value>::decode(json!({"action": "cancel", "content": null})).ok(),
            Some(Elicited::Cancelled)
        );
        assert!(Elicited::<Value>::decode(json!({"action": "shrug"})).is_err());
        assert!(Elicited::<Value>::decode(json!({})).is_err());
    }
}
