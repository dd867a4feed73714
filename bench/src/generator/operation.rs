use std::rc::Rc;

use memchr::memmem::Finder;

use super::answer::{BEHAVIOR, PERMISSION_DECISION, TEXT, member, rpc_id};

/// A request to the host whose response is known.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A small tool call, `add`.
    Add,
    /// A tool call that returns its argument, which is already escaped for JSON.
    Echo(Rc<[u8]>),
    /// A tool call that takes 20 ms.
    Slow,
    /// A tool call upon which the host starts to read its messages.
    Read,
    /// A `PreToolUse` hook, with the callback id of the host.
    Hook(Rc<str>),
    /// A permission request.
    Permission,
}

impl Operation {
    /// Replaces `line` by the line of the request.
    pub(crate) fn write(&self, line: &mut Vec<u8>, id: u64) {
        let mut digits = [0; 20];
        let id = decimal(id, &mut digits);
        line.clear();
        put(
            line,
            r#"{"type":"control_request","request_id":"$","request":"#,
            id,
        );
        match self {
            Self::Add => call(line, id, b"add", &[br#""a":20,"b":22"#]),
            Self::Slow => call(line, id, b"slow", &[]),
            Self::Read => call(line, id, b"read", &[]),
            Self::Echo(text) => call(line, id, b"echo", &[br#""text":""#, text, b"\""]),
            Self::Hook(callback) => {
                put(
                    line,
                    r#"{"subtype":"hook_callback","callback_id":"$""#,
                    callback.as_bytes(),
                );
                put(
                    line,
                    r#","tool_use_id":"toolu_$","input":{"hook_event_name":"PreToolUse","session_id":"a1b2c3","transcript_path":"/srv/t.jsonl","cwd":"/srv","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_$"}}"#,
                    id,
                );
            }
            Self::Permission => put(
                line,
                r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch a"},"tool_use_id":"toolu_$","display_name":"Bash"}"#,
                id,
            ),
        }
        line.extend_from_slice(b"}\n");
    }

    /// Returns whether a line is the expected response to this request.
    pub(crate) fn is_answered_by(&self, line: &[u8], id: u64) -> bool {
        let has = |name: &Finder<'_>, value: &[u8]| {
            member(line, name).is_some_and(|rest| rest.starts_with(value))
        };
        match self {
            Self::Add => has(&TEXT, b"\"42\"") && rpc_id(line) == Some(id),
            Self::Slow | Self::Read => has(&TEXT, b"\"done\"") && rpc_id(line) == Some(id),
            Self::Echo(text) => {
                let rest = member(line, &TEXT).and_then(|rest| rest.strip_prefix(b"\""));
                let same = rest.and_then(|rest| rest.strip_prefix(text.as_ref()));
                same.is_some_and(|rest| rest.starts_with(b"\""))
            }
            Self::Hook(_) => has(&PERMISSION_DECISION, b"\"allow\""),
            Self::Permission => has(&BEHAVIOR, b"\"allow\""),
        }
    }
}

/// Returns a text of this length, escaped for JSON: lines of words, as in a file.
pub(crate) fn text_of(length: usize) -> Vec<u8> {
    const LINE: &[u8] =
        br"It is a truth universally acknowledged, that a benchmark must be in want of.\n";
    let mut text: Vec<u8> = LINE.iter().copied().cycle().take(length).collect();
    if text.ends_with(b"\\") {
        text.pop();
        text.push(b'.');
    }
    text
}

/// Appends a tool call with its members in the order of CLI 2.1.325.
fn call(line: &mut Vec<u8>, id: &[u8], tool: &[u8], arguments: &[&[u8]]) {
    put(
        line,
        r#"{"subtype":"mcp_message","server_name":"bench","message":{"method":"tools/call","params":{"name":"$","arguments":{"#,
        tool,
    );
    for part in arguments {
        line.extend_from_slice(part);
    }
    put(
        line,
        r#"},"_meta":{"claudecode/toolUseId":"toolu_$","progressToken":$}},"jsonrpc":"2.0","id":$}}"#,
        id,
    );
}

/// Appends a template with `filling` in place of every `$`; `format!` costs more than the rest of a request.
fn put(line: &mut Vec<u8>, template: &str, filling: &[u8]) {
    let mut rest = template.as_bytes();
    while let Some(place) = memchr::memchr(b'$', rest) {
        line.extend_from_slice(&rest[..place]);
        line.extend_from_slice(filling);
        rest = &rest[place + 1..];
    }
    line.extend_from_slice(rest);
}

fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_has_the_members_of_the_recorded_call_in_order() {
        let recording =
            include_str!("../../../crates/inhouse-proto/fixtures/2.1.325/mcp_in_process.out.jsonl");
        let recorded = recording
            .lines()
            .find(|line| line.contains(r#""method":"tools/call""#))
            .expect("the recording has a call");
        let mut ours = Vec::new();
        Operation::Add.write(&mut ours, 7);
        let ours = String::from_utf8(ours).expect("requests are UTF-8");
        assert_eq!(names(ours.trim_end()), names(recorded));
    }

    /// Returns the names of all members, in order.
    fn names(line: &str) -> Vec<&str> {
        let ends = line.match_indices("\":").map(|(end, _)| end);
        ends.map(|end| &line[line[..end].rfind('"').expect("a name has an opening quote") + 1..end])
            .collect()
    }

    #[test]
    fn response_with_another_result_or_id_is_rejected() {
        let response = |id: u64, text: &str| {
            format!(
                r#"{{"response":{{"request_id":"{id}","response":{{"mcp_response":{{"id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}}}}}}}"#
            )
        };
        assert!(Operation::Add.is_answered_by(response(5, "42").as_bytes(), 5));
        assert!(!Operation::Add.is_answered_by(response(5, "42").as_bytes(), 6));
        assert!(!Operation::Add.is_answered_by(response(5, "421").as_bytes(), 5));
        let echo = Operation::Echo(text_of(200).into());
        let text = String::from_utf8(text_of(200)).unwrap();
        assert!(echo.is_answered_by(response(5, &text).as_bytes(), 5));
        assert!(!echo.is_answered_by(response(5, &text[1..]).as_bytes(), 5));
    }

    #[test]
    fn requests_and_texts_are_json() {
        for operation in [
            Operation::Add,
            Operation::Slow,
            Operation::Read,
            Operation::Permission,
            Operation::Hook("hook_0".into()),
            Operation::Echo(text_of(1000).into()),
        ] {
            let mut line = Vec::new();
            operation.write(&mut line, 7);
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["request_id"], "7", "{operation:?}");
        }
        for length in 1..200 {
            let text = [b"\"".as_slice(), &text_of(length), b"\""].concat();
            assert!(serde_json::from_slice::<String>(&text).is_ok(), "{length}");
        }
    }
}
