#![doc = include_str!("guide.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod endpoint;
mod payload;
mod serve;
mod session;
mod turn;
mod work;

pub use self::endpoint::{Endpoint, control, endpoint};
pub use self::payload::{AnswerRequest, Enqueued, Prompt, SessionStatus, WorkState, WorkStatus};
