use super::{
    AdvisorToolResultBlock, BashCodeExecutionToolResultBlock, CodeExecutionToolResultBlock,
    CompactionBlock, ContainerUploadBlock, DocumentBlock, FallbackBlock, ImageBlock,
    McpToolListingBlock, McpToolResultBlock, McpToolUseBlock, RedactedThinkingBlock,
    SearchResultBlock, ServerToolUseBlock, TextBlock, TextEditorCodeExecutionToolResultBlock,
    ThinkingBlock, ToolReferenceBlock, ToolResultBlock, ToolSearchToolResultBlock, ToolUseBlock,
    WebFetchToolResultBlock, WebSearchToolResultBlock,
};
use crate::open::open_union;

open_union! {
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
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextBlock) = "text",
        /// The model's reasoning, in the clear.
        Thinking(ThinkingBlock) = "thinking",
        /// The model's reasoning, encrypted.
        RedactedThinking(RedactedThinkingBlock) = "redacted_thinking",
        /// A call of a tool that the CLI or the host runs.
        ToolUse(ToolUseBlock) = "tool_use",
        /// What such a call returned.
        ToolResult(ToolResultBlock) = "tool_result",
        /// A tool named by a search for tools.
        ToolReference(ToolReferenceBlock) = "tool_reference",
        /// An image.
        Image(ImageBlock) = "image",
        /// A document.
        Document(Box<DocumentBlock>) = "document",
        /// A passage that a search found, to be cited.
        SearchResult(Box<SearchResultBlock>) = "search_result",
        /// A call of a tool that runs at the API.
        ServerToolUse(ServerToolUseBlock) = "server_tool_use",
        /// What the API's web search found.
        WebSearchToolResult(WebSearchToolResultBlock) = "web_search_tool_result",
        /// What the API's web fetch read.
        WebFetchToolResult(Box<WebFetchToolResultBlock>) = "web_fetch_tool_result",
        /// What the advisor model said.
        AdvisorToolResult(Box<AdvisorToolResultBlock>) = "advisor_tool_result",
        /// What code that ran at the API returned.
        CodeExecutionToolResult(CodeExecutionToolResultBlock) = "code_execution_tool_result",
        /// What a shell command that ran at the API returned.
        BashCodeExecutionToolResult(BashCodeExecutionToolResultBlock)
            = "bash_code_execution_tool_result",
        /// What a file edit that ran at the API returned.
        TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResultBlock)
            = "text_editor_code_execution_tool_result",
        /// Which tools the API's search for tools found.
        ToolSearchToolResult(ToolSearchToolResultBlock) = "tool_search_tool_result",
        /// A call of an MCP tool that the API itself makes.
        McpToolUse(McpToolUseBlock) = "mcp_tool_use",
        /// What such a call returned.
        McpToolResult(McpToolResultBlock) = "mcp_tool_result",
        /// The tools of an MCP server that the API is connected to.
        McpToolListing(McpToolListingBlock) = "mcp_tool_listing",
        /// A file for the API's code container.
        ContainerUpload(ContainerUploadBlock) = "container_upload",
        /// A summary that stands for an earlier part of the conversation.
        Compaction(Box<CompactionBlock>) = "compaction",
        /// The point where another model took over.
        Fallback(Box<FallbackBlock>) = "fallback",
    }
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
