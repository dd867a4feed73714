use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ErrorCode, RpcError};
use crate::wire::{CallText, Skim};

/// The parameters of `tools/call`, read in place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The tool.
    pub name: Cow<'a, str>,
    /// Its arguments: the text of an object.
    pub arguments: &'a str,
    /// The id by which the conversation names the call.
    pub tool_use_id: Option<Cow<'a, str>>,
    /// The name under which the caller wants to hear of progress, as JSON text.
    pub progress_token: Option<&'a str>,
}

impl<'a> ToolCall<'a> {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// `INVALID_PARAMS` with what is wrong.
    pub fn parse(params: Option<&'a str>) -> Result<Self, RpcError> {
        let params = params.unwrap_or_default();
        let call = match Self::skim(params) {
            Some(call) => call,
            // The other way tells what is wrong.
            None => Self::with_care(params).map_err(|error| invalid(&error.to_string()))?,
        };
        if call.name.is_empty() {
            return Err(invalid("`name` is empty"));
        }
        if !call.arguments.starts_with('{') {
            return Err(invalid("`arguments` is not an object"));
        }
        Ok(call)
    }

    /// One that was taken apart already; `None` when something about it is odd.
    pub(crate) fn of(call: &CallText<'a>) -> Option<Self> {
        let is_plain = !call.name.is_empty() && call.arguments.starts_with('{');
        is_plain.then_some(Self {
            name: call.name.into(),
            arguments: call.arguments,
            tool_use_id: Some(call.tool_use_id.into()),
            progress_token: Some(call.progress_token),
        })
    }

    fn skim(params: &'a str) -> Option<Self> {
        let (mut name, mut arguments) = (None, None);
        let (mut tool_use_id, mut progress_token) = (None, None);
        let mut skim = Skim::new(params);
        skim.object(|skim, member| {
            match member {
                "name" => name = Some(skim.text()??),
                "arguments" => arguments = skim.optional()?,
                "_meta" if skim.peek()? == b'{' => {
                    return skim.object(|skim, member| {
                        match member {
                            "claudecode/toolUseId" => {
                                tool_use_id = Some(skim.text()??);
                            }
                            "progressToken" => progress_token = skim.optional()?,
                            _ => return skim.value().map(drop),
                        }
                        Some(())
                    });
                }
                "_meta" => return skim.optional()?.is_none().then_some(()),
                _ => return skim.value().map(drop),
            }
            Some(())
        })?;
        skim.end()?;
        Some(Self {
            name: name?,
            arguments: arguments.unwrap_or("{}"),
            tool_use_id,
            progress_token,
        })
    }

    fn with_care(params: &'a str) -> serde_json::Result<Self> {
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
        let params: Params<'a> = serde_json::from_str(params)?;
        let meta = params.meta.unwrap_or_default();
        Ok(Self {
            name: params.name,
            arguments: params.arguments.map_or("{}", RawValue::get),
            tool_use_id: meta.tool_use_id,
            progress_token: meta.progress_token.map(RawValue::get),
        })
    }
}

fn invalid(text: &str) -> RpcError {
    let text = format!("invalid parameters of `tools/call`: {text}");
    RpcError::new(ErrorCode::INVALID_PARAMS, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_the_same() {
        for params in [
            r#"{"name":"add","arguments":{"a":1}}"#,
            r#"{"name":"add"}"#,
            r#"{"name":"add","arguments":null,"_meta":null}"#,
            r#"{"_meta":{"progressToken":7,"claudecode/toolUseId":"toolu_1","x":[]},"name":"a\u0064d"}"#,
            r#" { "name" : "add" , "arguments" : { } , "task" : {"ttl": 1} } "#,
            r#"{"name":"add","_meta":{"progressToken":null}}"#,
        ] {
            let skimmed = ToolCall::skim(params).expect("a call");
            assert_eq!(
                skimmed,
                ToolCall::with_care(params).expect("a call"),
                "{params}"
            );
        }
    }

    #[test]
    fn a_glance_reads_the_same() {
        let params = r#"{"name":"add","arguments":{"a":[1,"}"]},"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":2}}"#;
        fn glance(params: &str) -> Option<ToolCall<'_>> {
            ToolCall::of(&CallText::read(&mut Skim::new(params))?)
        }
        let glanced = glance(params).expect("the form in which the CLI writes");
        assert_eq!(Some(glanced), ToolCall::skim(params));
        for (part, other) in [
            ("\"add\"", "\"a\\u0064d\""),
            ("\"add\"", "7"),
            ("{\"a\":[1,\"}\"]}", "null"),
            ("{\"a\":[1,\"}\"]}", "[]"),
        ] {
            let params = params.replace(part, other);
            assert_eq!(glance(&params), None, "{params}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
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
            let error = ToolCall::parse(params).expect_err("it is wrong");
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains(what), "{}", error.message);
        }
    }
}
