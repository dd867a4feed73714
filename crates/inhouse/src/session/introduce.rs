use inhouse_proto::control::outgoing::{Initialize, InitializeReply};

use super::Purpose;
use crate::control::Control;
use crate::driver::CloseMode;
use crate::error::{Error, ErrorKind, Result};

/// Introduces the host to a CLI that has just been started.
pub(super) async fn introduce(
    control: &Control,
    introduction: Control,
    initialize: Initialize,
    required: Required,
    purpose: Purpose,
) -> Result<()> {
    let prompt = async {
        match purpose {
            Purpose::Query(prompt) => introduction.send(*prompt).await.map(drop),
            Purpose::Conversation => Ok(()),
        }
    };
    let asking = introduction.request(initialize);
    let asking = async {
        let reply = asking.await.map_err(handshake_error)?;
        required.confirmed_by(reply)
    };
    let accepted = if required.before_prompt {
        // A prompt that the CLI reads before its restrictions would run without them.
        match asking.await {
            Ok(reply) => {
                // A change of tools that was made by now is announced before the prompt.
                control.shared().bridge.introduced();
                prompt.await.map(|()| reply)
            }
            Err(error) => Err(error),
        }
    } else {
        // Saves a round trip: the CLI reads the prompt as soon as it is ready.
        let (reply, sent) = tokio::join!(asking, prompt);
        reply.and_then(|reply| sent.map(|()| reply))
    };
    match accepted {
        Ok(reply) => {
            tracing::debug!("the CLI has accepted the session");
            control.shared().set_initialized(reply);
            Ok(())
        }
        Err(error) => {
            control.end(CloseMode::Short).await;
            Err(with_last_words(error, control))
        }
    }
}

/// Kills the CLI when a connect is given up half-way.
pub(super) struct KillUnlessDefused(Option<Control>);

impl KillUnlessDefused {
    pub(super) fn new(control: Control) -> Self {
        Self(Some(control))
    }

    pub(super) fn defuse(mut self) {
        self.0 = None;
    }
}

impl Drop for KillUnlessDefused {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.begin_end(CloseMode::Kill);
        }
    }
}

/// Restrictions that the CLI must confirm: without them the session must not begin.
pub(super) struct Required {
    /// Whether the prompt waits for the confirmation.
    pub(super) before_prompt: bool,
    pub(super) managed_settings: bool,
    pub(super) blocking_hooks: bool,
}

impl Required {
    fn confirmed_by(&self, reply: InitializeReply) -> Result<InitializeReply> {
        let refuse = |text| Err(Error::new(ErrorKind::Handshake, text));
        if self.managed_settings && reply.managed_settings_applied != Some(true) {
            return refuse(
                "the CLI did not apply the managed settings; it may be too old for them, or an \
                 administrator's own come first",
            );
        }
        if self.blocking_hooks && reply.hook_on_failure_supported != Some(true) {
            return refuse(
                "the CLI is too old for `OnFailure::Block`: what a hook guards would go on when \
                 the hook fails; update the CLI, or leave `on_failure` away",
            );
        }
        // It says so only when hooks were sent.
        if reply.hooks_applied == Some(false) {
            return refuse(
                "the CLI did not register the hooks; another host may have introduced itself to \
                 it before",
            );
        }
        Ok(reply)
    }
}

/// Now that the CLI is gone, what it said last is known.
fn with_last_words(error: Error, control: &Control) -> Error {
    match control.shared().ended() {
        Some(end) if error.exit_status().is_none() => {
            let stderr = end.cause.stderr_tail().unwrap_or_default().to_owned();
            error.with_exit(end.exit, stderr)
        }
        _ => error,
    }
}

/// A refused introduction is not just any refused request.
fn handshake_error(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Refused => {
            Error::new(ErrorKind::Handshake, "the CLI did not accept the session")
                .with_source(error)
        }
        ErrorKind::Timeout => Error::new(
            ErrorKind::Timeout,
            "the CLI did not answer `initialize` in time and was ended; give it longer with \
             Options::connect_timeout, or run it by hand to see what it waits for",
        ),
        _ => error,
    }
}
