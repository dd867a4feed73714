use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const KNOWN: &str = "open \"sesame\" of Ali/Baba";
const KEY: &str =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----";

fn redactor() -> Redactor {
    Redactor::new(Secrets::new([KNOWN.to_owned()]))
}

fn delta(member: &str, text: &str) -> String {
    json!({
        "type": "stream_event",
        "event": {
            "type": "content_block_delta", "index": 1,
            "delta": { "type": "some_delta", member: text },
        },
        "parent_tool_use_id": null,
    })
    .to_string()
}

fn stop() -> String {
    let event = json!({ "type": "content_block_stop", "index": 1 });
    json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }).to_string()
}

/// Streams the parts of a text; returns the bytes that were written and the text in them.
fn streamed<'a>(member: &str, parts: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let mut redactor = redactor();
    let mut out = Vec::new();
    for part in parts {
        redactor.push_cli("", &delta(member, part), "\n", &mut out);
    }
    redactor.push_cli("", &stop(), "\n", &mut out);
    assert!(redactor.queue.is_empty() && redactor.queued_bytes == 0);
    let written = String::from_utf8(out).unwrap();
    let lines = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = lines.filter_map(|line| Some(line["event"]["delta"][member].as_str()?.to_owned()));
    let text = text.collect();
    (written, text)
}

/// Texts with a secret, and a part of it that must not be written.
fn texts() -> Vec<(String, &'static str)> {
    let escaped = json!({ "a": KNOWN, "b": 1 }).to_string();
    let twice = json!({ "a": escaped }).to_string();
    let password = r#"{"password":"!abc12345","n":1}"#.to_owned();
    let phrase = json!({ "password": "correct \"horse\" battery\\", "b": "a b c d" }).to_string();
    let headers = json!({
        "authorization": "Custom of the user",
        "set-cookie": ["sid=1; a b c d", "other of sid"],
        "other": "text",
    })
    .to_string();
    vec![
        (format!("Say {KNOWN} and go on with it now."), "sesame"),
        (escaped, "sesame"),
        (twice, "sesame"),
        (
            "The key is sk-ant-api03-AbCdEfGh12345 as you know, so use it.".to_owned(),
            "AbCdEfGh",
        ),
        (
            r#"{"command": "curl -H 'Authorization: Bearer abcdef012345' host"}"#.to_owned(),
            "abcdef012345",
        ),
        (
            "set api_key = 'q1w2e3r4t5z6' and then some more words".to_owned(),
            "q1w2e3r4",
        ),
        (
            format!("Here it is:\n{KEY}\nKeep it, will you please?"),
            "MIIE",
        ),
        (json!({ "key": KEY, "other": "text" }).to_string(), "MIIE"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln is a token".to_owned(),
            "hbGciOiJ",
        ),
        (
            "run DB_PASSWORD=$ecret12345 and then some more".to_owned(),
            "ecret",
        ),
        (password.clone(), "!abc"),
        (json!({ "a": password }).to_string(), "!abc"),
        (phrase.clone(), "horse"),
        (json!({ "content": phrase }).to_string(), "horse"),
        (headers.clone(), "sid"),
        (json!({ "content": headers }).to_string(), "Custom"),
        (
            "> Authorization: token of Ali Baba and more\n> Host: a b c d\n".to_owned(),
            "Baba",
        ),
        (
            json!({ "out": "GET /\nCookie: sid=1; b=\"2 3\"\nHost: a b c d" }).to_string(),
            "sid",
        ),
        (
            "curl -H 'Proxy-Authorization: Digest a=\"b c\", sid=1' http://a b c d".to_owned(),
            "sid",
        ),
        (
            "clone https://me:p@ss,w(ord@host/a.git and then some more words".to_owned(),
            "w(ord",
        ),
        (
            json!({ "url": "postgres://me:\u{a0}sid@a", "b": json!("redis://:s:id@h").to_string() })
                .to_string(),
            "s:id",
        ),
        (
            "token='Authorization: p\u{a0}wxyz'abcdefgh1; Bearer ' and more".to_owned(),
            "wxyz",
        ),
        (
            "`Set-Cookie: x-api-key: \"'Bearer wxyz`; p q r s t".to_owned(),
            "wxyz",
        ),
        (
            "the password = 'it is a \\'long one' as you know, so use it".to_owned(),
            "long",
        ),
    ]
}

#[test]
fn secret_that_is_split_anywhere_is_redacted() {
    for (text, secret) in texts() {
        let whole = Secrets::new([KNOWN.to_owned()]).redact(&text).into_owned();
        assert!(
            whole.contains(REPLACEMENT) && !whole.contains(secret),
            "{whole}"
        );
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (written, streamed) = streamed("text", [&text[..cut], &text[cut..]]);
            assert!(!written.contains(secret), "cut at {cut}: {written}");
            assert_eq!(streamed, whole, "cut at {cut}");
        }
    }
}

#[test]
fn secret_in_deltas_of_one_byte_is_redacted() {
    for (text, _) in texts() {
        let whole = Secrets::new([KNOWN.to_owned()]).redact(&text).into_owned();
        for member in ["text", "thinking", "partial_json", "content", "of_later"] {
            let (_, streamed) = streamed(member, text.split_inclusive(|_| true));
            assert_eq!(streamed, whole);
        }
    }
}

