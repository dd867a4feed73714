//! Writes one turn into a response body, as fast as the client reads it.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::{
    Turn, sse,
    turn::{Block, Ending},
};

/// An answer in two halves; a turn stalls, fails or disconnects between them.
pub(super) struct Halves {
    pub(super) opening: Vec<Bytes>,
    pub(super) closing: Vec<Bytes>,
}

impl Halves {
    /// Encodes the turn as one JSON document, cut in the middle.
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

/// The client disconnected before the answer was complete.
pub(super) struct ClientDisconnected;

/// Sends both halves, with the ending's action between them.
pub(super) async fn play(
    Halves { opening, closing }: Halves,
    ending: Ending,
    body: mpsc::Sender<Result<Bytes, Disconnected>>,
    released: oneshot::Receiver<()>,
) -> Result<(), ClientDisconnected> {
    send_all(&body, opening).await?;
    match ending {
        Ending::Complete => send_all(&body, closing).await,
        Ending::Stall => {
            tokio::select! {
                () = body.closed() => return Err(ClientDisconnected),
                _ = released => {}
            }
            send_all(&body, closing).await
        }
        Ending::Disconnect => body
            .send(Err(Disconnected))
            .await
            .map_err(|_| ClientDisconnected),
        Ending::Fail(error) => send_all(&body, vec![sse::error_event(&error)]).await,
    }
}

async fn send_all(
    body: &mpsc::Sender<Result<Bytes, Disconnected>>,
    parts: Vec<Bytes>,
) -> Result<(), ClientDisconnected> {
    for part in parts {
        body.send(Ok(part)).await.map_err(|_| ClientDisconnected)?;
    }
    Ok(())
}

/// A response body that reads its parts from a channel.
pub(super) struct ChannelBody {
    parts: mpsc::Receiver<Result<Bytes, Disconnected>>,
    disconnecting: bool,
}

/// The error with which a turn cuts its connection.
#[derive(Debug)]
pub(super) struct Disconnected;

impl ChannelBody {
    pub(super) fn new() -> (mpsc::Sender<Result<Bytes, Disconnected>>, Self) {
        let (sender, parts) = mpsc::channel(1);
        (
            sender,
            Self {
                parts,
                disconnecting: false,
            },
        )
    }
}

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = Disconnected;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Disconnected>>> {
        if self.disconnecting {
            return Poll::Ready(Some(Err(Disconnected)));
        }
        match self.parts.poll_recv(cx) {
            Poll::Ready(Some(Err(Disconnected))) => {
                // hyper discards its buffer when a body fails but flushes when a body is pending: returning pending
                // once delivers everything before the cut.
                self.disconnecting = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            other => other.map(|part| part.map(|part| part.map(Frame::data))),
        }
    }
}

impl fmt::Display for Disconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the script cuts the connection here")
    }
}

impl Error for Disconnected {}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[tokio::test]
    async fn body_is_pending_once_before_the_connection_is_cut() {
        let (sender, mut body) = ChannelBody::new();
        let mut cx = Context::from_waker(Waker::noop());
        let mut poll = || Pin::new(&mut body).poll_frame(&mut cx);
        sender.send(Ok(Bytes::from_static(b"part"))).await.unwrap();
        assert!(matches!(poll(), Poll::Ready(Some(Ok(_)))));
        sender.send(Err(Disconnected)).await.unwrap();
        assert!(poll().is_pending());
        assert!(matches!(poll(), Poll::Ready(Some(Err(Disconnected)))));
    }
}
