//! Output of hooks: the type, its capabilities per event, and its encoding.

mod capability;
mod hook_output;
mod members;
mod single_event;

pub use self::capability::{
    AddsContext, Blocks, ChangesInput, Decides, DecisionForm, HasSpecificOutput, HidesPrompt,
    Passes, Stops, WatchesFiles,
};
pub use self::hook_output::HookOutput;