/// Parts of texts with headers and URLs, in quotes and escapes.
const PARTS: [&str; 25] = [
    "Authorization: ",
    "Set-Cookie:",
    "x-api-key: ",
    "Bearer ",
    "token=",
    "https://",
    "me:",
    "@host",
    "abcdefgh1",
    "p\u{a0}w",
    "/",
    "=",
    "; ",
    " ",
    "\n",
    "\r\n",
    "\\n",
    "'",
    "\"",
    "\\\"",
    "\\",
    "`",
    "}",
    ", ",
    "\\\\",
];

proptest! {
    #[test]
    fn headers_and_urls_are_redacted_however_they_are_split(
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 1..16),
        size in 1..9_usize,
    ) {
        let text = parts.concat();
        let whole = Secrets::new([KNOWN.to_owned()]).redact(&text).into_owned();
        let characters: Vec<char> = text.chars().collect();
        let deltas: Vec<String> = characters.chunks(size).map(String::from_iter).collect();
        let (_, streamed) = streamed("text", deltas.iter().map(String::as_str));
        prop_assert_eq!(streamed, whole);
    }
}

#[test]
fn settled_words_are_written_at_once() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    for word in ["One ", "two ", "three ", "four ", "five "] {
        redactor.push_cli("", &delta("text", word), "\n", &mut out);
    }
    redactor.push_cli("", r#"{"type":"system"}"#, "\n", &mut out);
    let written = String::from_utf8(out.clone()).unwrap();
    assert_eq!(written.lines().count(), 3, "{written}");
    redactor.finish(&mut out);
    let written = String::from_utf8(out).unwrap();
    assert_eq!(written.lines().count(), 6, "{written}");
    assert!(written.ends_with("{\"type\":\"system\"}\n"));
}

#[test]
fn blocks_of_several_messages_do_not_mix() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    let (start, end) = KNOWN.split_at(9);
    let other = delta("text", "other").replace("null", "\"toolu_1\"");
    for line in [delta("text", start), other, delta("text", end), stop()] {
        redactor.push_cli("", &line, "\n", &mut out);
    }
    redactor.finish(&mut out);
    let written = String::from_utf8(out).unwrap();
    assert!(
        !written.contains("sesame") && written.contains("\"other\""),
        "{written}"
    );
}

#[test]
fn rest_of_a_block_is_redacted_when_too_much_is_held_back() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    redactor.push_cli("", &delta("text", "sk-ant-"), "\n", &mut out);
    let line = json!({ "type": "system", "text": "x".repeat(1 << 20) }).to_string();
    for _ in 0..5 {
        redactor.push_cli("", &line, "\n", &mut out);
    }
    assert!(redactor.queue.is_empty());
    redactor.push_cli("", &delta("text", "api03-abcdefgh"), "\n", &mut out);
    redactor.push_cli("", &stop(), "\n", &mut out);
    let written = String::from_utf8(out).unwrap();
    assert!(!written.contains("api03"));
    assert_eq!(written.lines().count(), 8);
}

#[test]
fn second_private_key_of_a_line_of_stderr_is_redacted() {
    let one_line = KEY.replace('\n', " ");
    let begin = "-----BEGIN PRIVATE KEY-----";
    for first in [
        vec![format!("{one_line} {begin}")],
        vec![
            begin.to_owned(),
            format!("-----END PRIVATE KEY----- {begin}"),
        ],
    ] {
        let mut redactor = redactor();
        let mut out = Vec::new();
        for line in first.iter().map(String::as_str).chain(["MIIE"]) {
            redactor.push_text("", line, "\n", &mut out);
        }
        let written = String::from_utf8(out).unwrap();
        assert!(!written.contains("MIIE"), "{written}");
    }
}

#[test]
fn private_key_in_lines_of_stderr_is_redacted() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    for line in ["before"].into_iter().chain(KEY.lines()).chain(["after"]) {
        redactor.push_text("", line, "\n", &mut out);
    }
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\"before\"\n\"[redacted]\"\n\"[redacted]\"\n\"[redacted]\"\n\"[redacted]\"\n\"after\"\n"
    );
}

#[test]
fn work_on_a_text_without_blanks_grows_with_its_length() {
    let searched = |length: usize| {
        let mut redactor = redactor();
        let mut out = Vec::new();
        for _ in 0..length / 16 {
            redactor.push_cli("", &delta("text", "QUJDREVGR0hJSktM"), "\n", &mut out);
        }
        assert_eq!(redactor.blocks[0].text.len(), length, "it is held back");
        redactor.searched
    };
    let (short, long) = (searched(1 << 13), searched(1 << 16));
    assert!(long < 10 * short, "{short} bytes, then {long}");
}

#[test]
fn block_is_settled_behind_one_that_is_held_back() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    let other = delta("text", "one two three four ").replace("null", "\"toolu_1\"");
    for line in [delta("text", "sk-ant-"), other.clone(), other, stop()] {
        redactor.push_cli("", &line, "\n", &mut out);
    }
    let written = String::from_utf8(out).unwrap();
    assert_eq!(written.lines().count(), 2, "{written}");
    assert!(written.contains("one two three four"), "{written}");
}

#[test]
fn secret_that_a_cut_has_split_is_redacted() {
    let mut redactor = redactor();
    for (text, expected) in [
        ("before open \"ses", "\"before [redacted] …\"\n"),
        (r#"{"a":"open \"ses"#, "\"{\\\"a\\\":\\\"[redacted] …\"\n"),
        ("the password is plain", "\"the password is plain …\"\n"),
    ] {
        let mut out = Vec::new();
        redactor.push_cut_text("", text, " …", "\n", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
