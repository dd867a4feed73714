use serde_json::Value;

use crate::open::{Extra, open_struct, open_union};

open_union! {
    /// One piece of what a tool returns.
    pub enum Content by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// A picture. The model sees it.
        Image(ImageContent) = "image",
        /// Sound. The CLI saves it to a file and tells the model where.
        Audio(AudioContent) = "audio",
        /// A resource, with what it holds.
        Resource(EmbeddedResource) = "resource",
        /// A resource, by its address.
        ResourceLink(ResourceLink) = "resource_link",
    }
}

open_struct! {
    /// Text of a tool.
    pub struct TextContent ["type" = "text"] {
        /// The text.
        pub text: String,
        /// For whom it is, and how much it matters.
        pub annotations: Option<Value>,
        /// Whatever else the two sides have agreed on.
        pub meta as "_meta": Option<Value>,
    }
}

open_struct! {
    /// A picture of a tool.
    pub struct ImageContent ["type" = "image"] {
        /// The picture in base64.
        pub data: String,
        /// What kind of picture, such as `image/png`.
        pub mime_type as "mimeType": String,
        /// For whom it is, and how much it matters.
        pub annotations: Option<Value>,
        /// Whatever else the two sides have agreed on.
        pub meta as "_meta": Option<Value>,
    }
}

open_struct! {
    /// Sound of a tool.
    pub struct AudioContent ["type" = "audio"] {
        /// The sound in base64.
        pub data: String,
        /// What kind of sound, such as `audio/wav`.
        pub mime_type as "mimeType": String,
        /// For whom it is, and how much it matters.
        pub annotations: Option<Value>,
        /// Whatever else the two sides have agreed on.
        pub meta as "_meta": Option<Value>,
    }
}

open_struct! {
    /// A resource with what it holds.
    pub struct EmbeddedResource ["type" = "resource"] {
        /// The resource.
        pub resource: ResourceContents,
        /// For whom it is, and how much it matters.
        pub annotations: Option<Value>,
        /// Whatever else the two sides have agreed on.
        pub meta as "_meta": Option<Value>,
    }
}

open_struct! {
    /// What a resource holds: text, or bytes in base64.
    pub struct ResourceContents {
        /// Its address.
        pub uri: String,
        /// What kind of thing it is.
        pub mime_type as "mimeType": Option<String>,
        /// Its text.
        pub text: Option<String>,
        /// Its bytes in base64.
        pub blob: Option<String>,
    }
}

open_struct! {
    /// The address of a resource.
    pub struct ResourceLink ["type" = "resource_link"] {
        /// The address.
        pub uri: String,
        /// Its name.
        pub name: String,
        /// Its name for people.
        pub title: Option<String>,
        /// What it is.
        pub description: Option<String>,
        /// What kind of thing it is.
        pub mime_type as "mimeType": Option<String>,
        /// Its size in bytes.
        pub size: Option<u64>,
        /// For whom it is, and how much it matters.
        pub annotations: Option<Value>,
        /// Whatever else the two sides have agreed on.
        pub meta as "_meta": Option<Value>,
    }
}

impl Content {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent {
            text: text.into(),
            annotations: None,
            meta: None,
            extra: Extra::default(),
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
            extra: Extra::default(),
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
            extra: Extra::default(),
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
            extra: Extra::default(),
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
                extra: Extra::default(),
            },
            annotations: None,
            meta: None,
            extra: Extra::default(),
        })
    }
}

impl TextContent {
    /// Whether it is its text and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.annotations.is_none() && self.meta.is_none() && self.extra.is_empty()
    }
}
