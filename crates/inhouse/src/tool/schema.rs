use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

/// The schema of the arguments of a handler.
///
/// Subschemas stand where they are used: models read a schema better without references.
pub(super) fn input(schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>) -> Value {
    generate(schema).unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}

/// The schema of the structured result of a handler.
pub(super) fn output(schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>) -> Option<Value> {
    generate(schema)
}

fn generate(schema: impl FnOnce(&mut SchemaGenerator) -> Option<Schema>) -> Option<Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut generator = settings.into_generator();
    let mut schema = schema(&mut generator)?.to_value();
    let members = schema.as_object_mut()?;
    // Types that contain themselves cannot be written out; only these are left here.
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    // The name of a Rust type means nothing to the model.
    members.remove("title");
    Some(schema)
}
