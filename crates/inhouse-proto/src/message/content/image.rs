use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::CacheControl;

/// An image for the model.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::message::{ContentBlock, ImageBlock};
///
/// let block = ContentBlock::from(ImageBlock::base64("image/png", "iVBORw0KGgo="));
/// assert_eq!(
///     serde_json::to_value(&block)?,
///     serde_json::json!({
///         "type": "image",
///         "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ImageBlock {
    /// The location of the image.
    pub source: ImageSource,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
    /// Changes that the API made to the image before the model received it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformations: Option<Value>,
}

impl ImageBlock {
    /// Creates an image from bytes that are encoded as base64 and contained in the message.
    ///
    /// The API accepts `image/jpeg`, `image/png`, `image/gif` and `image/webp`.
    #[must_use]
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::from_source(ImageSource::Base64(Base64Image {
            media_type: media_type.into(),
            data: data.into(),
        }))
    }

    /// Creates an image that the API fetches from a URL.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(ImageSource::Url(UrlImage { url: url.into() }))
    }

    /// Creates an image from a file that was uploaded to the API before.
    #[must_use]
    pub fn file(file_id: impl Into<String>) -> Self {
        Self::from_source(ImageSource::File(FileImage {
            file_id: file_id.into(),
        }))
    }

    fn from_source(source: ImageSource) -> Self {
        Self {
            source,
            cache_control: None,
            transformations: None,
        }
    }
}

/// The location of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// An image that is contained in the message.
    Base64(Base64Image),
    /// An image that the API fetches from a URL.
    Url(UrlImage),
    /// A file that was uploaded to the API.
    File(FileImage),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// An image that is contained in the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Base64Image {
    /// Media type of the image, such as `image/png`.
    pub media_type: String,
    /// The bytes, encoded as base64.
    pub data: String,
}

/// An image that the API fetches from a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct UrlImage {
    /// URL of the image.
    pub url: String,
}

/// An image that was uploaded to the API as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FileImage {
    /// The id of the file.
    pub file_id: String,
}
