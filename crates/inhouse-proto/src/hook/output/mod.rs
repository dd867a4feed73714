//! Output of hooks: the type and its encoding.

mod hook_output;
mod members;
mod single_event;

pub use self::hook_output::HookOutput;
