use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Contents;

/// The address at which docs.rs finds the files of the repository.
const REPOSITORY_FILES: &str = "https://raw.githubusercontent.com/inhouse-rs/inhouse/main/";

/// A chapter of the guide, in the Markdown of rustdoc.
pub(crate) struct Chapter<'a> {
    text: &'a str,
    events: Vec<(Event<'a>, Range<usize>)>,
}

/// A link of a chapter.
pub(crate) struct Link {
    pub(crate) text: String,
    pub(crate) target: String,
    place: Range<usize>,
}

impl<'a> Chapter<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
        let events = parser.into_offset_iter().collect();
        Self { text, events }
    }

    /// Returns the chapter in the Markdown of mdBook.
    ///
    /// Links to chapters lead to their pages, links to items of the API become plain text, [pictures](Self::pictures) have the path of
    /// their copy, and code is marked as Rust, so that mdBook hides the lines that rustdoc hides.
    pub(super) fn for_book(&self, contents: &Contents) -> String {
        let links = self.links().into_iter().filter_map(|link| {
            let text = match linked_chapter(&link.target, contents) {
                Some(page) => format!("[{}]({page})", link.text),
                None if is_rust_path(&link.target) => link.text,
                None => return None,
            };
            Some((link.place, text))
        });
        let blocks = self.events.iter().filter_map(|(event, place)| {
            let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = event else {
                return None;
            };
            let info_place = place.start + 3..place.start + 3 + info.len();
            is_rust(info).then(|| (info_place, "rust".to_owned()))
        });
        let pictures = self.repository_pictures().map(|(place, _)| {
            let picture = &self.text[place.clone()];
            (place.clone(), picture.replace(REPOSITORY_FILES, ""))
        });
        let edits = links.chain(blocks).chain(pictures);
        let mut edits: Vec<(Range<usize>, String)> = edits.collect();
        edits.sort_by_key(|(place, _)| place.start);
        let mut text = self.text.to_owned();
        for (place, replacement) in edits.into_iter().rev() {
            text.replace_range(place, &replacement);
        }
        text
    }

    /// Returns the paths of the pictures that are files of the repository.
    pub(super) fn pictures(&self) -> impl Iterator<Item = &str> {
        self.repository_pictures().map(|(_, path)| path)
    }

    fn repository_pictures(&self) -> impl Iterator<Item = (&Range<usize>, &str)> {
        self.events.iter().filter_map(|(event, place)| {
            let Event::Start(Tag::Image { dest_url, .. }) = event else {
                return None;
            };
            Some((place, dest_url.strip_prefix(REPOSITORY_FILES)?))
        })
    }

    /// Returns the links with a target in the text.
    pub(crate) fn links(&self) -> Vec<Link> {
        let links = self.events.iter().filter_map(|(event, place)| {
            let Event::Start(Tag::Link { dest_url, .. }) = event else {
                return None;
            };
            let (text, _) = self.text[place.clone()].rsplit_once("](")?;
            Some(Link {
                text: text.strip_prefix('[')?.to_owned(),
                target: dest_url.to_string(),
                place: place.clone(),
            })
        });
        links.collect()
    }

    /// Returns the line of a link.
    pub(crate) fn line(&self, link: &Link) -> usize {
        self.line_at(link.place.start)
    }

    fn line_at(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    /// Returns the ids of the headings, as rustdoc and mdBook write them.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let mut anchors = Vec::new();
        let mut heading: Option<String> = None;
        for (event, _) in &self.events {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    anchors.extend(heading.take().map(|text| anchor(&text)));
                }
                _ => {}
            }
        }
        anchors
    }

    /// Returns the names in paragraphs that begin with `Tests:`, in columns with the heading `tests` and after the words *the test*, each
    /// with its line.
    pub(crate) fn tests(&self) -> Vec<(usize, &str)> {
        let mut names = Vec::new();
        let mut is_list = false;
        let mut begins = false;
        let mut follows_words = false;
        let mut table = TestColumn::default();
        for (event, place) in &self.events {
            table.read(event);
            let is_named = is_list || follows_words || table.is_inside();
            follows_words = match event {
                Event::Text(text) => text.trim_end().ends_with("the test"),
                Event::SoftBreak => follows_words,
                _ => false,
            };
            match event {
                Event::Start(Tag::Paragraph) => begins = true,
                Event::End(TagEnd::Paragraph) => is_list = false,
                Event::Text(text) if begins => {
                    is_list = text.starts_with("Tests:");
                    begins = false;
                }
                Event::Code(_) if is_named => {
                    let line = self.line_at(place.start);
                    names.push((line, self.text[place.clone()].trim_matches('`')));
                }
                _ => begins = false,
            }
        }
        names
    }
}

/// The place of a column with the heading `tests` while a table is read.
#[derive(Default)]
struct TestColumn {
    in_head: bool,
    column: usize,
    tests: Option<usize>,
}

