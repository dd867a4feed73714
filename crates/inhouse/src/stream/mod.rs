//! Reading the messages of a session.

mod backlog;
mod message_stream;
mod open_prompts;

pub use self::message_stream::MessageStream;

pub(crate) use self::backlog::{Item, Receiver, Sender, backlog};
pub(crate) use self::message_stream::Read;
pub(crate) use self::open_prompts::{OpenPrompts, TurnPosition};
