//! A scripted model: an HTTP server on the loopback interface with the part of the Messages API that the CLI uses.
//!
//! A test gives [`ScriptedModel`] its turns, starts the CLI with [`base_url`](ScriptedModel::base_url), and afterwards checks the
//! recorded requests.
//!
//! # Which request gets which answer
//!
//! | request | answer |
//! |---|---|
//! | `HEAD /` | 200, empty: the CLI checks whether the API is reachable (seen with 2.1.197) |
//! | `POST /v1/messages/count_tokens` | a count estimated from the size of the body |
//! | `POST /v1/messages` that a [`once`](ScriptedModel::once) or [`when`](ScriptedModel::when) rule accepts | the answer of that rule |
//! | `POST /v1/messages` without tools and with structured output (`output_config.format`) | the smallest JSON that fits the schema; the CLI requests a session title so |
//! | every other `POST /v1/messages` | **the next turn of the script** |
//! | anything else | 404, and it is listed in [`unexpected`](ScriptedModel::unexpected) |
//!
//! So a request belongs to the script unless it is one of the few that the CLI makes for itself;
//! [`ModelRequest::kind`] returns the classification. Three kinds of request look like the main loop, offer the same tools,
//! and therefore take a turn of the script too:
//!
//! - the summary of a compaction: answer it with a text in `<summary>` tags, or 2.1.325 may repeat the request. `/compact` after
//!   two prompts causes one; so do `CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000` in the environment of the CLI and two turns that
//!   report [190,000 tokens](Usage), before the third prompt is answered;
//! - the turns of subagents: give them their own answers with [`once`](ScriptedModel::once), selected by
//!   [`agent_id`](ModelRequest::agent_id);
//! - the retries after an error, a disconnect or a stall, which may have `"stream": false`.
//!
//! # What a script can do
//!
//! | to | use |
//! |---|---|
//! | answer in sequence, or by what the model is sent | [`turn`](ScriptedModel::turn); [`once`](ScriptedModel::once), [`when`](ScriptedModel::when), [`otherwise`](ScriptedModel::otherwise) |
//! | script several conversations at once | rules that select them, such as by their first message or their [`agent_id`](ModelRequest::agent_id) |
//! | call several tools in one message | [`Turn::tool_use`], more than once |
//! | think, report tokens and cached tokens | [`Turn::thinking`]; [`Turn::usage`] |
//! | choose in how many pieces a block is streamed | [`Turn::pieces`] |
//! | fail, stall, cut the connection | [`Turn::error`], [`Turn::fail`]; [`Turn::stall`]; [`Turn::disconnect`] |
//! | see that the script and the conversation fit | [`assert_done`](ScriptedModel::assert_done), which lists the requests without an answer and the answers without a request |
//!
//! # How it works
//!
//! One task accepts connections, one task serves each connection, and one task per streamed answer writes the response body
//! through a channel. Choosing an answer and recording the request happen under one lock, so the answer of a recorded request
//! is already chosen. A client that disconnects closes the channel, which ends the writing task.

mod answer;
mod api_error;
mod default_answers;
mod player;
mod request;
pub(crate) mod script;
mod scripted;
mod server;
pub(crate) mod sse;
pub(crate) mod turn;
mod usage;

pub use answer::Answer;
pub use api_error::ApiError;
pub use request::{ModelRequest, RequestKind, ToolResult};
pub use scripted::{ScriptedModel, WaitTimeout};
pub use turn::Turn;
pub use usage::Usage;
