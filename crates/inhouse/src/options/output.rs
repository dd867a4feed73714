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

/// Options for structured output.
impl Options {
    /// Makes the run end with a JSON value that matches this JSON Schema.
    ///
    /// The value is the `structured_output` of the result. The root of the schema must be an object.
    /// `$schema` is not sent: the CLI (2.1.325) ignores a schema that names draft 2020-12, and
    /// answers without structured output. Default: no structured output.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    /// use serde_json::json;
    ///
    /// let cli = launch(Options::new().json_schema(json!({"type": "object"})));
    /// assert!(cli.has_arg(r#"--json-schema={"type":"object"}"#));
    /// ```
    pub fn json_schema(mut self, schema: impl Into<Value>) -> Self {
        self.output.schema = Some(schema.into());
        self
    }

    /// Makes the run end with a JSON value of type `T`, with the schema of `T`.
    ///
    /// Replaces [`json_schema`](Self::json_schema). Default: no structured output.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Verdict {
    ///     /// Whether the change may be merged.
    ///     accepted: bool,
    /// }
    ///
    /// let cli = launch(Options::new().output::<Verdict>());
    /// let schema = cli.args().iter().find_map(|arg| arg.strip_prefix("--json-schema=")).unwrap();
    /// assert!(schema.contains("Whether the change may be merged."));
    /// ```
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
    fn output_schema_has_only_keywords_that_every_cli_supports() {
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
