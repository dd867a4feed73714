//! Images and documents from bytes and files.

use std::path::Path;

use inhouse::message::{ContentBlock, DocumentBlock, ImageBlock};
use inhouse::{ErrorKind, attachment};

use crate::support::failed;

#[test]
fn formats_are_recognized_by_their_first_bytes() {
    let image = |media_type, data| ContentBlock::from(ImageBlock::base64(media_type, data));
    for (bytes, block) in [
        (
            &b"\x89PNG\r\n\x1a\n"[..],
            image("image/png", "iVBORw0KGgo="),
        ),
        (b"\xff\xd8\xff\xe0", image("image/jpeg", "/9j/4A==")),
        (b"GIF89a", image("image/gif", "R0lGODlh")),
        (b"GIF87a", image("image/gif", "R0lGODdh")),
        (
            b"RIFF\x04\0\0\0WEBP",
            image("image/webp", "UklGRgQAAABXRUJQ"),
        ),
        (b"%PDF-1.7", DocumentBlock::pdf("JVBERi0xLjc=").into()),
        (
            "Grüße".as_bytes(),
            DocumentBlock::plain_text("Grüße").into(),
        ),
    ] {
        assert_eq!(attachment::from_bytes(bytes).unwrap(), block);
    }
}

#[test]
fn bytes_that_cannot_be_attached_are_a_config_error() {
    for (bytes, text) in [
        (&b""[..], "the attachment is empty"),
        (b"\xff\xfe", "unknown format"),
        (b"text\0with a NUL", "unknown format"),
    ] {
        let error = failed(attachment::from_bytes(bytes));
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn size_limit_applies_to_what_is_sent() {
    let png = |bytes: usize| {
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        png.resize(bytes, 0);
        png
    };
    const LARGEST: usize = 5 * 1024 * 1024 / 4 * 3;
    assert!(attachment::from_bytes(png(LARGEST)).is_ok());
    let error = failed(attachment::from_bytes(png(LARGEST + 1)));
    assert!(error.to_string().contains("more than 5 MiB"), "{error}");

    const TEXT: usize = 32 * 1024 * 1024;
    assert!(attachment::from_bytes(vec![b'x'; TEXT]).is_ok());
    let error = failed(attachment::from_bytes(vec![b'x'; TEXT + 1]));
    assert!(error.to_string().contains("more than 32 MiB"), "{error}");
}

async fn file(directory: &Path, name: &str, bytes: &[u8]) -> inhouse::Result<ContentBlock> {
    let path = directory.join(name);
    std::fs::write(&path, bytes).unwrap();
    attachment::from_path(&path).await
}

#[tokio::test]
async fn document_of_a_file_has_its_name_as_the_title() {
    let directory = tempfile::tempdir().unwrap();
    let notes = file(directory.path(), "notes.md", b"# Notes").await;
    let document = DocumentBlock::plain_text("# Notes").title("notes.md");
    assert_eq!(notes.unwrap(), document.into());
    let paper = file(directory.path(), "PAPER.PDF", b"%PDF-1.7").await;
    let document = DocumentBlock::pdf("JVBERi0xLjc=").title("PAPER.PDF");
    assert_eq!(paper.unwrap(), document.into());
}

#[tokio::test]
async fn content_takes_precedence_over_the_extension_of_an_image() {
    let directory = tempfile::tempdir().unwrap();
    let image = file(directory.path(), "cat.png", b"GIF89a").await;
    assert_eq!(
        image.unwrap(),
        ImageBlock::base64("image/gif", "R0lGODlh").into()
    );
}

#[tokio::test]
async fn file_that_cannot_be_attached_is_a_config_error_with_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let pointer = b"version https://git-lfs.github.com/spec/v1";
    let error = failed(file(directory.path(), "cat.png", pointer).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    let text = error.to_string();
    assert!(
        text.ends_with("cat.png` has the extension of image/png, but not its content"),
        "{text}"
    );
    let error = failed(file(directory.path(), "empty.txt", b"").await);
    assert!(
        error.to_string().ends_with("empty.txt` is empty"),
        "{error}"
    );
    let error = failed(attachment::from_path(directory.path().join("none.pdf")).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(
        error.to_string().contains("none.pdf` cannot be read"),
        "{error}"
    );
    assert!(
        failed(attachment::from_path(directory.path()).await)
            .to_string()
            .contains("cannot be read")
    );
}
