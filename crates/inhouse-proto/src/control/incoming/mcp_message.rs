use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::shallow::Shallow;
use crate::mcp::{Rpc, RpcError};
use crate::open::{Extra, Mismatch};
use crate::wire::MessageText;

/// A JSON-RPC message for an MCP server in the host's process.
///
/// The answer is `{"mcp_response": …}` with the server's own answer. A message that has none (a
/// notification, or an answer to a request of the server) must be acknowledged all the same: the
/// CLI waits for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpMessage<'a> {
    /// The key under which the server was registered.
    pub server_name: Cow<'a, str>,
    /// The message as JSON text.
    pub message: &'a str,
    /// Members that this version does not name.
    pub extra: Extra,
    /// The members of the message, where they are known.
    pub(crate) members: Option<MessageText<'a>>,
}

impl<'a> McpMessage<'a> {
    pub(super) fn from_members(mut members: Shallow<'a>) -> Result<Self, Mismatch> {
        Ok(Self {
            server_name: members.take_string("server_name")?,
            message: members.take("message")?.get(),
            extra: members.into_extra()?,
            members: None,
        })
    }

    /// The message as JSON-RPC.
    ///
    /// # Errors
    /// As [`Rpc::parse`].
    pub fn rpc(&self) -> Result<Rpc<'a>, (RpcError, Option<&'a str>)> {
        match self.members {
            Some(members) => Rpc::of(members),
            None => Rpc::parse(self.message),
        }
    }
}

impl Serialize for McpMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("subtype", "mcp_message")?;
        map.serialize_entry("server_name", &self.server_name)?;
        let message: &RawValue =
            serde_json::from_str(self.message).map_err(serde::ser::Error::custom)?;
        map.serialize_entry("message", message)?;
        for (name, value) in self.extra.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
