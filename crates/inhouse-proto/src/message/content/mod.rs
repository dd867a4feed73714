//! Content blocks: the elements of the `content` list of an assistant or user message.
//!
//! One enum, [`ContentBlock`], is used in both directions. The model writes text, thinking, tool calls and the results
//! of tools that run at the API. The user side writes text, images, documents and the results of tools that run in the
//! CLI. A block of an unknown kind keeps its position in the list as [`ContentBlock::Unknown`].

mod advisor;
mod block;
mod body;
mod cache_control;
mod compaction;
mod document;
mod fallback;
mod image;
mod mcp;
mod search_result;
mod server_tool;
mod text;
mod thinking;
mod tool;
mod web_fetch;
mod web_search;

pub use self::advisor::{
    AdvisorContent, AdvisorRedactedResult, AdvisorResult, AdvisorToolResultBlock,
    AdvisorToolResultError,
};
pub use self::block::ContentBlock;
pub use self::body::MessageContent;
pub(super) use self::body::text_of;
pub use self::cache_control::{CacheControl, CacheKind, CacheTtl};
pub use self::compaction::CompactionBlock;
pub use self::document::{
    Base64Document, ContentDocument, DocumentBlock, DocumentSource, FileDocument, TextDocument,
    UrlDocument,
};
pub use self::fallback::{FallbackBlock, FallbackModel, FallbackTrigger};
pub use self::image::{Base64Image, FileImage, ImageBlock, ImageSource, UrlImage};
pub use self::mcp::{McpListedTool, McpToolListingBlock, McpToolResultBlock, McpToolUseBlock};
pub use self::search_result::SearchResultBlock;
pub use self::server_tool::{
    BashCodeExecutionToolResultBlock, CodeExecutionToolResultBlock, ContainerUploadBlock,
    ServerToolName, ServerToolUseBlock, TextEditorCodeExecutionToolResultBlock,
    ToolSearchToolResultBlock,
};
pub use self::text::TextBlock;
pub use self::thinking::{RedactedThinkingBlock, ThinkingBlock};
pub use self::tool::{Caller, CallerKind, ToolReferenceBlock, ToolResultBlock, ToolUseBlock};
pub use self::web_fetch::{
    WebFetchContent, WebFetchResult, WebFetchToolResultBlock, WebFetchToolResultError,
};
pub use self::web_search::{
    WebSearchContent, WebSearchResult, WebSearchToolResultBlock, WebSearchToolResultError,
};
