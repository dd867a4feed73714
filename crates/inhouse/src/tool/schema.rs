use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

/// Returns the schema of the arguments of a handler; that of an empty object if it has none.
pub(super) fn input(schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>) -> Value {
    generate(schema).unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}

/// Returns the schema of the structured result of a handler.
pub(super) fn output(schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>) -> Option<Value> {
    generate(schema)
}

/// Returns a schema without references, titles and formats of numbers.
pub(super) fn generate(
    schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>,
) -> Option<Value> {
    // Inlined, because models read a schema better without references.
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut generator = settings.into_generator();
    let mut schema = schema(&mut generator)?;
    let members = schema.as_object_mut()?;
    // Recursive types cannot be inlined; only they are left here.
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    // The name of a Rust type means nothing to the model.
    members.remove("title");
    RecursiveTransform(drop_number_format).transform(&mut schema);
    Some(schema.to_value())
}

/// Removes the formats that schemars gives to Rust's numbers, such as `uint32` and `double`.
///
/// No draft of JSON Schema defines a format for numbers. Strict validators reject unknown formats,
/// and CLI 2.1.197 ignores an output schema that has one.
pub(crate) fn drop_number_format(schema: &mut Schema) {
    let is_number = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_numeric),
        Some(name) => is_numeric(name),
        None => false,
    };
    if is_number {
        schema.remove("format");
    }
}

fn is_numeric(name: &Value) -> bool {
    matches!(name.as_str(), Some("integer" | "number"))
}
