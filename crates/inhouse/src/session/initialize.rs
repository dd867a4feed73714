use inhouse_proto::control::outgoing::{Initialize, InitializeReply};
use inhouse_proto::message::Prompt;

use crate::control::Control;
use crate::driver::CloseMode;
use crate::error::{Error, ErrorKind, Result};

/// Sends `initialize`, and the prompt of a query, and waits until the CLI has accepted both.
///
/// `handshake` is a clone of `control` with the connect timeout. On an error the CLI is shut down before
/// this returns.
pub(super) async fn initialize(
    control: &Control,
    handshake: Control,
    request: Initialize,
    required: Required,
    prompt: Option<Prompt>,
) -> Result<()> {
    let send_prompt = async {
        match prompt {
            Some(prompt) => handshake.send(prompt).await.map(drop),
            None => Ok(()),
        }
    };
    let confirm = async {
        let reply = handshake.request(request).await;
        let reply =
            reply.map_err(|error| handshake_error(error, control.shared().startup_mark()))?;
        required.check(&reply)?;
        // Changes of tools that were made before are announced before a prompt that is sent later.
        control.shared().bridge.initialized();
        Ok(reply)
    };
    let accepted = if required.before_prompt {
        // A CLI that read the prompt first would run it without the restrictions.
        match confirm.await {
            Ok(reply) => send_prompt.await.map(|()| reply),
            Err(error) => Err(error),
        }
    } else {
        // Saves a round trip: the CLI reads the prompt as soon as it is ready.
        let (reply, sent) = tokio::join!(confirm, send_prompt);
        reply.and_then(|reply| sent.map(|()| reply))
    };
    match accepted {
        Ok(reply) => {
            tracing::debug!("session initialized");
            control.shared().set_initialized(reply);
            Ok(())
        }
        Err(error) => {
            control.end(CloseMode::Short).await;
            Err(with_exit(error, control))
        }
    }
}

/// Kills the CLI if the future of a connect is dropped before it completes.
pub(super) struct KillOnDrop(Option<Control>);

impl KillOnDrop {
    pub(super) fn new(control: Control) -> Self {
        Self(Some(control))
    }

    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.begin_end(CloseMode::Kill);
        }
    }
}

/// Restrictions that the CLI must confirm in its reply to `initialize`.
pub(super) struct Required {
    /// Whether the prompt of a query is sent only after the confirmation.
    pub(super) before_prompt: bool,
    pub(super) managed_settings: bool,
    pub(super) blocking_hooks: bool,
}

impl Required {
    fn check(&self, reply: &InitializeReply) -> Result<()> {
        let missing = if self.managed_settings && reply.managed_settings_applied != Some(true) {
            "the CLI did not apply the managed settings; it may be too old for them, or an \
             administrator's own take precedence"
        } else if self.blocking_hooks && reply.hook_on_failure_supported != Some(true) {
            "the CLI is too old for `OnFailure::Block`: a guarded action would continue when its \
             hook fails; update the CLI, or do not set `on_failure`"
        // Present only if hooks were sent.
        } else if reply.hooks_applied == Some(false) {
            "the CLI did not register the hooks; another host may have sent `initialize` to it before"
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Handshake, missing))
    }
}

/// Adds the exit status and the stderr tail of the CLI, which has exited by now.
fn with_exit(error: Error, control: &Control) -> Error {
    match control.shared().ended() {
        Some(end) if error.exit_status().is_none() => {
            let stderr = end.cause.stderr_tail().unwrap_or_default().to_owned();
            error.with_exit(end.exit, stderr)
        }
        _ => error,
    }
}

/// Turns the error of any request into that of a failed connect.
///
/// `step` is the step of its start that the CLI reported last.
fn handshake_error(error: Error, step: Option<String>) -> Error {
    match error.kind() {
        ErrorKind::Refused => {
            Error::new(ErrorKind::Handshake, "the CLI did not accept the session")
                .with_source(error)
        }
        ErrorKind::Timeout => {
            let mut text = "the CLI did not answer `initialize` in time and was shut down; raise \
                 Options::connect_timeout, or run the CLI by hand to see what it waits for"
                .to_owned();
            if let Some(step) = step {
                text.push_str(&format!("; the last step of its start was `{step}`"));
            }
            Error::new(ErrorKind::Timeout, text)
        }
        _ => error,
    }
}
