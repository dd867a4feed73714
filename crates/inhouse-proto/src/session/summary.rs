use std::borrow::Cow;
use std::time::SystemTime;

use super::entry::{Entry, parse_time};
use super::first_prompt::{FirstPrompt, is_human_prompt};
use crate::wire::{Scanner, string_member};

/// A summary of a session, read from the head and the tail of its transcript.
///
/// Titles, tags and prompts are written again whenever they change, so the last entry of a kind is in effect. The CLI
/// repeats them near the end of the transcript.
///
/// ```
/// use inhouse_proto::session::Summary;
///
/// let transcript = br#"{"type":"user","uuid":"u","cwd":"/app","message":{"content":"Hello"}}
/// {"type":"custom-title","customTitle":"Greeting"}
/// "#;
/// let summary = Summary::read(transcript, b"");
/// assert_eq!(summary.text(), Some("Greeting"));
/// assert_eq!(summary.first_prompt(), Some("Hello"));
/// assert_eq!(summary.cwd.as_deref(), Some("/app"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The title that the user gave.
    pub custom_title: Option<String>,
    /// The title that the CLI generated.
    pub ai_title: Option<String>,
    /// The last prompt of the user.
    pub last_prompt: Option<String>,
    /// The summary that older versions of the CLI wrote.
    pub hint: Option<String>,
    /// The tag of the session; `None` if it has none or was removed.
    pub tag: Option<String>,
    /// The working directory: the last one that the session moved to, else the one that it started in.
    pub cwd: Option<String>,
    /// The git branch at the last entry.
    pub git_branch: Option<String>,
    /// Time of the first entry.
    pub created_at: Option<SystemTime>,
    /// The program that started the session, such as `cli` or `sdk-cli`.
    pub entrypoint: Option<String>,
    /// The kind of the session, such as `daemon`.
    pub session_kind: Option<String>,
    /// The session that replaces this one, if the conversation has no later message here.
    pub continued_in: Option<String>,
    /// Whether the transcript is that of a subagent.
    pub is_sidechain: bool,
    /// Whether no later title can be between the head and the tail: the tail has one, or there is no tail.
    pub is_title_recent: bool,
    prompt: FirstPrompt,
}

impl Summary {
    /// Reads the summary from the first and the last bytes of a transcript.
    ///
    /// The two slices do not overlap. `tail` is empty if `head` is the whole transcript. A line that is cut at either
    /// end is ignored, as is every line that is not an entry.
    #[must_use]
    pub fn read(head: &[u8], tail: &[u8]) -> Self {
        let mut summary = Self::default();
        summary.read_head(head);
        let mut state = Backward::default();
        for line in lines_backward(tail) {
            summary.read_backward(line, &mut state);
        }
        summary.is_title_recent = summary.custom_title.is_some() || tail.is_empty();
        for line in lines_backward(head) {
            summary.read_backward(line, &mut state);
        }
        summary.tag = state.tag.filter(|tag| !tag.is_empty());
        if let Some(relocated) = state.relocated {
            summary.cwd = Some(relocated);
        }
        summary
    }

