//! A model that says what the test tells it to say.
//!
//! [`ScriptedModel`] is an HTTP server on the loopback interface that speaks the part of the Messages API that the
//! CLI uses. A test gives it turns, points the CLI at [`base_url`](ScriptedModel::base_url), and afterwards asks what
//! the model was asked.
//!
//! # Which request gets which answer
//!
//! | request | answer |
//! |---|---|
//! | `HEAD /` | 200, empty: the CLI asks whether the API is reachable (seen with 2.1.197) |
//! | `POST /v1/messages/count_tokens` | a count estimated from the size of the body |
//! | `POST /v1/messages` that a [`once`](ScriptedModel::once) or [`when`](ScriptedModel::when) rule accepts | the answer of that rule |
//! | `POST /v1/messages` without tools that asks for structured output (`output_config.format`) | the smallest JSON that fits the schema: this is how the CLI asks for a session title |
//! | every other `POST /v1/messages` | **the next turn of the script** |
//! | anything else | 404, and it is listed in [`unexpected`](ScriptedModel::unexpected) |
//!
//! So a request belongs to the script unless it is one of the few that the CLI makes for its own purposes, and
//! [`ModelRequest::kind`] tells how it was classed. Three sorts of request look like the main loop, offer the same
//! tools, and therefore take a turn of the script too:
//!
//! - the summary of a compaction: answer it with a text in `<summary>` tags, or 2.1.325 may ask again. `/compact` after two
//!   prompts provokes one; so do `CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000` in the environment of the CLI and two turns that
//!   report [190,000 tokens](Usage), before the third prompt is answered;
//! - the turns of subagents: give them their own answers with [`once`](ScriptedModel::once), told apart by
//!   [`agent_id`](ModelRequest::agent_id);
//! - the retries after an error, a hang-up or a stall, which may come with `"stream": false`.
//!
//! # How it works
//!
//! One task accepts connections, one task serves each connection, and a streamed answer is written by a small player
//! task that feeds the response body through a channel. Choosing an answer and recording the request happen in one
//! short critical section, never across an await, so a test that has seen a request knows that its answer is chosen.
//! A client that goes away closes the channel, which ends the player: nothing panics and nothing is left behind.

mod answer;
mod api_error;
mod body;
mod player;
mod request;
mod request_kind;
mod script;
mod scripted;
mod server;
mod side_answer;
mod sse;
mod turn;
mod usage;
mod wait;

pub use answer::Answer;
pub use api_error::ApiError;
pub use request::{ModelRequest, ToolResult};
pub use request_kind::RequestKind;
pub use scripted::ScriptedModel;
pub use turn::Turn;
pub use usage::Usage;
pub use wait::NothingCame;
