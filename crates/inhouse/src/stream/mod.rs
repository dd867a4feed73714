//! Reading the messages of a session.

mod backlog;
mod message_stream;
mod turn_position;

pub use self::message_stream::MessageStream;

pub(crate) use self::backlog::{Item, Receiver, Sender, backlog};
pub(crate) use self::message_stream::Read;
pub(crate) use self::turn_position::TurnPosition;