    /// Returns the title: that of the user, else that of the CLI.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.custom_title.as_deref().or(self.ai_title.as_deref())
    }

    /// Returns the first prompt of a person, at most 200 UTF-16 units long; without one the first slash command.
    #[must_use]
    pub fn first_prompt(&self) -> Option<&str> {
        self.prompt.text()
    }

    /// Returns a line that describes the session: its title, else its last prompt, else its first prompt.
    ///
    /// `None` if the transcript has none of these, such as one without a conversation.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.title()
            .or(self.last_prompt.as_deref())
            .or(self.hint.as_deref())
            .or(self.first_prompt())
            .or(self.prompt.media())
    }

    /// Returns whether a program started the session through an SDK, or a daemon did.
    #[must_use]
    pub fn is_programmatic(&self) -> bool {
        let is_daemon = matches!(
            self.session_kind.as_deref(),
            Some("daemon" | "daemon-worker")
        );
        is_daemon
            || self
                .entrypoint
                .as_deref()
                .is_some_and(|entrypoint| entrypoint.starts_with("sdk-"))
    }

    /// Returns whether a person sent a prompt after a time, as far as the head and the tail of a transcript show.
    #[must_use]
    pub fn has_prompt_after(head: &[u8], tail: &[u8], time: SystemTime) -> bool {
        lines_backward(tail)
            .chain(lines_backward(head))
            .any(|line| {
                let line = String::from_utf8_lossy(line);
                Entry::read(&line).is_some_and(|entry| {
                    entry.created_at().is_some_and(|at| at > time) && is_human_prompt(&entry)
                })
            })
    }

    /// Reads what the first entries have: the first prompt, the time, the working directory.
    fn read_head(&mut self, head: &[u8]) {
        let mut is_first = true;
        for line in head.split_inclusive(|byte| *byte == b'\n') {
            let is_known =
                self.prompt.is_found() && self.cwd.is_some() && self.created_at.is_some();
            if is_known {
                return;
            }
            // Local bookkeeping of the CLI, with long copies of prompts and tool lists.
            if type_prefix(line).is_some_and(|tag| tag.starts_with(b"api-request")) {
                continue;
            }
            let line = String::from_utf8_lossy(line);
            let Some(entry) = Entry::read(&line) else {
                continue;
            };
            if is_first {
                self.is_sidechain = entry.is_sidechain;
                is_first = false;
            }
            if self.created_at.is_none() {
                self.created_at = entry.timestamp.as_deref().and_then(parse_time);
            }
            if entry.is_chained() {
                self.read_start(&line);
            }
            self.prompt.push(&entry);
        }
    }

    fn read_start(&mut self, line: &str) {
        let _ = Scanner::new(line).object(|scanner, name| {
            let field = match name {
                "cwd" => &mut self.cwd,
                "entrypoint" => &mut self.entrypoint,
                "sessionKind" => &mut self.session_kind,
                _ => return scanner.value().map(drop),
            };
            let value = scanner.text()?;
            if field.is_none() {
                *field = value.map(Cow::into_owned);
            }
            Some(())
        });
    }

    /// Reads metadata. Lines are read from the last to the first, so the first value of a kind is in effect.
    fn read_backward(&mut self, line: &[u8], state: &mut Backward) {
        match type_prefix(line) {
            Some(tag) if !is_metadata(tag) => {}
            // A chained entry as the CLI writes it; most of a transcript. Only the branch of the last one is needed.
            None if line.starts_with(b"{\"parentUuid\":") => {
                state.has_chained = true;
                self.read_branch(line);
            }
            _ => self.read_metadata(line, state),
        }
    }

    fn read_metadata(&mut self, line: &[u8], state: &mut Backward) {
        let line = String::from_utf8_lossy(line);
        let Some(entry) = Entry::read(&line) else {
            return;
        };
        let member = |name| string_member(&line, name).map(Cow::into_owned);
        let (field, name) = match &*entry.tag {
            "custom-title" => (&mut self.custom_title, "customTitle"),
            "ai-title" => (&mut self.ai_title, "aiTitle"),
            "last-prompt" => (&mut self.last_prompt, "lastPrompt"),
            "summary" => (&mut self.hint, "summary"),
            "tag" => (&mut state.tag, "tag"),
            "relocated" => (&mut state.relocated, "relocatedCwd"),
            "continued-in" if !state.has_chained => {
                (&mut self.continued_in, "continuedInSessionId")
            }
            _ => {
                state.has_chained |= entry.is_chained();
                return self.read_branch(line.as_bytes());
            }
        };
        if field.is_none() {
            *field = member(name).filter(|value| name == "tag" || !value.trim().is_empty());
        }
    }

    fn read_branch(&mut self, line: &[u8]) {
        if self.git_branch.is_none() {
            let line = String::from_utf8_lossy(line);
            self.git_branch = string_member(&line, "gitBranch").map(Cow::into_owned);
        }
    }
}

/// The state of reading metadata backward.
#[derive(Default)]
struct Backward {
    /// The last tag; empty if it was removed.
    tag: Option<String>,
    relocated: Option<String>,
    /// Whether an entry of the conversation follows the current line.
    has_chained: bool,
}

/// Returns the type of a line that begins with it, as the metadata of the CLI does.
fn type_prefix(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}

/// Returns whether entries of this type may hold what [`Summary::read_metadata`] reads.
fn is_metadata(tag: &[u8]) -> bool {
    matches!(
        tag,
        b"custom-title"
            | b"ai-title"
            | b"last-prompt"
            | b"summary"
            | b"tag"
            | b"relocated"
            | b"continued-in"
            | b"user"
            | b"assistant"
            | b"system"
            | b"attachment"
            | b"progress"
    )
}

