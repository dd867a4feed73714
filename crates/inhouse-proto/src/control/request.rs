use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

use crate::open::{self, Open};

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
        match payload {
            Some(payload) => serde_json::from_str(payload),
            None => serde_json::from_str("{}")
                .or_else(|error| serde_json::from_str("null").map_err(|_| error)),
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

/// Types the payload of an open reply: fast, and patiently if that fails.
pub(super) fn open_reply<T: Open>(payload: Option<&str>) -> Result<T, serde_json::Error> {
    let payload = payload.filter(|text| text.trim() != "null").unwrap_or("{}");
    open::decode(payload).map_err(serde_json::Error::custom)
}
