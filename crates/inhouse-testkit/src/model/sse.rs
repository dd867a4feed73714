//! A turn as the server-sent events of a streamed answer.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    ApiError, Turn,
    player::Halves,
    turn::{Block, Pieces, SIGNATURE},
};

impl Halves {
    /// Encodes the turn as server-sent events. The first half ends with the last delta, so the last block is still open.
    pub(super) fn streamed(turn: &Turn, message_id: &str, model: &str) -> Self {
        let (opening, closing) = events(turn, message_id, model);
        let encode = |events: Vec<Value>| events.iter().map(encode).collect();
        Self {
            opening: encode(opening),
            closing: encode(closing),
        }
    }
}

/// Returns the events of a streamed turn in two halves; the last block is still open after the first.
pub(crate) fn events(turn: &Turn, message_id: &str, model: &str) -> (Vec<Value>, Vec<Value>) {
    let mut opening = vec![json!({ "type": "message_start", "message": {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": turn.usage.at_start(),
    }})];
    let mut closing = Vec::new();
    for (index, block) in turn.blocks.iter().enumerate() {
        opening.append(&mut closing);
        opening.push(json!({
            "type": "content_block_start", "index": index, "content_block": block_at_start(block),
        }));
        opening.extend(
            deltas(block, turn.pieces).into_iter().map(
                |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            ),
        );
        closing.push(json!({ "type": "content_block_stop", "index": index }));
    }
    closing.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": turn.final_stop_reason(), "stop_sequence": null },
        "usage": turn.usage.at_end(),
    }));
    closing.push(json!({ "type": "message_stop" }));
    (opening, closing)
}

/// Returns the event that reports an error in the middle of a stream.
pub(super) fn error_event(error: &ApiError) -> Bytes {
    encode(&error.body())
}

fn encode(event: &Value) -> Bytes {
    let name = event["type"].as_str().unwrap_or_default();
    Bytes::from(format!("event: {name}\ndata: {event}\n\n"))
}

fn block_at_start(block: &Block) -> Value {
    match block {
        Block::Text(_) => json!({ "type": "text", "text": "" }),
        Block::Thinking(_) => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        Block::ToolUse { id, name, .. } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
        }
        Block::Raw(block) => block.clone(),
    }
}

fn deltas(block: &Block, pieces: Pieces) -> Vec<Value> {
    match block {
        Block::Text(text) => cut(text, pieces)
            .map(|piece| json!({ "type": "text_delta", "text": piece }))
            .collect(),
        Block::Thinking(thinking) => cut(thinking, pieces)
            .map(|piece| json!({ "type": "thinking_delta", "thinking": piece }))
            .chain([json!({ "type": "signature_delta", "signature": SIGNATURE })])
            .collect(),
        Block::ToolUse { input, .. } => cut(&input.to_string(), pieces)
            .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }))
            .collect(),
        Block::Raw(_) => Vec::new(),
    }
}

/// Cuts between characters into pieces of nearly equal length.
fn cut(text: &str, Pieces(at_most): Pieces) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    let length = chars.len().div_ceil(at_most).max(1);
    chars
        .chunks(length)
        .map(|piece| piece.iter().collect())
        .collect::<Vec<String>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(events: &[Bytes]) -> Vec<Value> {
        events
            .iter()
            .map(|event| {
                let text = std::str::from_utf8(event).unwrap();
                let (_, data) = text.split_once("data: ").unwrap();
                serde_json::from_str(data.trim_end()).unwrap()
            })
            .collect()
    }

    #[test]
    fn deltas_add_up_to_the_block() {
        let input = json!({ "command": "echo 'ü – 猫'" });
        let turn =
            Turn::new()
                .text("schön – 猫")
                .tool_use_with_id("toolu_1", "Bash", input.clone());
        let events = data(&Halves::streamed(&turn, "msg_1", "m").opening);
        let joined = |index: u64, field: &str| -> String {
            let deltas = events.iter().filter(|e| e["type"] == "content_block_delta");
            deltas
                .filter(|e| e["index"] == index)
                .map(|e| e["delta"][field].as_str().unwrap())
                .collect()
        };
        assert_eq!(joined(0, "text"), "schön – 猫");
        assert_eq!(joined(1, "partial_json"), input.to_string());
    }

    #[test]
    fn block_is_split_into_at_most_the_requested_pieces() {
        for (pieces, text, expected) in [
            (4, "abcdefgh", 4),
            (3, "abcdefgh", 3),
            (4, "ab", 2),
            (1, "abc", 1),
        ] {
            let turn = Turn::new().text(text).pieces(pieces);
            let events = data(&Halves::streamed(&turn, "msg_1", "m").opening);
            let deltas = events
                .iter()
                .filter(|e| e["type"] == "content_block_delta")
                .count();
            assert_eq!(deltas, expected, "{text} in {pieces}");
        }
    }

    #[test]
    fn only_the_last_block_is_open() {
        let events = Halves::streamed(&Turn::new().text("a").text("b"), "msg_1", "m");
        let stops = |events: &[Bytes]| {
            data(events)
                .iter()
                .filter(|e| e["type"] == "content_block_stop")
                .count()
        };
        assert_eq!((stops(&events.opening), stops(&events.closing)), (1, 1));
    }
}
