use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// A response body whose parts come through a channel.
pub(super) struct ChannelBody {
    parts: mpsc::Receiver<Result<Bytes, HungUp>>,
    hanging_up: bool,
}

/// The reason why the server cuts a connection: the script says so.
#[derive(Debug)]
pub(super) struct HungUp;

impl ChannelBody {
    pub(super) fn new() -> (mpsc::Sender<Result<Bytes, HungUp>>, Self) {
        let (sender, parts) = mpsc::channel(1);
        (
            sender,
            Self {
                parts,
                hanging_up: false,
            },
        )
    }
}

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = HungUp;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HungUp>>> {
        if self.hanging_up {
            return Poll::Ready(Some(Err(HungUp)));
        }
        match self.parts.poll_recv(cx) {
            Poll::Ready(Some(Err(HungUp))) => {
                // hyper drops what it has buffered when a body fails, but flushes when a body is pending: one idle
                // round makes sure that the client gets everything before the cut.
                self.hanging_up = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            other => other.map(|part| part.map(|part| part.map(Frame::data))),
        }
    }
}

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the script of the model hangs up here")
    }
}

impl Error for HungUp {}

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
        sender.send(Err(HungUp)).await.unwrap();
        assert!(poll().is_pending());
        assert!(matches!(poll(), Poll::Ready(Some(Err(HungUp)))));
    }
}
