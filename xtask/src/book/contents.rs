use super::chapter::Chapter;

/// The directory of the guide.
pub(crate) const GUIDE: &str = "crates/inhouse/src/guide";

/// The table of contents: the module documentation of the guide.
pub(crate) struct Contents {
    /// The documentation, as Markdown.
    markdown: String,
    /// The title and the module of each chapter, in order.
    chapters: Vec<(String, String)>,
    /// The modules that include a chapter.
    included: Vec<String>,
}

impl Contents {
    /// Reads the table from the source of the guide's module.
    pub(crate) fn parse(source: &str) -> Self {
        let docs = source.lines().filter_map(|line| line.strip_prefix("//!"));
        let docs: Vec<&str> = docs
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let markdown = docs.join("\n");
        let links = Chapter::parse(&markdown).links();
        let is_module = |target: &str| !target.contains([':', '/', '#', '.']);
        let chapters = links
            .into_iter()
            .filter(|link| is_module(&link.target))
            .map(|link| (link.text, link.target))
            .collect();
        let included = source
            .lines()
            .filter_map(|line| {
                line.strip_prefix("#[doc = include_str!(\"")?
                    .split_once(".md")
            })
            .map(|(name, _)| name.to_owned())
            .collect();
        Self {
            markdown,
            chapters,
            included,
        }
    }

    /// Returns the modules of the chapters in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.chapters.iter().map(|(_, name)| name.as_str())
    }

    /// Returns whether the list names this chapter.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.names().any(|listed| listed == name)
    }

    /// Returns whether a module has this chapter as its documentation.
    pub(crate) fn includes(&self, name: &str) -> bool {
        self.included.iter().any(|included| included == name)
    }

    pub(super) fn summary(&self) -> String {
        let mut text = "# Summary\n\n[The guide](index.md)\n\n".to_owned();
        for (title, name) in &self.chapters {
            text += &format!("- [{title}]({name}.md)\n");
        }
        text
    }

    pub(super) fn first_page(&self) -> String {
        let text = Chapter::parse(&self.markdown).for_book(self);
        format!("# inhouse\n\n{text}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! A guide.\n//!\n//! 1. [First steps](first): how.\n//! 2. [Tools](tools): what.\n\n\
                          #[doc = include_str!(\"first.md\")]\npub mod first {}\n";

    #[test]
    fn chapters_are_the_links_of_the_list() {
        let contents = Contents::parse(SOURCE);
        assert_eq!(contents.names().collect::<Vec<_>>(), ["first", "tools"]);
        assert!(contents.includes("first") && !contents.includes("tools"));
        assert!(contents.lists("tools") && !contents.lists("second"));
        let summary = contents.summary();
        assert!(summary.contains("- [First steps](first.md)\n- [Tools](tools.md)"));
        assert!(
            contents
                .first_page()
                .contains("2. [Tools](tools.md): what.")
        );
    }
}
