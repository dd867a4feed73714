use serde_json::Value;

use super::{CacheControl, Content};
use crate::open::{Extra, open_struct, open_union};

open_struct! {
    /// A document: a PDF, plain text, or content blocks of its own.
    pub struct DocumentBlock ["type" = "document"] {
        /// Where the document is.
        pub source: DocumentSource,
        /// Its title.
        pub title: Option<String>,
        /// What the model should know about the document besides its text.
        pub context: Option<String>,
        /// Whether the model may cite it, as the API wants it.
        pub citations: Option<Value>,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

impl DocumentBlock {
    /// A PDF whose bytes travel in the message, encoded as base64.
    #[must_use]
    pub fn pdf(data: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Base64(Base64Document {
            media_type: "application/pdf".to_owned(),
            data: data.into(),
            extra: Extra::default(),
        }))
    }

    /// Plain text.
    #[must_use]
    pub fn plain_text(text: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Text(TextDocument {
            media_type: Some("text/plain".to_owned()),
            data: text.into(),
            extra: Extra::default(),
        }))
    }

    /// A document made of blocks of text and images.
    #[must_use]
    pub fn content(content: impl Into<Content>) -> Self {
        Self::from_source(DocumentSource::Content(ContentDocument {
            content: content.into(),
            extra: Extra::default(),
        }))
    }

    /// A PDF that the API fetches by itself.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::Url(UrlDocument {
            url: url.into(),
            extra: Extra::default(),
        }))
    }

    /// A document that was uploaded to the API before.
    #[must_use]
    pub fn file(file_id: impl Into<String>) -> Self {
        Self::from_source(DocumentSource::File(FileDocument {
            file_id: file_id.into(),
            extra: Extra::default(),
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
            extra: Extra::default(),
        }
    }
}

open_union! {
    /// Where a document is.
    pub enum DocumentSource by "type" {
        /// In the message, as a PDF.
        Base64(Base64Document) = "base64",
        /// In the message, as plain text.
        Text(TextDocument) = "text",
        /// In the message, as content blocks.
        Content(ContentDocument) = "content",
        /// On the web.
        Url(UrlDocument) = "url",
        /// Among the files at the API.
        File(FileDocument) = "file",
    }
}

open_struct! {
    /// A PDF inside of the message.
    pub struct Base64Document ["type" = "base64"] {
        /// The media type: `application/pdf`.
        pub media_type: String,
        /// The bytes in base64.
        pub data: String,
    }
}

open_struct! {
    /// Plain text inside of the message.
    pub struct TextDocument ["type" = "text"] {
        /// The media type: `text/plain`.
        pub media_type: Option<String>,
        /// The text.
        pub data: String,
    }
}

open_struct! {
    /// A document made of content blocks.
    pub struct ContentDocument ["type" = "content"] {
        /// The content.
        pub content: Content,
    }
}

open_struct! {
    /// A document on the web.
    pub struct UrlDocument ["type" = "url"] {
        /// The address.
        pub url: String,
    }
}

open_struct! {
    /// A document among the files at the API.
    pub struct FileDocument ["type" = "file"] {
        /// The id of the file.
        pub file_id: String,
    }
}
