use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ErrorCode, RpcError};
use crate::wire::Text;

/// A call to a tool: the decoded parameters of `tools/call`, as slices of the text that they arrived in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The name of the tool.
    pub name: Text,
    /// The arguments as JSON text, always an object.
    pub arguments: Text,
    /// The id of the tool call in the conversation (`tool_use_id`); `None` if the caller sent none.
    pub tool_use_id: Option<Text>,
    /// The token for progress notifications, as JSON text; `None` if the caller requests none.
    pub progress_token: Option<Text>,
}

impl ToolCall {
    /// The arguments of a call that has none.
    pub(crate) const NO_ARGUMENTS: &str = "{}";

    /// Creates a call that comes from no conversation. The arguments are the JSON text of an object.
    #[must_use]
    pub fn new(name: impl Into<Text>, arguments: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            arguments: arguments.into(),
            tool_use_id: None,
            progress_token: None,
        }
    }

    /// Decodes the parameters of a request.
    ///
    /// # Errors
    /// [`ErrorCode::INVALID_PARAMS`] if the name is missing or empty, or if a member has the wrong shape.
    pub fn parse(params: Option<&Text>) -> Result<Self, RpcError> {
        let empty = Text::default();
        let text = params.unwrap_or(&empty);
        let params: Params<'_> =
            serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        if params.name.is_empty() {
            return Err(invalid("`name` is empty"));
        }
        let arguments = params.arguments.map_or(Self::NO_ARGUMENTS, RawValue::get);
        if !arguments.starts_with('{') {
            return Err(invalid("invalid type: `arguments` is not an object"));
        }
        let meta = params.meta.unwrap_or_default();
        Ok(Self {
            name: text.part(params.name),
            arguments: text.part(arguments),
            tool_use_id: meta.tool_use_id.map(|id| text.part(id)),
            progress_token: meta.progress_token.map(|token| text.part(token.get())),
        })
    }
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "claudecode/toolUseId")]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

fn invalid(text: &str) -> RpcError {
    let text = format!("invalid parameters of `tools/call`: {text}");
    RpcError::new(ErrorCode::INVALID_PARAMS, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_names_the_invalid_parameter() {
        for (params, what) in [
            (None, "EOF"),
            (Some("[]"), "invalid length"),
            (Some("{}"), "missing field `name`"),
            (Some(r#"{"name":7}"#), "expected a string"),
            (Some(r#"{"name":""}"#), "`name` is empty"),
            (
                Some(r#"{"name":"a","arguments":[1]}"#),
                "`arguments` is not an object",
            ),
            (Some(r#"{"name":"a","_meta":7}"#), "expected struct Meta"),
        ] {
            let error = ToolCall::parse(params.map(|text| text.to_owned().into()).as_ref())
                .expect_err("the parameters are invalid");
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains(what), "{}", error.message);
        }
    }
}
