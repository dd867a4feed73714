//! Reading a conversation.

mod backlog;
mod message_stream;
mod place;

pub use self::message_stream::MessageStream;

pub(crate) use self::backlog::{Item, Receiver, Sender, backlog};
pub(crate) use self::message_stream::Read;
pub(crate) use self::place::Place;
