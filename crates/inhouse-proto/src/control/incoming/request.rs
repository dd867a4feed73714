use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::HookCallback;
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
    /// `mcp_message` with `tools/call`: a call to a tool of an MCP server in the host process.
    ///
    /// The answer is `{"mcp_response": …}` with the server's response.
    ToolCall {
        /// The key under which the host registered the server.
        server_name: Text,
        /// The JSON-RPC id, as JSON text.
        id: Text,
        /// The parameters of `tools/call`, as JSON text.
        params: Text,
        /// The decoded parameters.
        call: Box<ToolCall>,
    },
    /// `mcp_message`: any other JSON-RPC message for an MCP server in the host process.
    ///
    /// Messages without a response (notifications, and responses to requests of the server) must be acknowledged too,
    /// because the CLI waits for an answer to each of them.
    Mcp {
        /// The key under which the host registered the server.
        server_name: Text,
        /// The JSON-RPC message, as JSON text.
        message: Text,
    },
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
        let mut members = RequestMembers::default();
        let kind = match members.read(&mut Scanner::new(&body)) {
            Some(()) => members.kind(&body),
            None => malformed(Text::default(), NOT_AN_OBJECT),
        };
        Self { body, kind }
    }

    /// Takes a request out of its line, whose members are known; `None` if the line has no request.
    pub(crate) fn of_line(line: &Text, members: &RequestMembers<'_>) -> Option<Self> {
        let body = line.part(members.text?);
        let kind = members.kind(line);
        Some(Self { body, kind })
    }

    /// Returns the subtype as it is on the wire; empty if there is none.
    #[must_use]
    pub fn subtype(&self) -> &str {
        match &self.kind {
            RequestKind::ToolCall { .. } | RequestKind::Mcp { .. } => "mcp_message",
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

/// The members of a request that select its handler: strings, and other values as JSON text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestMembers<'a> {
    /// The whole request; `None` if there is none or if it is `null`.
    text: Option<&'a str>,
    subtype: Option<Cow<'a, str>>,
    callback_id: Option<Cow<'a, str>>,
    input: Option<&'a str>,
    tool_use_id: Option<Cow<'a, str>>,
    server_name: Option<Cow<'a, str>>,
    message: Option<&'a str>,
    rpc: RpcMembers<'a>,
}

impl<'a> RequestMembers<'a> {
    /// Reads the members while the scanner passes the request.
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        // The last of two requests in one line counts.
        *self = Self::default();
        if scanner.peek()? != b'{' {
            self.text = scanner.optional()?;
            return Some(());
        }
        let text = scanner.object(|scanner, name| {
            match name {
                "subtype" => self.subtype = scanner.text()?,
                "callback_id" => self.callback_id = scanner.text()?,
                "input" => self.input = Some(scanner.value()?),
                "tool_use_id" => self.tool_use_id = scanner.text()?,
                "server_name" => self.server_name = scanner.text()?,
                "message" if scanner.peek()? == b'{' => {
                    self.message = Some(self.rpc.read(scanner)?);
                }
                "message" => self.message = Some(scanner.value()?),
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        self.text = Some(text);
        Some(())
    }

    fn kind(&self, line: &Text) -> RequestKind {
        let Some(subtype) = self.subtype.as_deref() else {
            let is_object = self.text.is_some_and(|text| text.starts_with('{'));
            let reason = match is_object {
                true => "`subtype` is missing",
                false => NOT_AN_OBJECT,
            };
            return malformed(Text::default(), reason);
        };
        match subtype {
            "can_use_tool" => RequestKind::CanUseTool,
            "elicitation" => RequestKind::Elicitation,
            "request_user_dialog" => RequestKind::UserDialog,
            "hook_callback" => {
                let (Some(callback_id), Some(input)) = (&self.callback_id, self.input) else {
                    return malformed(line.part(subtype), "`callback_id` or `input` is missing");
                };
                RequestKind::Hook(HookCallback {
                    callback_id: line.part(&**callback_id),
                    input: line.part(input),
                    tool_use_id: string(&self.tool_use_id, line),
                })
            }
            "mcp_message" => {
                let (Some(server_name), Some(message)) =
                    (string(&self.server_name, line), self.message)
                else {
                    return malformed(line.part(subtype), "`server_name` or `message` is missing");
                };
                match self.rpc.call(line) {
                    Some((id, params, call)) => RequestKind::ToolCall {
                        server_name,
                        id,
                        params,
                        call: Box::new(call),
                    },
                    None => RequestKind::Mcp {
                        server_name,
                        message: line.part(message),
                    },
                }
            }
            _ => RequestKind::Other {
                subtype: line.part(subtype),
            },
        }
    }
}

/// The members of a JSON-RPC message that are needed to recognize and decode a tool call.
#[derive(Debug, Default, PartialEq, Eq)]
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
    /// Reads the members while the scanner passes the message; returns the text of the message.
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<&'a str> {
        scanner.object(|scanner, name| {
            match name {
                "id" => self.id = scanner.optional()?,
                "method" => self.method = scanner.text()?,
                "params" if scanner.peek()? == b'{' => {
                    self.params = Some(self.read_params(scanner)?);
                }
                _ => drop(scanner.value()?),
            }
            Some(())
        })
    }

    fn read_params(&mut self, scanner: &mut Scanner<'a>) -> Option<&'a str> {
        scanner.object(|scanner, name| {
            match name {
                "name" => self.name = scanner.text()?,
                "arguments" => self.arguments = scanner.optional()?,
                "_meta" if scanner.peek()? == b'{' => drop(self.read_meta(scanner)?),
                _ => drop(scanner.value()?),
            }
            Some(())
        })
    }

    fn read_meta(&mut self, scanner: &mut Scanner<'a>) -> Option<&'a str> {
        scanner.object(|scanner, name| {
            match name {
                "claudecode/toolUseId" => self.tool_use_id = scanner.text()?,
                "progressToken" => self.progress_token = scanner.optional()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        })
    }

    /// Returns the id, the parameters and the call; `None` for any other message.
    ///
    /// Also returns `None` for an invalid call: the server decodes it again and reports the error.
    fn call(&self, line: &Text) -> Option<(Text, Text, ToolCall)> {
        let (id, params) = (self.id?, self.params?);
        // The id of a request is a string or a number.
        let is_id = matches!(id.as_bytes()[0], b'"' | b'-' | b'0'..=b'9');
        let name = self.name.as_deref()?;
        let arguments = self.arguments.unwrap_or(ToolCall::NO_ARGUMENTS);
        let is_call = is_id
            && self.method.as_deref() == Some("tools/call")
            && !name.is_empty()
            && arguments.starts_with('{');
        is_call.then(|| {
            let call = ToolCall {
                name: line.part(name),
                arguments: line.part(arguments),
                tool_use_id: string(&self.tool_use_id, line),
                progress_token: self.progress_token.map(|token| line.part(token)),
            };
            (line.part(id), line.part(params), call)
        })
    }
}

/// Returns the text of a string as a part of its line.
fn string(member: &Option<Cow<'_, str>>, line: &Text) -> Option<Text> {
    member.as_deref().map(|text| line.part(text))
}

fn malformed(subtype: Text, reason: &'static str) -> RequestKind {
    RequestKind::Malformed { subtype, reason }
}
