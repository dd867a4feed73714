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

/// One piece of a message: text, an image, a tool call, its result, and so on.
///
/// ```
/// use inhouse_proto::message::{ContentBlock, ImageBlock};
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
    /// Text.
    Text(TextBlock),
    /// The model's reasoning, in the clear.
    Thinking(ThinkingBlock),
    /// The model's reasoning, encrypted.
    RedactedThinking(RedactedThinkingBlock),
    /// A call of a tool that the CLI or the host runs.
    ToolUse(ToolUseBlock),
    /// What such a call returned.
    ToolResult(ToolResultBlock),
    /// A tool named by a search for tools.
    ToolReference(ToolReferenceBlock),
    /// An image.
    Image(ImageBlock),
    /// A document.
    Document(Box<DocumentBlock>),
    /// A passage that a search found, to be cited.
    SearchResult(Box<SearchResultBlock>),
    /// A call of a tool that runs at the API.
    ServerToolUse(ServerToolUseBlock),
    /// What the API's web search found.
    WebSearchToolResult(WebSearchToolResultBlock),
    /// What the API's web fetch read.
    WebFetchToolResult(Box<WebFetchToolResultBlock>),
    /// What the advisor model said.
    AdvisorToolResult(Box<AdvisorToolResultBlock>),
    /// What code that ran at the API returned.
    CodeExecutionToolResult(CodeExecutionToolResultBlock),
    /// What a shell command that ran at the API returned.
    BashCodeExecutionToolResult(BashCodeExecutionToolResultBlock),
    /// What a file edit that ran at the API returned.
    TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResultBlock),
    /// Which tools the API's search for tools found.
    ToolSearchToolResult(ToolSearchToolResultBlock),
    /// A call of an MCP tool that the API itself makes.
    McpToolUse(McpToolUseBlock),
    /// What such a call returned.
    McpToolResult(McpToolResultBlock),
    /// The tools of an MCP server that the API is connected to.
    McpToolListing(McpToolListingBlock),
    /// A file for the API's code container.
    ContainerUpload(ContainerUploadBlock),
    /// A summary that stands for an earlier part of the conversation.
    Compaction(Box<CompactionBlock>),
    /// The point where another model took over.
    Fallback(Box<FallbackBlock>),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

impl ContentBlock {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock::new(text))
    }

    /// The text, if this is a block of text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// The tool call, if this is one that the CLI or the host runs.
    #[must_use]
    pub fn as_tool_use(&self) -> Option<&ToolUseBlock> {
        match self {
            Self::ToolUse(block) => Some(block),
            _ => None,
        }
    }

    /// The tool result, if this is one from the CLI or the host.
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
