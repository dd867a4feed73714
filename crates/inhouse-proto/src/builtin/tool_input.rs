use std::error::Error;
use std::fmt;

use serde::Deserializer;
use serde::de::DeserializeOwned;

use super::{AskUserQuestion, ExitPlanMode};
use crate::open::decode_strictly;

/// Input of one tool.
///
/// The inputs of the built-in tools implement it. Implement it for the input of another tool, or for a type that has only the members
/// that you need:
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::builtin::ToolInput;
/// use inhouse::hook::{HookEvent, PreToolUse};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Transfer {
///     amount: u64,
/// }
///
/// impl ToolInput for Transfer {
///     const TOOL: &'static str = "mcp__bank__transfer";
/// }
///
/// let call = PreToolUse::decode(r#"{
///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PreToolUse",
///     "tool_name": "mcp__bank__transfer", "tool_input": {"amount": 5}, "tool_use_id": "toolu_1"
/// }"#)?;
/// assert_eq!(call.input_as::<Transfer>()?.amount, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of a tool",
    label = "no tool has this input",
    note = "use a type of `inhouse::builtin`, or implement `inhouse::builtin::ToolInput` for your type"
)]
pub trait ToolInput: DeserializeOwned {
    /// The name of the tool, such as `Bash` or `mcp__calc__add`.
    const TOOL: &'static str;
}

impl ToolInput for AskUserQuestion {
    const TOOL: &'static str = "AskUserQuestion";
}

impl ToolInput for ExitPlanMode {
    const TOOL: &'static str = "ExitPlanMode";
}

/// Reason why the input of a call is not the requested type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// The call is of another tool.
    OtherTool {
        /// The tool of the requested type.
        expected: &'static str,
        /// The tool of the call.
        found: String,
    },
    /// A member is missing or has the wrong shape.
    Misshapen {
        /// The tool of the call.
        tool: &'static str,
        /// The member and the reason. It may quote the input.
        reason: String,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherTool { expected, found } => {
                write!(f, "the call is of {found} and not of {expected}")
            }
            Self::Misshapen { tool, reason } => {
                write!(f, "the input of {tool} does not fit: {reason}")
            }
        }
    }
}

impl Error for InputError {}

/// Decodes the input of a call of this tool.
///
/// # Errors
/// If the call is of another tool than that of the type, or if the input has the wrong shape.
pub fn decode_input<'de, T: ToolInput>(
    tool_name: &str,
    input: impl Deserializer<'de>,
) -> Result<T, InputError> {
    if tool_name != T::TOOL {
        return Err(InputError::OtherTool {
            expected: T::TOOL,
            found: tool_name.to_owned(),
        });
    }
    decode_strictly(input).map_err(|reason| InputError::Misshapen {
        tool: T::TOOL,
        reason,
    })
}
