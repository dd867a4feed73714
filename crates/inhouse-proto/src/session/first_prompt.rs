use super::entry::Entry;

/// Length of a shown prompt in UTF-16 units.
const MAX_UNITS: usize = 200;

/// The search for the prompt that names a session without a title.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstPrompt {
    prompt: Option<String>,
    /// The first slash command, if there is no other prompt.
    command: Option<String>,
    /// `Image` or `Document`, if the first prompt has no text.
    media: Option<&'static str>,
}

impl FirstPrompt {
    pub(super) fn is_found(&self) -> bool {
        self.prompt.is_some()
    }

    pub(super) fn push(&mut self, entry: &Entry<'_>) {
        if self.is_found() || !is_prompt(entry) {
            return;
        }
        let parts = entry.message_parts();
        if parts.content.has("tool_result") {
            return;
        }
        for text in parts.content.texts() {
            match classify(&text) {
                Text::Prompt(prompt) => {
                    self.prompt = Some(prompt);
                    return;
                }
                Text::Command(name) => {
                    self.command.get_or_insert(name);
                }
                Text::Machine => {}
            }
        }
        for block in parts.content.blocks() {
            if block.is("image") {
                self.media.get_or_insert("Image");
            } else if block.is("document") {
                self.media.get_or_insert("Document");
            }
        }
    }

    /// Returns the prompt, or the name of the first slash command.
    pub(super) fn text(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.command.as_deref())
    }

    /// Returns the kind of the attached file if the prompt has no text.
    pub(super) fn media(&self) -> Option<&'static str> {
        self.media
    }
}

/// Returns whether the entry is a prompt of a person, and not one that the CLI wrote.
pub(super) fn is_human_prompt(entry: &Entry<'_>) -> bool {
    if !is_prompt(entry) || entry.is_sidechain {
        return false;
    }
    let content = entry.message_parts().content;
    let is_machine = content
        .texts()
        .any(|text| matches!(classify(&text), Text::Machine));
    let is_empty = content.texts().next().is_none() && content.blocks().next().is_none();
    !is_machine && !is_empty && !content.has("tool_result")
}

fn is_prompt(entry: &Entry<'_>) -> bool {
    entry.tag == "user" && !entry.is_meta && !entry.is_compact_summary
}

enum Text {
    /// A text to show.
    Prompt(String),
    /// The name of a slash command.
    Command(String),
    /// A text that the CLI wrote, or an empty one.
    Machine,
}

fn classify(text: &str) -> Text {
    let text = text.replace(['\r', '\n'], " ");
    let text = text.trim();
    if let Some(name) = element(text, "command-name") {
        return Text::Command(name.to_owned());
    }
    if let Some(input) = element(text, "bash-input") {
        return Text::Prompt(shorten(&format!("! {input}")));
    }
    let starts_with_tag = text.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_lowercase()) && rest.contains('>')
    });
    if text.is_empty() || starts_with_tag || text.starts_with("[Request interrupted by user") {
        return Text::Machine;
    }
    Text::Prompt(shorten(text))
}

/// Returns the trimmed text inside of an element; `None` if there is no such element or it is empty.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

fn shorten(text: &str) -> String {
    let mut units = 0;
    let cut = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MAX_UNITS
    });
    match cut {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn prompt_of(contents: &[Value]) -> Option<String> {
        let mut first = FirstPrompt::default();
        for content in contents {
            let line = json!({"type": "user", "message": {"content": content}}).to_string();
            first.push(&Entry::read(&line).unwrap());
        }
        first.text().map(str::to_owned)
    }

    #[test]
    fn first_text_of_a_person_is_the_prompt() {
        for (contents, expected) in [
            (vec![json!("Hello\nworld ")], Some("Hello world")),
            (vec![json!("  "), json!("second")], Some("second")),
            (
                vec![
                    json!([{"type": "tool_result", "content": "x"}]),
                    json!("next"),
                ],
                Some("next"),
            ),
            (
                vec![
                    json!("<local-command-stdout>x</local-command-stdout>"),
                    json!("b"),
                ],
                Some("b"),
            ),
            (vec![json!("[Request interrupted by user]")], None),
            (
                vec![json!("<bash-input>ls -l</bash-input>")],
                Some("! ls -l"),
            ),
            (
                vec![
                    json!("<command-name>/clear</command-name>"),
                    json!("then this"),
                ],
                Some("then this"),
            ),
            (
                vec![json!("<command-name>/clear</command-name>")],
                Some("/clear"),
            ),
            (vec![json!("1 < 2 > 0")], Some("1 < 2 > 0")),
            (vec![json!("<3")], Some("<3")),
        ] {
            assert_eq!(prompt_of(&contents).as_deref(), expected, "{contents:?}");
        }
    }

    #[test]
    fn long_prompt_is_cut_between_characters() {
        assert_eq!(shorten(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(shorten(&"a".repeat(201)), format!("{}…", "a".repeat(200)));
        let cut = shorten(&format!("{}😀", "a".repeat(199)));
        assert_eq!(cut, format!("{}…", "a".repeat(199)));
    }
}
