//! Writes one turn into a response body, at the pace of its reader.

use bytes::Bytes;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::{
    Turn,
    body::HungUp,
    sse::{self, Events},
    turn::{Block, Ending},
};

/// An answer in two halves: a turn that stalls or hangs up does so between them.
pub(super) struct Halves {
    opening: Vec<Bytes>,
    closing: Vec<Bytes>,
}

impl Halves {
    /// The turn as server-sent events.
    pub(super) fn streamed(turn: &Turn, message_id: &str, model: &str) -> Self {
        let Events { opening, closing } = Events::of(turn, message_id, model);
        Self { opening, closing }
    }

    /// The turn as one JSON document, cut in the middle.
    pub(super) fn whole(turn: &Turn, message_id: &str, model: &str) -> Self {
        let message = json!({
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": turn.blocks.iter().map(Block::whole).collect::<Vec<_>>(),
            "stop_reason": turn.final_stop_reason(),
            "stop_sequence": null,
            "usage": turn.usage.at_end(),
        });
        let mut opening = Bytes::from(message.to_string());
        let closing = opening.split_off(opening.len() / 2);
        Self {
            opening: vec![opening],
            closing: vec![closing],
        }
    }
}

/// The client went away before it had the whole answer.
pub(super) struct ClientLeft;

/// Sends the halves and does between them what the ending says.
pub(super) async fn play(
    Halves { opening, closing }: Halves,
    ending: Ending,
    body: mpsc::Sender<Result<Bytes, HungUp>>,
    released: oneshot::Receiver<()>,
) -> Result<(), ClientLeft> {
    send_all(&body, opening).await?;
    match ending {
        Ending::Complete => send_all(&body, closing).await,
        Ending::Stall => {
            tokio::select! {
                () = body.closed() => return Err(ClientLeft),
                _ = released => {}
            }
            send_all(&body, closing).await
        }
        Ending::HangUp => body.send(Err(HungUp)).await.map_err(|_| ClientLeft),
        Ending::Fail(error) => send_all(&body, vec![sse::error_event(&error)]).await,
    }
}

async fn send_all(
    body: &mpsc::Sender<Result<Bytes, HungUp>>,
    parts: Vec<Bytes>,
) -> Result<(), ClientLeft> {
    for part in parts {
        body.send(Ok(part)).await.map_err(|_| ClientLeft)?;
    }
    Ok(())
}
