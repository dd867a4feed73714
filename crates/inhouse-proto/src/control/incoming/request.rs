use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::{HookCallback, McpMessageRequest, ToolCallRequest};
use crate::mcp::ToolCall;
use crate::open::decode_request;
use crate::wire::{Scanner, Text};

/// A request of the CLI, whose texts are slices of the line that it arrived in.
///
/// Reading a request decodes only the members that select its handler. The handler decodes the rest with
/// [`decode`](Self::decode).
///
/// ```
/// use inhouse_proto::control::incoming::{ElicitationRequest, IncomingRequest, RequestKind};
///
/// let body = r#"{"subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?"}"#;
/// let request = IncomingRequest::read(body.to_owned().into());
/// assert!(matches!(request.kind, RequestKind::Elicitation));
/// assert_eq!(request.decode::<ElicitationRequest>()?.message, "Which region?");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IncomingRequest {
    /// The `request` object as JSON text.
    pub body: Text,
    /// The kind of the request, by its subtype.
    pub kind: RequestKind,
}

/// The kind of an [`IncomingRequest`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RequestKind {
    /// `mcp_message`: a call to a tool of an MCP server in the host process.
    ToolCall(Box<ToolCallRequest>),
    /// `mcp_message`: any other message for an MCP server in the host process.
    Mcp(McpMessageRequest),
    /// `hook_callback`: an event for a hook that the host registered.
    Hook(HookCallback),
    /// `can_use_tool`: decode as [`CanUseTool`](super::CanUseTool).
    CanUseTool,
    /// `elicitation`: decode as [`ElicitationRequest`](super::ElicitationRequest).
    Elicitation,
    /// `request_user_dialog`: decode as [`DialogRequest`](super::DialogRequest).
    UserDialog,
    /// A request with any other subtype.
    Other {
        /// The subtype as it is on the wire.
        subtype: Text,
    },
    /// A request that cannot be read.
    Malformed {
        /// The subtype; empty if there is none.
        subtype: Text,
        /// The reason why the request cannot be read.
        reason: &'static str,
    },
}

impl IncomingRequest {
    /// Reads the `request` object of a control request.
    #[must_use]
    pub fn read(body: Text) -> Self {
        let kind = match RequestMembers::read(&mut Scanner::new(&body)).flatten() {
            Some(members) => members.kind(&body),
            None => malformed(Text::default(), NOT_AN_OBJECT),
        };
        Self { body, kind }
    }

    /// Creates a request from the members that were read in the pass over its line.
    pub(crate) fn of_line(line: &Text, members: RequestMembers<'_>) -> Self {
        let body = line.part(members.text);
        let kind = members.kind(line);
        Self { body, kind }
    }

    /// Returns the subtype as it is on the wire; empty if there is none.
    #[must_use]
    pub fn subtype(&self) -> &str {
        match &self.kind {
            RequestKind::ToolCall(_) | RequestKind::Mcp(_) => "mcp_message",
            RequestKind::Hook(_) => "hook_callback",
            RequestKind::CanUseTool => "can_use_tool",
            RequestKind::Elicitation => "elicitation",
            RequestKind::UserDialog => "request_user_dialog",
            RequestKind::Other { subtype } | RequestKind::Malformed { subtype, .. } => subtype,
        }
    }

    /// Decodes the request.
    ///
    /// Optional members of the wrong shape are errors and not `None`, because the host bases decisions on them.
    ///
    /// # Errors
    /// If a required member is missing, or a member has the wrong shape.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        decode_request(&self.body)
    }
}

const NOT_AN_OBJECT: &str = "the request is not an object";

/// The members of a request that select its handler, as slices of the scanned text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestMembers<'a> {
    /// The whole request.
    text: &'a str,
    subtype: Option<Cow<'a, str>>,
    callback_id: Option<Cow<'a, str>>,
    input: Option<&'a str>,
    tool_use_id: Option<Cow<'a, str>>,
    server_name: Option<Cow<'a, str>>,
    message: Option<&'a str>,
    rpc: RpcMembers<'a>,
}

