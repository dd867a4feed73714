//! `cargo xtask book`: the guide of `inhouse` as an mdBook.
//!
//! The chapters are the Markdown files that rustdoc shows as modules of `inhouse::guide`. Their order and titles are the
//! numbered list in the documentation of that module, which becomes the first page. Nothing of the book is written
//! twice.

mod chapter;
mod contents;

pub(crate) use chapter::{Chapter, is_rust_path};
pub(crate) use contents::{Contents, GUIDE};

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{install, run as run_command};
use crate::workspace::Workspace;

/// The version of mdBook. It is not part of the workspace: it takes longer to build than all other commands.
const MDBOOK: &str = "0.5.4";

/// Builds the book below `target/book/html`.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    let directory = root.join("target/book");
    write(workspace, &directory)?;
    let arguments = ["--debug", "--no-default-features", "--features=search"];
    let mdbook = install(root, "mdbook", MDBOOK, &arguments)?;
    run_command(Command::new(mdbook).arg("build").arg(&directory))?;
    println!("the book is in {}", directory.join("html").display());
    Ok(true)
}

/// Writes what mdBook reads: its configuration, a style sheet, the table of contents, the chapters and their pictures.
fn write(workspace: &Workspace, directory: &Path) -> Result<()> {
    let contents = Contents::parse(&workspace.read(&format!("{GUIDE}/mod.rs"))?);
    let source = directory.join("src");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    fs::create_dir_all(&source)?;
    let write =
        |path: &Path, text: &str| fs::write(path, text).with_context(|| path.display().to_string());
    for name in ["book.toml", "book.css"] {
        let text = workspace.read(&format!("docs/book/{name}"))?;
        write(&directory.join(name), &text)?;
    }
    write(&source.join("SUMMARY.md"), &contents.summary())?;
    write(&source.join("index.md"), &contents.first_page())?;
    for name in contents.names() {
        let text = workspace.read(&format!("{GUIDE}/{name}.md"))?;
        let chapter = Chapter::parse(&text);
        let page = source.join(format!("{name}.md"));
        write(&page, &chapter.for_book(&contents))?;
        for picture in chapter.pictures() {
            copy(workspace, picture, &source)?;
        }
    }
    Ok(())
}

/// Copies a file of the workspace to the same path below a directory.
fn copy(workspace: &Workspace, path: &str, directory: &Path) -> Result<()> {
    let copy = directory.join(path);
    fs::create_dir_all(copy.parent().context("a file has a directory")?)?;
    fs::copy(workspace.root().join(path), copy).with_context(|| path.to_owned())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn book_has_every_chapter_with_its_pictures_and_no_rust_paths_as_links() {
        let workspace = Workspace::locate();
        let directory = workspace.root().join("target/book-test");
        write(&workspace, &directory).unwrap();
        let summary = fs::read_to_string(directory.join("src/SUMMARY.md")).unwrap();
        for file in fs::read_dir(workspace.root().join(GUIDE)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if !name.ends_with(".md") {
                continue;
            }
            assert!(summary.contains(&format!("({name})")), "{name}");
            let text = fs::read_to_string(directory.join("src").join(&name)).unwrap();
            assert!(!text.contains("](crate::"), "{name}");
        }
        let picture = directory.join("src/docs/telemetry/trace.svg");
        assert!(picture.exists(), "{}", picture.display());
        let chapter = fs::read_to_string(directory.join("src/telemetry.md")).unwrap();
        assert!(chapter.contains("](docs/telemetry/trace.svg)"));
    }
}
