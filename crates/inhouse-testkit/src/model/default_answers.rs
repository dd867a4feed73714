//! Default answers to requests that do not belong to the script.

use serde_json::{Map, Value, json};

use super::{ModelRequest, Turn};

/// Returns an estimate that grows with the request, as the CLI's context display needs it.
pub(super) fn token_count(request: &ModelRequest) -> Value {
    const BYTES_PER_TOKEN: usize = 4;
    json!({ "input_tokens": request.body_length.div_ceil(BYTES_PER_TOKEN) })
}

/// Returns the smallest answer that fits the requested schema.
pub(super) fn structured(request: &ModelRequest) -> Turn {
    let schema = &request.body()["output_config"]["format"]["schema"];
    Turn::new().text(smallest_instance(schema).to_string())
}

fn smallest_instance(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => Value::Object(required_properties(schema)),
        Some("array") => json!([]),
        Some("string") => json!("scripted"),
        Some("integer" | "number") => json!(0),
        Some("boolean") => json!(false),
        _ => Value::Null,
    }
}

fn required_properties(schema: &Value) -> Map<String, Value> {
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    required
        .map(|name| {
            (
                name.to_owned(),
                smallest_instance(&schema["properties"][name]),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_instance_has_required_members_only() {
        let schema = json!({
            "type": "object",
            "required": ["title", "mood", "tags"],
            "properties": {
                "title": { "type": "string" },
                "mood": { "enum": ["calm", "tense"] },
                "tags": { "type": "array" },
                "extra": { "type": "string" },
            },
        });
        let expected = json!({ "title": "scripted", "mood": "calm", "tags": [] });
        assert_eq!(smallest_instance(&schema), expected);
    }
}
