//! Images and documents for prompts, from bytes or from a file.
//!
//! ```
//! use inhouse::attachment;
//! use inhouse::message::Prompt;
//!
//! # inhouse_testkit::run(async {
//! # let directory = tempfile::tempdir()?;
//! # let notes = directory.path().join("notes.md");
//! # std::fs::write(&notes, "Ship on Friday.")?;
//! let prompt = Prompt::from("When do we ship?").block(attachment::from_path(&notes).await?);
//! assert_eq!(prompt.content.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
//!
//! | content | becomes | recognized by |
//! |---|---|---|
//! | PNG, JPEG, GIF, WebP | an image of up to 5 MiB in base64, 3.75 MiB as a file | its first bytes |
//! | PDF | a document of up to 32 MiB in base64, 24 MiB as a file | its first bytes |
//! | text in UTF-8 | a plain text document of up to 32 MiB | everything else that is UTF-8 |
//!
//! The limits are those of the API. A file above them is an error here, because the API would reject it in every later
//! turn of the conversation as well. For an image that the API is to fetch, use
//! [`ImageBlock::url`](crate::message::ImageBlock::url).

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inhouse_proto::message::{ContentBlock, DocumentBlock, ImageBlock};
use tokio::io::AsyncReadExt as _;

use crate::error::{Error, Result};

/// The largest image that the API accepts, in bytes of base64.
const MAX_IMAGE: usize = 5 * 1024 * 1024;

/// The largest request that the API accepts, in bytes.
const MAX_DOCUMENT: usize = 32 * 1024 * 1024;

/// Creates an image or a document from the bytes of a file.
///
/// ```
/// use inhouse::attachment;
/// use inhouse::message::{ContentBlock, ImageBlock};
///
/// let png = b"\x89PNG\r\n\x1a\n";
/// let image = ImageBlock::base64("image/png", "iVBORw0KGgo=");
/// assert_eq!(attachment::from_bytes(png)?, ContentBlock::from(image));
///
/// let error = attachment::from_bytes([0, 159, 146, 150]).unwrap_err();
/// assert!(error.to_string().contains("PNG, JPEG, GIF, WebP, PDF"));
/// # Ok::<(), inhouse::Error>(())
/// ```
///
/// # Errors
/// `Config` if the bytes are empty, too large or of another format.
pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<ContentBlock> {
    let block = attachment("the attachment", bytes.as_ref(), None)?;
    Ok(block.into())
}

/// Reads an image or a document from a file.
///
/// A document has the name of the file as its title. The format is that of the content; a file whose
/// extension promises an image or a PDF has to be one.
///
/// ```
/// use inhouse::attachment;
/// use inhouse::message::ContentBlock;
///
/// # inhouse_testkit::run(async {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("notes.md");
/// # std::fs::write(&path, "Ship on Friday.")?;
/// let ContentBlock::Document(notes) = attachment::from_path(&path).await? else {
///     panic!("text is a document");
/// };
/// assert_eq!(notes.title.as_deref(), Some("notes.md"));
///
/// let error = attachment::from_path("missing.png").await.unwrap_err();
/// assert!(error.to_string().starts_with("the attachment `missing.png` cannot be read"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// # Errors
/// `Config` if the file cannot be read, is empty, too large or of another format.
pub async fn from_path(path: impl AsRef<Path>) -> Result<ContentBlock> {
    let path = path.as_ref();
    let name = format!("the attachment `{}`", path.display());
    let bytes = read(path)
        .await
        .map_err(|error| Error::config(format!("{name} cannot be read")).with_source(error))?;
    let block = attachment(&name, &bytes, Format::of_extension(path))?;
    Ok(match (block, path.file_name()) {
        (Attachment::Document(document), Some(file)) => {
            document.title(file.to_string_lossy()).into()
        }
        (block, _) => block.into(),
    })
}

/// Reads a file, at most one byte more than the limit.
async fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(path).await?;
    let limit = u64::try_from(MAX_DOCUMENT).unwrap_or(u64::MAX);
    file.take(limit + 1).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// A block whose kind is known.
enum Attachment {
    Image(ImageBlock),
    Document(DocumentBlock),
}

impl From<Attachment> for ContentBlock {
    fn from(attachment: Attachment) -> Self {
        match attachment {
            Attachment::Image(image) => image.into(),
            Attachment::Document(document) => document.into(),
        }
    }
}

/// The format of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// An image of this media type.
    Image(&'static str),
    Pdf,
}

impl Format {
    /// Recognizes a binary format by its first bytes.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Some(match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Self::Image("image/png"),
            [0xff, 0xd8, 0xff, ..] => Self::Image("image/jpeg"),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Self::Image("image/gif"),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => Self::Image("image/webp"),
            [b'%', b'P', b'D', b'F', b'-', ..] => Self::Pdf,
            _ => return None,
        })
    }

    /// Returns the format that the extension of a file promises; `None` for text and unknown extensions.
    fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "png" => Self::Image("image/png"),
            "jpg" | "jpeg" => Self::Image("image/jpeg"),
            "gif" => Self::Image("image/gif"),
            "webp" => Self::Image("image/webp"),
            "pdf" => Self::Pdf,
            _ => return None,
        })
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Image(media_type) => media_type,
            Self::Pdf => "application/pdf",
        }
    }
}

/// Creates the block for some bytes. `name` is the subject of errors, `promised` the format of the file's extension.
fn attachment(name: &str, bytes: &[u8], promised: Option<Format>) -> Result<Attachment> {
    if bytes.is_empty() {
        return Err(Error::config(format!("{name} is empty")));
    }
    match (Format::of_bytes(bytes), promised) {
        (Some(Format::Image(media_type)), _) => {
            let data = encode(name, bytes, MAX_IMAGE)?;
            Ok(Attachment::Image(ImageBlock::base64(media_type, data)))
        }
        (Some(Format::Pdf), _) => {
            let data = encode(name, bytes, MAX_DOCUMENT)?;
            Ok(Attachment::Document(DocumentBlock::pdf(data)))
        }
        (None, Some(promised)) => {
            let promised = promised.media_type();
            Err(Error::config(format!(
                "{name} has the extension of {promised}, but not its content"
            )))
        }
        (None, None) => match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                check_size(name, text.len(), MAX_DOCUMENT)?;
                Ok(Attachment::Document(DocumentBlock::plain_text(text)))
            }
            _ => Err(Error::config(format!(
                "{name} has an unknown format; PNG, JPEG, GIF, WebP, PDF and text in UTF-8 can be attached"
            ))),
        },
    }
}

/// Encodes bytes as base64, of at most `limit` bytes.
fn encode(name: &str, bytes: &[u8], limit: usize) -> Result<String> {
    check_size(name, bytes.len().div_ceil(3) * 4, limit)?;
    Ok(STANDARD.encode(bytes))
}

fn check_size(name: &str, size: usize, limit: usize) -> Result<()> {
    if size <= limit {
        return Ok(());
    }
    let limit = limit / (1024 * 1024);
    Err(Error::config(format!(
        "{name} would be sent as more than {limit} MiB, which the API rejects; make it smaller"
    )))
}
