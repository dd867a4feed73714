//! `inhouse` leaves the wire to `inhouse-proto`: it names no frame of it.

use super::finding::Finding;
use super::rust_source::RustSource;
use crate::workspace::TextFile;

/// Frames and requests whose names mean nothing else; words such as `user` or `result` have other uses.
const WIRE_TAGS: &[&str] = &[
    "can_use_tool",
    "control_cancel_request",
    "control_request",
    "control_response",
    "hook_callback",
    "keep_alive",
    "mcp_message",
    "session_state_changed",
    "set_permission_mode",
    "stream_event",
    "transcript_mirror",
];

pub(crate) fn check(files: &[TextFile]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| {
            file.path.starts_with("crates/inhouse/src/") && file.is_rust() && !file.is_test()
        })
        .flat_map(|file| tags_in(&file.path, &RustSource::parse(&file.text)))
        .collect()
}

fn tags_in(path: &str, source: &RustSource) -> Vec<Finding> {
    let first_test_line = source.first_test_line();
    let literals = source
        .literals
        .iter()
        .filter(|literal| literal.line < first_test_line);
    literals
        .filter(|literal| WIRE_TAGS.contains(&literal.text.as_str()))
        .map(|literal| {
            Finding::at_line(
                path,
                literal.line,
                format!("\"{}\" is a tag of the wire", literal.text),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        tags_in("a.rs", &RustSource::parse(text)).len()
    }

    #[test]
    fn a_tag_in_code_is_found() {
        assert_eq!(count("match tag { \"control_request\" => a, _ => b }"), 1);
    }

    #[test]
    fn a_tag_in_prose_or_tests_is_fine() {
        assert_eq!(
            count("/// Sends a \"control_request\".\nfn a() { b(\"the stream_event came late\") }"),
            0
        );
        assert_eq!(
            count("#[cfg(test)]\nmod tests {\n    const A: &str = \"stream_event\";\n}"),
            0
        );
    }
}
