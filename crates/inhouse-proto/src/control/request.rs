use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::open::decode;

/// A request that the host makes of the CLI.
///
/// Implement it for a request of your own to send a subtype that [`outgoing`](super::outgoing) does
/// not have: the subtype and the type of the reply are all it takes. The type serializes to the
/// request's members, without the subtype.
pub trait ControlRequest: Serialize {
    /// What the wire calls the request.
    const SUBTYPE: &'static str;

    /// What the CLI answers; [`serde_json::Value`] will always do.
    type Reply: DeserializeOwned;

    /// Types the payload of a success.
    ///
    /// Many requests are answered without a payload. It is then read as an empty object, or as
    /// `null` if the reply cannot be an object.
    ///
    /// # Errors
    /// When the payload has another shape than the reply.
    fn reply(payload: Option<&str>) -> Result<Self::Reply, serde_json::Error> {
        match payload.filter(|text| text.trim() != "null") {
            Some(payload) => decode(payload),
            None => decode("{}").or_else(|error| decode("null").map_err(|_| error)),
        }
    }
}

/// The `request` object of a control request as JSON: its subtype, then its members.
///
/// # Errors
/// When the request cannot be serialized, or to something else than an object.
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
