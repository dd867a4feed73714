use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, Content};

/// A document: a PDF, plain text, or content blocks of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct DocumentBlock {
    /// Where the document is.
    pub source: DocumentSource,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the model should know about the document besides its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether the model may cite it, as the API wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Value>,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

impl DocumentBlock {
    /// A PDF whose bytes travel in the message, encoded as base64.
    #[must_use]
    pub fn pdf(data: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Base64(Base64Document {
            media_type: "application/pdf".to_owned(),
            data: data.into(),
        }))
    }

    /// Plain text.
    #[must_use]
    pub fn plain_text(text: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Text(TextDocument {
            media_type: Some("text/plain".to_owned()),
            data: text.into(),
        }))
    }

    /// A document made of blocks of text and images.
    #[must_use]
    pub fn content(content: impl Into<Content>) -> Self {
        Self::from_source(DocumentSource::Content(ContentDocument {
            content: content.into(),
        }))
    }

    /// A PDF that the API fetches by itself.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Url(UrlDocument { url: url.into() }))
    }

    /// A document that was uploaded to the API before.
    #[must_use]
    pub fn file(file_id: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::File(FileDocument {
            file_id: file_id.into(),
        }))
    }

    /// Gives the document a title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Tells the model something about the document.
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

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DocumentSource {
    /// In the message, as a PDF.
    Base64(Base64Document),
    /// In the message, as plain text.
    Text(TextDocument),
    /// In the message, as content blocks.
    Content(ContentDocument),
    /// On the web.
    Url(UrlDocument),
    /// Among the files at the API.
    File(FileDocument),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A PDF inside of the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Base64Document {
    /// The media type: `application/pdf`.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

/// Plain text inside of the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextDocument {
    /// The media type: `text/plain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The text.
    pub data: String,
}

/// A document made of content blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ContentDocument {
    /// The content.
    pub content: Content,
}

/// A document on the web.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct UrlDocument {
    /// The address.
    pub url: String,
}

/// A document among the files at the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FileDocument {
    /// The id of the file.
    pub file_id: String,
}
