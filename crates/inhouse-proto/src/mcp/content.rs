use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One piece of what a tool returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(TextContent),
    /// A picture. The model sees it.
    Image(ImageContent),
    /// Sound. The CLI saves it to a file and tells the model where.
    Audio(AudioContent),
    /// A resource, with what it holds.
    Resource(EmbeddedResource),
    /// A resource, by its address.
    ResourceLink(ResourceLink),
    /// A value that this version cannot type.
    #[serde(untagged)]
    Unknown(Value),
}

/// Text of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// For whom it is, and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// Whatever else the two sides have agreed on.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// A picture of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImageContent {
    /// The picture in base64.
    pub data: String,
    /// What kind of picture, such as `image/png`.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// For whom it is, and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// Whatever else the two sides have agreed on.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// Sound of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AudioContent {
    /// The sound in base64.
    pub data: String,
    /// What kind of sound, such as `audio/wav`.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// For whom it is, and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// Whatever else the two sides have agreed on.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// A resource with what it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The resource.
    pub resource: ResourceContents,
    /// For whom it is, and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// Whatever else the two sides have agreed on.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// What a resource holds: text, or bytes in base64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// What kind of thing it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// The address of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceLink {
    /// The address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What kind of thing it is.
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// For whom it is, and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// Whatever else the two sides have agreed on.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

impl Content {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent {
            text: text.into(),
            annotations: None,
            meta: None,
        })
    }

    /// A picture, given in base64.
    #[must_use]
    pub fn image(mime_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Image(ImageContent {
            data: base64.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// Sound, given in base64.
    #[must_use]
    pub fn audio(mime_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Audio(AudioContent {
            data: base64.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// A resource that is text.
    #[must_use]
    pub fn resource_text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::embedded(uri.into(), Some(text.into()), None, None)
    }

    /// A resource that is bytes, given in base64.
    #[must_use]
    pub fn resource_blob(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        base64: impl Into<String>,
    ) -> Self {
        Self::embedded(
            uri.into(),
            None,
            Some(base64.into()),
            Some(mime_type.into()),
        )
    }

    /// The address of a resource.
    #[must_use]
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink(ResourceLink {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: None,
        })
    }

    fn embedded(
        uri: String,
        text: Option<String>,
        blob: Option<String>,
        mime_type: Option<String>,
    ) -> Self {
        Self::Resource(EmbeddedResource {
            resource: ResourceContents {
                uri,
                mime_type,
                text,
                blob,
            },
            annotations: None,
            meta: None,
        })
    }
}

impl TextContent {
    /// Whether it is its text and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.annotations.is_none() && self.meta.is_none()
    }
}
