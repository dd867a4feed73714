use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A block of content that a tool returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// A text for the model.
    Text(TextContent),
    /// An image, which the CLI passes to the model.
    Image(ImageContent),
    /// Audio data. The CLI saves it to a file and passes the path to the model.
    Audio(AudioContent),
    /// A resource with its contents.
    Resource(EmbeddedResource),
    /// A link to a resource.
    ResourceLink(ResourceLink),
    /// A block of an unknown type or shape, as it was received.
    #[serde(untagged)]
    Unknown(Value),
}

/// A block of text, see [`Content::Text`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextContent {
    /// The text that the model reads.
    pub text: String,
    /// MCP annotations: the audience and the priority of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// MCP metadata (`_meta`), which MCP does not define further.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// An image block, see [`Content::Image`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImageContent {
    /// The image data in base64.
    pub data: String,
    /// The media type of the image, such as `image/png`.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// MCP annotations: the audience and the priority of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// MCP metadata (`_meta`), which MCP does not define further.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// An audio block, see [`Content::Audio`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AudioContent {
    /// The audio data in base64.
    pub data: String,
    /// The media type of the audio data, such as `audio/wav`.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// MCP annotations: the audience and the priority of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// MCP metadata (`_meta`), which MCP does not define further.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// A block with a resource and its contents, see [`Content::Resource`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The resource and its contents.
    pub resource: ResourceContents,
    /// MCP annotations: the audience and the priority of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// MCP metadata (`_meta`), which MCP does not define further.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

/// The contents of a resource: text, or bytes in base64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// The URI of the resource.
    pub uri: String,
    /// The media type of the resource; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text of the resource; `None` if it is binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes of the resource in base64; `None` if it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// A link to a resource, see [`Content::ResourceLink`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceLink {
    /// The URI of the resource.
    pub uri: String,
    /// The name of the resource.
    pub name: String,
    /// The name of the resource to show to users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type of the resource; `None` if it is not known.
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Size of the resource in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// MCP annotations: the audience and the priority of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// MCP metadata (`_meta`), which MCP does not define further.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

impl Content {
    /// Creates a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent {
            text: text.into(),
            annotations: None,
            meta: None,
        })
    }

    /// Creates an image block from image data in base64.
    #[must_use]
    pub fn image(mime_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Image(ImageContent {
            data: base64.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// Creates an audio block from audio data in base64.
    #[must_use]
    pub fn audio(mime_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Audio(AudioContent {
            data: base64.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// Creates a block with a resource that is text.
    #[must_use]
    pub fn resource_text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::embedded(uri.into(), Some(text.into()), None, None)
    }

    /// Creates a block with a binary resource, given in base64.
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

    /// Creates a link to a resource.
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
    /// Returns whether the block has no annotations and no metadata.
    pub(super) fn is_plain(&self) -> bool {
        self.annotations.is_none() && self.meta.is_none()
    }
}
