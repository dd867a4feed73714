use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use inhouse_proto::message::Prompt;

use super::Session;
use crate::error::Error;

/// The prompts of a query.
pub(crate) type Prompts = Pin<Box<dyn Stream<Item = Prompt> + Send>>;

/// Boxes a stream of anything that is a prompt.
pub(crate) fn box_prompts<S>(prompts: S) -> Prompts
where
    S: Stream<Item: Into<Prompt>> + Send + 'static,
{
    Box::pin(IntoPrompts(Box::pin(prompts)))
}

struct IntoPrompts<S>(Pin<Box<S>>);

impl<S: Stream<Item: Into<Prompt>>> Stream for IntoPrompts<S> {
    type Item = Prompt;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Prompt>> {
        let next = self.0.as_mut().poll_next(cx);
        next.map(|prompt| prompt.map(Into::into))
    }
}

/// Sends each prompt as it comes, and ends the input of the session after the last one.
///
/// The weak reference lets the session end when its handles are dropped. The stream is dropped then.
pub(super) async fn send_all(mut prompts: Prompts, session: Session) {
    let Some((mut ended, _)) = session.end_and_timeout() else {
        return;
    };
    let mut end = EndOnDrop {
        session: session.clone(),
        error: None,
    };
    loop {
        let prompt = tokio::select! {
            biased;
            // The driver's task, which has the sender, sends nothing: it is closed at the end.
            _ = ended.changed() => return,
            prompt = poll_fn(|cx| prompts.as_mut().poll_next(cx)) => prompt,
        };
        let (Some(prompt), Some(control)) = (prompt, session.control()) else {
            return;
        };
        if let Err(error) = control.send(prompt).await {
            tracing::warn!(%error, "prompt of a stream was not sent");
            end.error = Some(error);
            return;
        }
    }
}

/// Ends the input of a session, also if the stream of prompts panics.
struct EndOnDrop {
    session: Session,
    /// Why a prompt was not sent.
    error: Option<Error>,
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(control) = self.session.control() {
            control.end_input(self.error.take());
        }
    }
}
