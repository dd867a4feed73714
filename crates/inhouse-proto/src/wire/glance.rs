use std::borrow::Cow;

use super::envelope::{Envelope, MessageText, RequestText};
use super::skim::Skim;

/// Reads a line that calls a tool, if it has the very form in which the CLI writes such lines.
///
/// They are most of what the CLI asks, and comparing is faster than taking apart. In any other form,
/// `None`, a line is read with the same result member by member.
pub(super) fn envelope(line: &str) -> Option<Envelope<'_>> {
    let mut skim = Skim::new(line);
    skim.literal(r#"{"type":"control_request","request_id":"#)?;
    let request_id = skim.plain_text()?;
    skim.literal(r#","request":"#)?;
    let start = skim.at();
    skim.literal(r#"{"subtype":"mcp_message","server_name":"#)?;
    let server_name = skim.plain_text()?;
    skim.literal(r#","message":"#)?;
    let message = message(&mut skim)?;
    skim.literal("}")?;
    let text = skim.since(start);
    skim.literal("}")?;
    skim.end()?;
    Some(Envelope {
        kind: Some(Cow::Borrowed("control_request")),
        request_id: Some(Cow::Borrowed(request_id)),
        request: Some(RequestText {
            text,
            subtype: Some(Cow::Borrowed("mcp_message")),
            server_name: Some(Cow::Borrowed(server_name)),
            message: Some(message),
            has_others: false,
        }),
        ..Envelope::default()
    })
}

fn message<'a>(skim: &mut Skim<'a>) -> Option<MessageText<'a>> {
    let start = skim.at();
    skim.literal(r#"{"method":"#)?;
    let method = literal(skim, r#""tools/call""#)?;
    skim.literal(r#","params":"#)?;
    let call = CallText::read(skim)?;
    skim.literal(r#","jsonrpc":"2.0","id":"#)?;
    let id = skim.digits()?;
    skim.literal("}")?;
    Some(MessageText {
        text: skim.since(start),
        id: Some(id),
        method: Some(method),
        params: Some(call.text),
        result: None,
        error: None,
        call: Some(call),
    })
}

/// The parameters of a call of a tool, in the form in which the CLI writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallText<'a> {
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) tool_use_id: &'a str,
    pub(crate) progress_token: &'a str,
}

impl<'a> CallText<'a> {
    /// Goes past parameters; `None` when they have any other form.
    pub(crate) fn read(skim: &mut Skim<'a>) -> Option<Self> {
        let start = skim.at();
        skim.literal(r#"{"name":"#)?;
        let name = skim.plain_text()?;
        skim.literal(r#","arguments":"#)?;
        let arguments = skim.value()?;
        skim.literal(r#","_meta":{"claudecode/toolUseId":"#)?;
        let tool_use_id = skim.plain_text()?;
        skim.literal(r#","progressToken":"#)?;
        let progress_token = skim.digits()?;
        skim.literal("}}")?;
        Some(Self {
            text: skim.since(start),
            name,
            arguments,
            tool_use_id,
            progress_token,
        })
    }
}

/// Goes past this very text, and returns the place where it stands.
fn literal<'a>(skim: &mut Skim<'a>, literal: &str) -> Option<&'a str> {
    let start = skim.at();
    skim.literal(literal)?;
    Some(skim.since(start))
}
