use std::rc::Rc;

use memchr::memmem::Finder;

use super::answer::{BEHAVIOR, PERMISSION_DECISION, TEXT, member, rpc_id};

/// Something that the CLI asks of its host, and knows the answer to.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A small tool call.
    Add,
    /// A tool call that gives its argument back; the text as it stands in JSON.
    Echo(Rc<[u8]>),
    /// A tool call that takes a while.
    Slow,
    /// A tool call that makes the host read its messages.
    Read,
    /// A hook before a tool, with the id under which the host has registered it.
    Hook(Rc<str>),
    /// A question for permission.
    Permission,
}

impl Operation {
    /// Puts the whole line of the request into `line`.
    pub(crate) fn write(&self, line: &mut Vec<u8>, id: u64) {
        let mut digits = [0; 20];
        let id = in_digits(id, &mut digits);
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

    /// Whether this line answers this request with what it must be answered with.
    pub(crate) fn is_answered_by(&self, line: &[u8], id: u64) -> bool {
        let says = |name: &Finder<'_>, value: &[u8]| {
            member(line, name).is_some_and(|rest| rest.starts_with(value))
        };
        match self {
            Self::Add => says(&TEXT, b"\"42\"") && rpc_id(line) == Some(id),
            Self::Slow | Self::Read => says(&TEXT, b"\"done\"") && rpc_id(line) == Some(id),
            Self::Echo(text) => {
                let rest = member(line, &TEXT).and_then(|rest| rest.strip_prefix(b"\""));
                let same = rest.and_then(|rest| rest.strip_prefix(text.as_ref()));
                same.is_some_and(|rest| rest.starts_with(b"\""))
            }
            Self::Hook(_) => says(&PERMISSION_DECISION, b"\"allow\""),
            Self::Permission => says(&BEHAVIOR, b"\"allow\""),
        }
    }
}

/// A text of this length in JSON, as files are: lines of words, each with an escaped end.
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

/// In the order in which the CLI writes.
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

/// Appends a text with a filling in the place of every `$`: formatting would cost more than all the
/// rest of a request.
fn put(line: &mut Vec<u8>, text: &str, filling: &[u8]) {
    let mut rest = text.as_bytes();
    while let Some(place) = memchr::memchr(b'$', rest) {
        line.extend_from_slice(&rest[..place]);
        line.extend_from_slice(filling);
        rest = &rest[place + 1..];
    }
    line.extend_from_slice(rest);
}

fn in_digits(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
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

    /// The library reads calls in just this form faster than others.
    #[test]
    fn a_call_has_the_form_in_which_the_cli_writes_it() {
        let recording =
            include_str!("../../../crates/inhouse-proto/fixtures/2.1.325/mcp_in_process.out.jsonl");
        let is_call = |line: &&str| line.contains(r#""method":"tools/call""#);
        let recorded = recording.lines().find(is_call).expect("a call");
        let mut ours = Vec::new();
        Operation::Add.write(&mut ours, 7);
        let ours = String::from_utf8(ours).expect("text");
        assert_eq!(names(ours.trim_end()), names(recorded));
    }

    /// The names of all members, in order.
    fn names(line: &str) -> Vec<&str> {
        let ends = line.match_indices("\":").map(|(end, _)| end);
        ends.map(|end| &line[line[..end].rfind('"').expect("a name begins") + 1..end])
            .collect()
    }

    #[test]
    fn an_answer_with_another_result_or_id_is_none() {
        let answer = |id: u64, text: &str| {
            format!(
                r#"{{"response":{{"request_id":"{id}","response":{{"mcp_response":{{"id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}}}}}}}"#
            )
        };
        assert!(Operation::Add.is_answered_by(answer(5, "42").as_bytes(), 5));
        assert!(!Operation::Add.is_answered_by(answer(5, "42").as_bytes(), 6));
        assert!(!Operation::Add.is_answered_by(answer(5, "421").as_bytes(), 5));
        let echo = Operation::Echo(text_of(200).into());
        let said = String::from_utf8(text_of(200)).unwrap();
        assert!(echo.is_answered_by(answer(5, &said).as_bytes(), 5));
        assert!(!echo.is_answered_by(answer(5, &said[1..]).as_bytes(), 5));
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