impl<'a> RequestMembers<'a> {
    /// Consumes the request and reads its members.
    ///
    /// Returns `None` if the text cannot be JSON, `Some(None)` for `null`, and no members for any other value that is
    /// not an object.
    pub(crate) fn read(scanner: &mut Scanner<'a>) -> Option<Option<Self>> {
        let mut members = Self::default();
        if scanner.peek()? != b'{' {
            members.text = match scanner.optional()? {
                Some(text) => text,
                None => return Some(None),
            };
            return Some(Some(members));
        }
        let rpc = &mut members.rpc;
        members.text = scanner.object_text(|scanner, name| {
            match name {
                "subtype" => members.subtype = scanner.text()?,
                "callback_id" => members.callback_id = scanner.text()?,
                "input" => members.input = Some(scanner.value()?),
                "tool_use_id" => members.tool_use_id = scanner.text()?,
                "server_name" => members.server_name = scanner.text()?,
                "message" if scanner.peek()? == b'{' => {
                    members.message =
                        Some(scanner.object_text(|scanner, name| rpc.read_member(scanner, name))?);
                }
                "message" => members.message = Some(scanner.value()?),
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        Some(Some(members))
    }

    /// Returns the kind of the request, whose texts are parts of `body`, the text that was scanned.
    fn kind(self, body: &Text) -> RequestKind {
        let Some(subtype) = self.subtype else {
            let reason = match self.text.starts_with('{') {
                true => "`subtype` is missing",
                false => NOT_AN_OBJECT,
            };
            return malformed(Text::default(), reason);
        };
        match &*subtype {
            "can_use_tool" => RequestKind::CanUseTool,
            "elicitation" => RequestKind::Elicitation,
            "request_user_dialog" => RequestKind::UserDialog,
            "hook_callback" => {
                let (Some(callback_id), Some(input)) = (self.callback_id, self.input) else {
                    return malformed(body.part(subtype), "`callback_id` or `input` is missing");
                };
                RequestKind::Hook(HookCallback {
                    callback_id: body.part(callback_id),
                    input: body.part(input),
                    tool_use_id: self.tool_use_id.map(|id| body.part(id)),
                })
            }
            "mcp_message" => {
                let (Some(server_name), Some(message)) = (self.server_name, self.message) else {
                    return malformed(body.part(subtype), "`server_name` or `message` is missing");
                };
                let server_name = body.part(server_name);
                match self.rpc.call(body) {
                    Some((id, params, call)) => RequestKind::ToolCall(Box::new(ToolCallRequest {
                        server_name,
                        id,
                        params,
                        call,
                    })),
                    None => RequestKind::Mcp(McpMessageRequest {
                        server_name,
                        message: body.part(message),
                    }),
                }
            }
            _ => RequestKind::Other {
                subtype: body.part(subtype),
            },
        }
    }
}

/// The members of a JSON-RPC message that are needed to recognize and decode a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RpcMembers<'a> {
    id: Option<&'a str>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a str>,
    name: Option<Cow<'a, str>>,
    arguments: Option<&'a str>,
    tool_use_id: Option<Cow<'a, str>>,
    progress_token: Option<&'a str>,
}

impl<'a> RpcMembers<'a> {
    fn read_member(&mut self, scanner: &mut Scanner<'a>, name: &str) -> Option<()> {
        match name {
            "id" => self.id = scanner.optional()?,
            "method" => self.method = scanner.text()?,
            "params" if scanner.peek()? == b'{' => {
                self.params =
                    Some(scanner.object_text(|scanner, name| self.read_param(scanner, name))?);
            }
            _ => drop(scanner.value()?),
        }
        Some(())
    }

    fn read_param(&mut self, scanner: &mut Scanner<'a>, name: &str) -> Option<()> {
        match name {
            "name" => self.name = scanner.text()?,
            "arguments" => self.arguments = scanner.optional()?,
            "_meta" if scanner.peek()? == b'{' => scanner.object(|scanner, name| {
                match name {
                    "claudecode/toolUseId" => self.tool_use_id = scanner.text()?,
                    "progressToken" => self.progress_token = scanner.optional()?,
                    _ => drop(scanner.value()?),
                }
                Some(())
            })?,
            _ => drop(scanner.value()?),
        }
        Some(())
    }

    /// Returns the id, the parameters and the call; `None` for any other message.
    ///
    /// Also returns `None` for an invalid call: the server decodes it again and reports the error.
    fn call(self, body: &Text) -> Option<(Text, Text, ToolCall)> {
        let (id, name) = (self.id?, self.name?);
        let arguments = self.arguments.unwrap_or(ToolCall::NO_ARGUMENTS);
        // The id of a request is a string or a number.
        let has_valid_id = id.starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'));
        if self.method? != "tools/call"
            || !has_valid_id
            || name.is_empty()
            || !arguments.starts_with('{')
        {
            return None;
        }
        let call = ToolCall {
            name: body.part(name),
            arguments: body.part(arguments),
            tool_use_id: self.tool_use_id.map(|id| body.part(id)),
            progress_token: self.progress_token.map(|token| body.part(token)),
        };
        Some((body.part(id), body.part(self.params?), call))
    }
}

fn malformed(subtype: Text, reason: &'static str) -> RequestKind {
    RequestKind::Malformed { subtype, reason }
}
