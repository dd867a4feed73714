use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::open::decode;

/// A control request that the host sends to the CLI.
///
/// Implement this trait to send a subtype that [`outgoing`](super::outgoing) does not have: name the subtype and the
/// type of the reply. The implementing type must serialize to an object with the members of the request, without the
/// subtype.
pub trait ControlRequest: Serialize {
    /// The value of `subtype` on the wire.
    const SUBTYPE: &'static str;

    /// The type of the payload of a successful reply. [`serde_json::Value`] accepts any payload.
    type Reply: DeserializeOwned;

    /// Decodes the payload of a successful reply.
    ///
    /// The CLI answers many requests without a payload. A missing payload is decoded as an empty object, or as `null`
    /// if an empty object does not fit the type.
    ///
    /// # Errors
    /// If the payload does not fit [`Reply`](Self::Reply).
    fn reply(payload: Option<&str>) -> Result<Self::Reply, serde_json::Error> {
        match payload.filter(|text| text.trim() != "null") {
            Some(payload) => decode(payload),
            None => decode("{}").or_else(|error| decode("null").map_err(|_| error)),
        }
    }
}

/// Encodes the `request` object of a control request as JSON text: the subtype, then the members.
///
/// # Errors
/// If the request cannot be serialized, or does not serialize to an object.
pub fn encode<R: ControlRequest>(request: &R) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Tagged<'a, R> {
        subtype: &'static str,
        #[serde(flatten)]
        request: &'a R,
    }

    serde_json::to_string(&Tagged {
        subtype: R::SUBTYPE,
        request,
    })
}