/// Returns the lines from the last to the first. The first one may be cut.
pub(super) fn lines_backward(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let (before, line) = match memchr::memrchr(b'\n', bytes) {
            Some(at) => (Some(&bytes[..at]), &bytes[at + 1..]),
            None => (None, bytes),
        };
        rest = before;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = r#"{"parentUuid":null,"type":"user","uuid":"u","message":{"content":"Hello"},"timestamp":"2026-01-02T03:04:05.006Z","cwd":"/app","gitBranch":"main","entrypoint":"cli"}"#;

    fn read(lines: &[&str]) -> Summary {
        let text = lines.join("\n");
        let whole = Summary::read(text.as_bytes(), b"");
        // The split into head and tail changes nothing if the head has the first prompt.
        let first = text.find("gitBranch").unwrap_or(text.len());
        for (at, _) in text.match_indices('\n').filter(|(at, _)| *at > first) {
            let (head, tail) = text.as_bytes().split_at(at + 1);
            let mut split = Summary::read(head, tail);
            split.is_title_recent = whole.is_title_recent;
            assert_eq!(format!("{split:?}"), format!("{whole:?}"), "{at}");
        }
        whole
    }

    #[test]
    fn title_precedes_prompts() {
        let mut lines = vec![PROMPT];
        assert_eq!(read(&lines).text(), Some("Hello"));
        lines.push(r#"{"type":"summary","summary":"old"}"#);
        assert_eq!(read(&lines).text(), Some("old"));
        lines.push(r#"{"type":"last-prompt","lastPrompt":"Bye"}"#);
        assert_eq!(read(&lines).text(), Some("Bye"));
        lines.push(r#"{"type":"ai-title","aiTitle":"Generated"}"#);
        assert_eq!(read(&lines).text(), Some("Generated"));
        lines.insert(0, r#"{"type":"custom-title","customTitle":"Mine"}"#);
        assert_eq!(read(&lines).text(), Some("Mine"));
        lines.push(r#"{"customTitle":"Newer","type":"custom-title"}"#);
        assert_eq!(read(&lines).text(), Some("Newer"));
        assert_eq!(read(&lines).first_prompt(), Some("Hello"));
    }

    #[test]
    fn text_inside_of_a_message_is_no_title() {
        let quoted = r#"{"parentUuid":"u","type":"user","uuid":"v","message":{"content":"{\"type\":\"custom-title\",\"customTitle\":\"x\"}","customTitle":"y","tag":"z"}}"#;
        let summary = read(&[PROMPT, quoted]);
        assert_eq!(summary.title(), None);
        assert_eq!(summary.tag, None);
    }

    #[test]
    fn last_tag_is_in_effect_and_an_empty_one_removes_it() {
        let [a, b, none] = ["a", "b", ""].map(|tag| format!(r#"{{"type":"tag","tag":"{tag}"}}"#));
        assert_eq!(read(&[PROMPT, &a, &b]).tag.as_deref(), Some("b"));
        assert_eq!(read(&[PROMPT, &a, &none]).tag, None);
        assert_eq!(read(&[PROMPT, &none, &a]).tag.as_deref(), Some("a"));
    }

    #[test]
    fn members_of_the_first_entries_are_read() {
        let summary = read(&[
            r#"{"type":"queue-operation","timestamp":"2026-01-01T00:00:00.000Z"}"#,
            PROMPT,
        ]);
        assert_eq!(summary.cwd.as_deref(), Some("/app"));
        assert_eq!(summary.git_branch.as_deref(), Some("main"));
        assert_eq!(summary.created_at, parse_time("2026-01-01T00:00:00.000Z"));
        assert!(!summary.is_programmatic() && !summary.is_sidechain);
    }

    #[test]
    fn relocated_session_has_the_new_directory() {
        let summary = read(&[PROMPT, r#"{"type":"relocated","relocatedCwd":"/tree"}"#]);
        assert_eq!(summary.cwd.as_deref(), Some("/tree"));
    }

    #[test]
    fn session_is_continued_elsewhere_unless_a_message_follows() {
        let continued = r#"{"type":"continued-in","continuedInSessionId":"s"}"#;
        assert_eq!(
            read(&[PROMPT, continued]).continued_in.as_deref(),
            Some("s")
        );
        assert_eq!(read(&[PROMPT, continued, PROMPT]).continued_in, None);
    }

    #[test]
    fn broken_lines_and_crlf_are_tolerated() {
        let summary = read(&[
            "not JSON",
            "{\"type\":\"custom-title\",\"customTitle\":\"cut",
            "\u{0}\u{1}",
            &format!("{PROMPT}\r"),
            "{\"type\":\"tag\",\"tag\":\"t\"}\r",
            "",
            "{\"type\":\"custom-ti",
        ]);
        assert_eq!(summary.text(), Some("Hello"));
        assert_eq!(summary.tag.as_deref(), Some("t"));
        let invalid = Summary::read(b"\xff\xfe\n{\"type\":\"tag\",\"tag\":\"\xff\"}\n", b"");
        assert_eq!(invalid.tag.as_deref(), Some("\u{fffd}"));
        assert_eq!(Summary::read(b"", b"").text(), None);
    }

    #[test]
    fn later_prompt_of_a_person_is_found() {
        let answer = r#"{"type":"user","uuid":"r","timestamp":"2030-01-01T00:00:00Z","message":{"content":[{"type":"tool_result"}]}}"#;
        let transcript = format!("{PROMPT}\n{answer}\n");
        let after =
            |time| Summary::has_prompt_after(transcript.as_bytes(), b"", parse_time(time).unwrap());
        assert!(after("2026-01-02T03:04:05.005Z"));
        assert!(!after("2026-01-02T03:04:05.006Z"));
    }

    #[test]
    fn sidechain_and_programmatic_sessions_are_recognized() {
        let line = r#"{"type":"user","uuid":"u","isSidechain":true,"entrypoint":"sdk-cli","message":{"content":[{"type":"image"}]}}"#;
        let summary = read(&[line]);
        assert!(summary.is_sidechain && summary.is_programmatic());
        assert_eq!(summary.text(), Some("Image"));
    }
}
