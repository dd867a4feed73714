use inhouse_proto::control::outgoing::{Initialize, InitializeReply};

use super::Purpose;
use crate::control::Control;
use crate::driver::Close;
use crate::error::{Error, ErrorKind, Result};

/// Introduces the host to a CLI that has just been started.
///
/// # Cancellation
/// Dropping the future kills the CLI.
pub(super) async fn introduce(
    control: &Control,
    introduction: Control,
    initialize: Initialize,
    needs_managed_settings: bool,
    purpose: Purpose,
) -> Result<()> {
    let guard = KillUnlessDefused(Some(control.clone()));
    // The prompt does not wait for the answer: the CLI reads it once it is ready.
    let (reply, sent) = tokio::join!(introduction.request(initialize), async {
        match purpose {
            Purpose::Query(prompt) => introduction.send(*prompt).await.map(drop),
            Purpose::Conversation => Ok(()),
        }
    });
    let accepted = match reply {
        Ok(reply) => accept(reply, needs_managed_settings).and_then(|reply| sent.map(|()| reply)),
        Err(error) => Err(handshake_error(error)),
    };
    match accepted {
        Ok(reply) => {
            tracing::debug!("the CLI has accepted the session");
            control.shared().initialize(reply);
            guard.defuse();
            Ok(())
        }
        Err(error) => {
            control.end(Close::Now).await;
            Err(error)
        }
    }
}

/// Kills the CLI when a connect is given up half-way.
struct KillUnlessDefused(Option<Control>);

impl KillUnlessDefused {
    fn defuse(mut self) {
        self.0 = None;
    }
}

impl Drop for KillUnlessDefused {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.begin_end(Close::Now);
        }
    }
}

/// Managed settings are restrictions: without them the session must not begin.
fn accept(reply: InitializeReply, needs_managed_settings: bool) -> Result<InitializeReply> {
    if needs_managed_settings && reply.managed_settings_applied != Some(true) {
        return Err(Error::new(
            ErrorKind::Handshake,
            "the CLI did not apply the managed settings; it may be too old for them, or an \
             administrator's own come first",
        ));
    }
    Ok(reply)
}

/// A refused introduction is not just any refused request.
fn handshake_error(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Refused => Error::new(
            ErrorKind::Handshake,
            "the CLI did not accept the session; its reason is the source of this error",
        )
        .with_source(error),
        ErrorKind::Timeout => Error::new(
            ErrorKind::Timeout,
            "the CLI did not answer `initialize` in time and was killed; give it longer with \
             Options::connect_timeout, or run it by hand to see what it waits for",
        ),
        _ => error,
    }
}
