//! Mutation of inputs, for a toolchain without libFuzzer.

use fastrand::Rng;

/// Maximum length of a mutated input in bytes.
const MAX_LENGTH: usize = 64 * 1024;

/// Texts that a parser of the protocol treats specially.
const TOKENS: [&str; 58] = [
    "\n",
    "\r\n",
    "\0",
    "\"",
    "\\",
    "\\\"",
    "\\\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    " ",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "0.1",
    "{}",
    "[]",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "\\u2028",
    "\u{feff}",
    "\u{2028}",
    "😀",
    "é",
    "(",
    ")",
    "\\(",
    "*",
    ":*",
    "mcp__",
    "\"type\":",
    "\"subtype\":",
    "\"uuid\":",
    "\"parentUuid\":",
    "\"id\":",
    "\"request_id\":",
    "\"message\":",
    "\"content\":",
    "\"method\":\"tools/call\"",
    "\"method\":\"tools/list\"",
    "\"method\":\"initialize\"",
    "\"params\":",
    "\"user\"",
    "\"assistant\"",
    "\"system\"",
    "\"result\"",
    "\"control_request\"",
    "\"control_response\"",
    "in\n",
    "out end\n",
];

/// Returns a mutant of a random input: one to four changes, some of them parts of another input.
pub(crate) fn mutate(inputs: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = rng.choice(inputs).cloned().unwrap_or_default();
    for _ in 0..rng.usize(1..=4) {
        change(&mut bytes, inputs, rng);
    }
    bytes.truncate(MAX_LENGTH);
    bytes
}

fn change(bytes: &mut Vec<u8>, inputs: &[Vec<u8>], rng: &mut Rng) {
    let at = rng.usize(..=bytes.len());
    let range = some_range(bytes.len(), rng);
    match rng.u8(..8) {
        0 if !bytes.is_empty() => {
            let at = at.min(bytes.len() - 1);
            bytes[at] ^= 1 << rng.u8(..8);
        }
        1 if !bytes.is_empty() => {
            let at = at.min(bytes.len() - 1);
            bytes[at] = rng.u8(..);
        }
        2 => drop(bytes.drain(range)),
        3 => {
            let copy = bytes[range].to_vec();
            insert(bytes, at, &copy);
        }
        4 => {
            let token = rng.choice(TOKENS).unwrap_or_default();
            insert(bytes, at, token.as_bytes());
        }
        5 => {
            let token = rng.choice(TOKENS).unwrap_or_default();
            bytes.splice(range, token.bytes());
        }
        6 => {
            let other = rng.choice(inputs).map(Vec::as_slice).unwrap_or_default();
            let part = some_range(other.len(), rng);
            bytes.splice(range, other[part].iter().copied());
        }
        // Deep nesting: a parser that recurses without a limit overflows its stack.
        _ if rng.u8(..64) == 0 => {
            let open = if rng.bool() { "[" } else { "{\"a\":" };
            insert(bytes, at, open.repeat(rng.usize(1..5_000)).as_bytes());
        }
        _ => insert(bytes, at, &[rng.u8(b' '..=b'~')]),
    }
}

/// Returns a range, mostly a short one.
fn some_range(length: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let start = rng.usize(..=length);
    let most = if rng.bool() { 16 } else { length };
    start..(start + rng.usize(..=most)).min(length)
}

fn insert(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    bytes.splice(at..at, new.iter().copied());
}
