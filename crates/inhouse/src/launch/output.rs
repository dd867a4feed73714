use super::plan::Builder;
use super::private_files::MAX_INLINE;
use super::problems::Problems;
use crate::options::Options;

/// The API accepts only objects, because the schema becomes the input schema of a tool.
pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let Some(schema) = &options.output.schema else {
        return;
    };
    problems.add_if(
        !schema.is_object(),
        "the output schema is not a JSON object; pass a JSON Schema",
    );
    problems.add_if(
        schema.get("type").is_some_and(|root| root != "object"),
        "the root of the output schema is not of type `object`; wrap it in an object",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let Some(mut schema) = options.output.schema.clone() else {
        return;
    };
    if let Some(members) = schema.as_object_mut() {
        // CLI 2.1.325 supports the keywords of draft 2020-12, and rejects its name.
        members.remove("$schema");
    }
    let text = schema.to_string();
    if text.len() <= MAX_INLINE {
        builder.args.value("json-schema", text);
    } else {
        builder.initialize.json_schema = Some(schema);
    }
}
