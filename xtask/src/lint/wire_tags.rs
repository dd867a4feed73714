//! `inhouse` leaves the wire format to `inhouse-proto`: its code has no frame tags.

use anyhow::Result;

use super::{Files, Findings};

/// Tags that have no other meaning; words such as `user` or `result` do.
const WIRE_TAGS: &[&str] = &[
    "\"can_use_tool\"",
    "\"control_cancel_request\"",
    "\"control_request\"",
    "\"control_response\"",
    "\"hook_callback\"",
    "\"keep_alive\"",
    "\"mcp_message\"",
    "\"session_state_changed\"",
    "\"set_permission_mode\"",
    "\"stream_event\"",
    "\"transcript_mirror\"",
];

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut findings = Findings::new();
    for (file, source) in files.rust() {
        if !file.path.starts_with("crates/inhouse/src/") || file.is_test() {
            continue;
        }
        let first_test_line = source.first_test_line();
        let code = source
            .code()
            .take_while(|token| token.line < first_test_line);
        for token in code.filter(|token| WIRE_TAGS.contains(&token.text.as_str())) {
            findings.push(format!(
                "{}:{}: {} is a tag of the wire",
                file.path, token.line, token.text
            ));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn tags_are_found_in_code_and_not_in_prose_or_tests() {
        for (text, expected) in [
            ("match tag { \"control_request\" => a, _ => b }", 1),
            (
                "/// Sends a \"control_request\".\nfn a() { b(\"the stream_event came late\") }",
                0,
            ),
            (
                "#[cfg(test)]\nmod tests {\n    const A: &str = \"stream_event\";\n}",
                0,
            ),
        ] {
            let findings = check(&files(&[("crates/inhouse/src/a.rs", text)])).unwrap();
            assert_eq!(findings.len(), expected, "{text}");
        }
    }
}
