use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, MessageContent};

/// A document: a PDF, plain text, or content blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct DocumentBlock {
    /// The location of the document.
    pub source: DocumentSource,
    /// Title of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Information about the document for the model, in addition to its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether the model may cite the document, in the API's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Value>,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

impl DocumentBlock {
    /// Creates a PDF document from bytes that are encoded as base64 and contained in the message.
    #[must_use]
    pub fn pdf(data: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Base64(Base64Document {
            media_type: "application/pdf".to_owned(),
            data: data.into(),
        }))
    }

    /// Creates a document from plain text.
    #[must_use]
    pub fn plain_text(text: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Text(TextDocument {
            media_type: Some("text/plain".to_owned()),
            data: text.into(),
        }))
    }

    /// Creates a document from blocks of text and images.
    #[must_use]
    pub fn content(content: impl Into<MessageContent>) -> Self {
        Self::from_source(DocumentSource::Content(ContentDocument {
            content: content.into(),
        }))
    }

    /// Creates a PDF document that the API fetches from a URL.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Url(UrlDocument { url: url.into() }))
    }

    /// Creates a document from a file that was uploaded to the API before.
    #[must_use]
    pub fn file(file_id: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::File(FileDocument {
            file_id: file_id.into(),
        }))
    }

    /// Sets the title of the document.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets information about the document for the model.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    fn from_source(source: DocumentSource) -> Self {
        Self {
            source,
            title: None,
            context: None,
            citations: None,
            cache_control: None,
        }
    }
}

/// The location of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DocumentSource {
    /// A PDF that is contained in the message.
    Base64(Base64Document),
    /// Plain text that is contained in the message.
    Text(TextDocument),
    /// Content blocks that are contained in the message.
    Content(ContentDocument),
    /// A document that the API fetches from a URL.
    Url(UrlDocument),
    /// A file that was uploaded to the API.
    File(FileDocument),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A PDF that is contained in the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Base64Document {
    /// Media type of the document, `application/pdf`.
    pub media_type: String,
    /// The bytes, encoded as base64.
    pub data: String,
}

/// Plain text that is contained in the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextDocument {
    /// Media type of the document, `text/plain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Text of the document.
    pub data: String,
}

/// A document that consists of content blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ContentDocument {
    /// The content of the document.
    pub content: MessageContent,
}

/// A document that the API fetches from a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct UrlDocument {
    /// URL of the document.
    pub url: String,
}

/// A document that was uploaded to the API as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FileDocument {
    /// The id of the file.
    pub file_id: String,
}
