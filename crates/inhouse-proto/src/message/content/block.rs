use super::{
    AdvisorToolResultBlock, BashCodeExecutionToolResultBlock, CodeExecutionToolResultBlock,
    CompactionBlock, ContainerUploadBlock, DocumentBlock, FallbackBlock, ImageBlock,
    McpToolListingBlock, McpToolResultBlock, McpToolUseBlock, RedactedThinkingBlock,
    SearchResultBlock, ServerToolUseBlock, TextBlock, TextEditorCodeExecutionToolResultBlock,
    ThinkingBlock, ToolReferenceBlock, ToolResultBlock, ToolSearchToolResultBlock, ToolUseBlock,
    WebFetchToolResultBlock, WebSearchToolResultBlock,
};
use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// A part of a message: text, an image, a tool call, a tool result, and so on.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::message::{ContentBlock, ImageBlock};
///
/// let blocks = vec![
///     ContentBlock::text("What is in this picture?"),
///     ImageBlock::url("https://example.com/cat.png").into(),
/// ];
/// assert_eq!(blocks[0].as_text(), Some("What is in this picture?"));
/// assert_eq!(blocks[1].tag(), "image");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// A block of text.
    Text(TextBlock),
    /// The model's reasoning as plain text.
    Thinking(ThinkingBlock),
    /// The model's reasoning in encrypted form.
    RedactedThinking(RedactedThinkingBlock),
    /// A call of a tool that the CLI or the host runs.
    ToolUse(ToolUseBlock),
    /// The result of a tool that the CLI or the host ran.
    ToolResult(ToolResultBlock),
    /// A tool that a tool search found.
    ToolReference(ToolReferenceBlock),
    /// An image for the model.
    Image(ImageBlock),
    /// A document for the model.
    Document(Box<DocumentBlock>),
    /// A passage from the host's own search, which the model can cite.
    SearchResult(Box<SearchResultBlock>),
    /// A call of a tool that runs at the API.
    ServerToolUse(ServerToolUseBlock),
    /// The result of the API's web search.
    WebSearchToolResult(WebSearchToolResultBlock),
    /// The result of the API's web fetch.
    WebFetchToolResult(Box<WebFetchToolResultBlock>),
    /// The answer of the advisor model.
    AdvisorToolResult(Box<AdvisorToolResultBlock>),
    /// The result of code that ran at the API.
    CodeExecutionToolResult(CodeExecutionToolResultBlock),
    /// The result of a shell command that ran at the API.
    BashCodeExecutionToolResult(BashCodeExecutionToolResultBlock),
    /// The result of a file edit that ran at the API.
    TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResultBlock),
    /// The tools that the API's tool search found.
    ToolSearchToolResult(ToolSearchToolResultBlock),
    /// A call of an MCP tool that the API makes itself.
    McpToolUse(McpToolUseBlock),
    /// The result of an MCP tool that the API called.
    McpToolResult(McpToolResultBlock),
    /// The tools of an MCP server that the API is connected to.
    McpToolListing(McpToolListingBlock),
    /// A file for the API's code container.
    ContainerUpload(ContainerUploadBlock),
    /// A summary that replaces an earlier part of the conversation.
    Compaction(Box<CompactionBlock>),
    /// The point at which another model took over.
    Fallback(Box<FallbackBlock>),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

impl ContentBlock {
    /// Creates a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock::new(text))
    }

    /// Returns the text, if this is a block of text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// Returns the tool call, if this is one that the CLI or the host runs.
    #[must_use]
    pub fn as_tool_use(&self) -> Option<&ToolUseBlock> {
        match self {
            Self::ToolUse(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the tool result, if this is one from the CLI or the host.
    #[must_use]
    pub fn as_tool_result(&self) -> Option<&ToolResultBlock> {
        match self {
            Self::ToolResult(block) => Some(block),
            _ => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<DocumentBlock> for ContentBlock {
    fn from(document: DocumentBlock) -> Self {
        Self::Document(Box::new(document))
    }
}
