use pulldown_cmark::{Event, Options, Parser};

/// A streamed answer in Markdown, from its first unfinished block on.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) unfinished: String,
}

impl Answer {
    /// Appends a piece; returns the blocks that no later piece changes.
    pub(crate) fn push(&mut self, piece: &str) -> Option<String> {
        self.unfinished.push_str(piece);
        let start = start_of_last_block(&self.unfinished);
        let unfinished = self.unfinished.split_off(start);
        let finished = std::mem::replace(&mut self.unfinished, unfinished);
        Some(finished).filter(|text| !text.trim().is_empty())
    }

    /// Ends the answer; returns the rest.
    pub(crate) fn end(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.unfinished);
        Some(rest).filter(|text| !text.trim().is_empty())
    }
}

/// Returns the start of the last paragraph, list, table, … that is not inside another one.
fn start_of_last_block(markdown: &str) -> usize {
    let (mut depth, mut start) = (0, 0);
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    start = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ if depth == 0 => start = range.start,
            _ => {}
        }
    }
    start
}