impl TestColumn {
    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Table(_)) => *self = Self::default(),
            Event::End(TagEnd::Table) => self.tests = None,
            Event::Start(Tag::TableHead) => self.in_head = true,
            Event::End(TagEnd::TableHead) => self.in_head = false,
            Event::Start(Tag::TableRow) => self.column = 0,
            Event::End(TagEnd::TableCell) => self.column += 1,
            Event::Text(text) if self.in_head && **text == *"tests" => {
                self.tests = Some(self.column);
            }
            _ => {}
        }
    }

    /// Returns whether the current cell is in the column, below its heading.
    fn is_inside(&self) -> bool {
        !self.in_head && self.tests == Some(self.column)
    }
}

/// Returns the page of a chapter that a link of rustdoc leads to.
fn linked_chapter(target: &str, contents: &Contents) -> Option<String> {
    let (path, fragment) = match target.split_once('#') {
        Some((path, fragment)) => (path, format!("#{fragment}")),
        None => (target, String::new()),
    };
    let name = path.strip_prefix("crate::guide::").unwrap_or(path);
    contents.lists(name).then(|| format!("{name}.md{fragment}"))
}

/// Returns whether a target is a path of Rust, such as `crate::Options::model`, `crate::query()` or `macro@crate::tool`.
pub(crate) fn is_rust_path(target: &str) -> bool {
    let (path, _) = target.split_once('#').unwrap_or((target, ""));
    let path = path.split_once('@').map_or(path, |(_, path)| path);
    let path = path.trim_end_matches("()").trim_end_matches('!');
    let mut names = path.split("::");
    names.all(|name| {
        let mut letters = name.chars();
        let begins = letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_');
        begins && letters.all(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Returns whether rustdoc reads a block with this text behind its fence as Rust.
fn is_rust(info: &str) -> bool {
    let mut words = info.split([',', ' ']).filter(|word| !word.is_empty());
    words.all(|word| matches!(word, "rust" | "no_run" | "should_panic" | "compile_fail"))
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let kept: String = kept.collect();
    kept.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents() -> Contents {
        Contents::parse("//! 1. [Tools](tools): what.\n")
    }

    fn for_book(text: &str) -> String {
        Chapter::parse(text).for_book(&contents())
    }

    #[test]
    fn links_lead_to_pages_or_become_text() {
        assert_eq!(
            for_book("See [tools](crate::guide::tools#limits), [`Options`](crate::Options)."),
            "See [tools](tools.md#limits), `Options`."
        );
        assert_eq!(
            for_book("A [`#[tool]`](macro@crate::tool)."),
            "A `#[tool]`."
        );
        assert_eq!(for_book("A [query](crate::query())."), "A query.");
        for kept in [
            "[a](https://example.com/a)",
            "`[a](crate::b)`",
            "    [a](crate::b)\n",
        ] {
            assert_eq!(for_book(kept), kept);
        }
    }

    #[test]
    fn pictures_of_the_repository_have_the_path_of_their_copy() {
        let text = format!("![a](https://a.example/b.png) ![c]({REPOSITORY_FILES}docs/d.svg)\n");
        assert_eq!(
            for_book(&text),
            "![a](https://a.example/b.png) ![c](docs/d.svg)\n"
        );
        let chapter = Chapter::parse(&text);
        assert_eq!(chapter.pictures().collect::<Vec<_>>(), ["docs/d.svg"]);
    }

    #[test]
    fn code_without_a_language_is_rust() {
        assert_eq!(for_book("```\n# a();\n```\n"), "```rust\n# a();\n```\n");
        assert_eq!(for_book("```no_run\na();\n```\n"), "```rust\na();\n```\n");
        assert_eq!(for_book("```text\na\n```\n"), "```text\na\n```\n");
    }

    #[test]
    fn anchors_are_those_of_rustdoc() {
        let chapter = Chapter::parse("# Tools\n\n## When `Bash` runs, and how\n");
        assert_eq!(chapter.anchors(), ["tools", "when-bash-runs-and-how"]);
    }

    #[test]
    fn tests_are_named_in_their_paragraphs() {
        let chapter = Chapter::parse("It is `so`.\n\nTests: `a_b`,\n`c_d`.\n\nAnd `not`.\n");
        assert_eq!(chapter.tests(), [(3, "a_b"), (4, "c_d")]);
    }

    #[test]
    fn tests_are_named_after_the_words_the_test() {
        let chapter = Chapter::parse("See the test `a_b`, or (the test\n`c_d`) the best `not`.\n");
        assert_eq!(chapter.tests(), [(1, "a_b"), (2, "c_d")]);
    }

    #[test]
    fn tests_are_named_in_their_column() {
        let table = "| what | tests |\n|---|---|\n| `x` | `a_b`, `c_d` |\n| `y` | `e_f` |\n";
        let chapter = Chapter::parse(table);
        let names: Vec<_> = chapter.tests().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["a_b", "c_d", "e_f"]);
        assert!(
            Chapter::parse("| what | test |\n|---|---|\n| x | `a_b` |\n")
                .tests()
                .is_empty()
        );
    }
}
