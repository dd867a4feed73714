//! What a result means to a caller who asked for an answer.

use inhouse_proto::message::{AssistantError, Message, ResultMessage};
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};

/// The result that a turn ended with.
pub(crate) fn result(last: Message) -> Result<ResultMessage> {
    match last {
        Message::Result(result) => Ok(result.into_inner()),
        _ => Err(Error::new(
            ErrorKind::Protocol,
            "the turn ended without a result that can be read: its prompt was taken back, or the \
             line was too long (Options::max_line_bytes) or of an unexpected shape",
        )),
    }
}

/// The answer of a turn, or why it failed.
///
/// `api_error` is the `error` member of the turn's last assistant message.
pub(crate) fn text(result: ResultMessage, api_error: Option<&AssistantError>) -> Result<String> {
    let result = succeeded(result, api_error)?;
    Ok(result.result.unwrap_or_default())
}

/// The structured answer of a turn, or why it failed.
pub(crate) fn json<T: DeserializeOwned>(
    result: ResultMessage,
    api_error: Option<&AssistantError>,
) -> Result<T> {
    let result = succeeded(result, api_error)?;
    let Some(output) = result.structured_output else {
        return Err(Error::new(
            ErrorKind::Protocol,
            "the result has no structured output; ask for it with Options::output or \
             Options::json_schema",
        ));
    };
    serde_json::from_value(output).map_err(|error| {
        Error::new(
            ErrorKind::Protocol,
            "the structured output does not fit the type that was asked for",
        )
        .with_source(error)
    })
}

fn succeeded(result: ResultMessage, api_error: Option<&AssistantError>) -> Result<ResultMessage> {
    if result.is_error {
        return Err(Error::failed_turn(result, api_error));
    }
    Ok(result)
}
