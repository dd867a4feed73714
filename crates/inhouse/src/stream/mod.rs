//! Reading a conversation.

mod backlog;
mod message_stream;

pub use self::message_stream::MessageStream;

pub(crate) use self::backlog::{Item, Receiver, Sender, backlog};
