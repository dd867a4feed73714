use serde_json::Value;

use super::CacheControl;
use crate::open::{Extra, open_struct, open_union};

open_struct! {
    /// An image.
    ///
    /// ```
    /// use inhouse_proto::message::ImageBlock;
    ///
    /// let block = ImageBlock::base64("image/png", "iVBORw0KGgo=");
    /// assert_eq!(
    ///     serde_json::to_value(&block)?,
    ///     serde_json::json!({
    ///         "type": "image",
    ///         "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
    ///     })
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct ImageBlock ["type" = "image"] {
        /// Where the image is.
        pub source: ImageSource,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
        /// How the API changed the image before the model saw it.
        pub transformations: Option<Value>,
    }
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
            extra: Extra::default(),
        }))
    }

    /// An image that the API fetches by itself.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::from_source(ImageSource::Url(UrlImage {
            url: url.into(),
            extra: Extra::default(),
        }))
    }

    /// An image that was uploaded to the API before.
    #[must_use]
    pub fn file(file_id: impl Into<String>) -> Self {
        Self::from_source(ImageSource::File(FileImage {
            file_id: file_id.into(),
            extra: Extra::default(),
        }))
    }

    fn from_source(source: ImageSource) -> Self {
        Self {
            source,
            cache_control: None,
            transformations: None,
            extra: Extra::default(),
        }
    }
}

open_union! {
    /// Where an image is.
    pub enum ImageSource by "type" {
        /// In the message.
        Base64(Base64Image) = "base64",
        /// On the web.
        Url(UrlImage) = "url",
        /// Among the files at the API.
        File(FileImage) = "file",
    }
}

open_struct! {
    /// An image inside of the message.
    pub struct Base64Image ["type" = "base64"] {
        /// The media type, such as `image/png`.
        pub media_type: String,
        /// The bytes in base64.
        pub data: String,
    }
}

open_struct! {
    /// An image on the web.
    pub struct UrlImage ["type" = "url"] {
        /// The address.
        pub url: String,
    }
}

open_struct! {
    /// An image among the files at the API.
    pub struct FileImage ["type" = "file"] {
        /// The id of the file.
        pub file_id: String,
    }
}
