//! Turns the last message of a turn into an answer or an error.

use inhouse_proto::message::{AssistantError, Message, Received, ResultMessage};
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};

/// Returns the result in the last message of a turn.
pub(crate) fn result(last: Message) -> Result<Received<ResultMessage>> {
    match last {
        Message::Result(result) => Ok(result),
        _ => Err(Error::new(
            ErrorKind::Protocol,
            "the turn ended without a readable result: its prompt was cancelled, or the line was too \
             long (Options::max_line_bytes) or of an unexpected shape",
        )),
    }
}

/// Returns the text of a result, or an error if the turn failed.
///
/// `api_error` is the `error` member of the turn's last assistant message.
pub(crate) fn text(
    result: Received<ResultMessage>,
    api_error: Option<&AssistantError>,
) -> Result<String> {
    let result = succeeded(result, api_error)?;
    Ok(result.result.unwrap_or_default())
}

/// Returns the structured output of a result, or an error if the turn failed.
pub(crate) fn json<T: DeserializeOwned>(
    result: Received<ResultMessage>,
    api_error: Option<&AssistantError>,
) -> Result<T> {
    let result = succeeded(result, api_error)?;
    let Some(output) = result.structured_output else {
        return Err(Error::new(
            ErrorKind::Protocol,
            "the result has no structured output; request it with Options::output or \
             Options::json_schema",
        ));
    };
    serde_json::from_value(output).map_err(|error| {
        Error::new(
            ErrorKind::Protocol,
            "the structured output does not fit the requested type",
        )
        .with_source(error)
    })
}

fn succeeded(
    result: Received<ResultMessage>,
    api_error: Option<&AssistantError>,
) -> Result<ResultMessage> {
    if result.is_error {
        return Err(Error::failed_turn(result, api_error));
    }
    Ok(result.into_inner())
}
