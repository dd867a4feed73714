use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::Options;
use crate::tool::drop_number_format;

#[derive(Clone, Debug, Default)]
pub(crate) struct OutputOptions {
    pub(crate) schema: Option<Value>,
}

/// Structured output.
impl Options {
    /// Makes the run end with a JSON value that follows this schema.
    ///
    /// The value is in the `structured_output` of the result. The schema's root must be an object.
    /// Its `$schema` is not sent: the CLI (2.1.325) drops a schema that names draft 2020-12, and
    /// answers as if none had been asked for.
    #[must_use]
    pub fn json_schema(mut self, schema: impl Into<Value>) -> Self {
        self.output.schema = Some(schema.into());
        self
    }

    /// Makes the run end with a JSON value of the type `T`, whose schema is inferred.
    ///
    /// ```
    /// use inhouse::Options;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Verdict {
    ///     /// Whether the change may go in.
    ///     accepted: bool,
    ///     reasons: Vec<String>,
    /// }
    ///
    /// let options = Options::new().output::<Verdict>();
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn output<T: JsonSchema>(self) -> Self {
        let settings = SchemaSettings::draft2020_12()
            .with(|settings| settings.meta_schema = None)
            .with_transform(RecursiveTransform(drop_number_format));
        let schema = settings.into_generator().into_root_schema_for::<T>();
        self.json_schema(schema.to_value())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_from_a_type_has_only_what_every_cli_knows() {
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct Answer {
            count: u32,
            share: Option<f64>,
            parts: Vec<Part>,
        }
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct Part {
            size: i64,
        }

        let schema = Options::new().output::<Answer>().output.schema.unwrap();

        assert_eq!(
            schema,
            json!({
                "title": "Answer",
                "type": "object",
                "properties": {
                    "count": {"type": "integer", "minimum": 0},
                    "share": {"type": ["number", "null"]},
                    "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
                },
                "required": ["count", "parts"],
                "$defs": {
                    "Part": {
                        "type": "object",
                        "properties": {"size": {"type": "integer"}},
                        "required": ["size"],
                    },
                },
            })
        );
    }
}
