use inhouse_proto::control::outgoing::Initialize;

use super::argv::Argv;
use super::files::MAX_INLINE;
use crate::options::Options;

/// Asks for structured output: on the command line if the schema fits there.
pub(super) fn place(options: &Options, argv: &mut Argv, initialize: &mut Initialize) {
    let Some(mut schema) = options.output.schema.clone() else {
        return;
    };
    if let Some(members) = schema.as_object_mut() {
        // The validator of the CLI knows the keywords of draft 2020-12 and not its name.
        members.remove("$schema");
    }
    let text = schema.to_string();
    if text.len() <= MAX_INLINE {
        argv.value("json-schema", text);
    } else {
        initialize.json_schema = Some(schema);
    }
}
