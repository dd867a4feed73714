use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::CacheControl;

/// An image.
///
/// ```
/// use inhouse_proto::message::{ContentBlock, ImageBlock};
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
    /// Where the image is.
    pub source: ImageSource,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
    /// How the API changed the image before the model saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformations: Option<Value>,
}

impl ImageBlock {
    /// An image whose bytes travel in the message, encoded as base64.
    ///
    /// The API takes `image/jpeg`, `image/png`, `image/gif` and `image/webp`.
    #[must_use]
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::from_source(ImageSource::Base64(Base64Image {
            media_type: media_type.into(),
            data: data.into(),
        }))
    }

    /// An image that the API fetches by itself.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(ImageSource::Url(UrlImage { url: url.into() }))
    }

    /// An image that was uploaded to the API before.
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

/// Where an image is.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// In the message.
    Base64(Base64Image),
    /// On the web.
    Url(UrlImage),
    /// Among the files at the API.
    File(FileImage),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// An image inside of the message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Base64Image {
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

/// An image on the web.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct UrlImage {
    /// The address.
    pub url: String,
}

/// An image among the files at the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FileImage {
    /// The id of the file.
    pub file_id: String,
}
