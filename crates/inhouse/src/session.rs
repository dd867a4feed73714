//! Opening a session: a transport, a driver and the handshake.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use inhouse_proto::control::outgoing::InitializeReply;
use inhouse_proto::message::Prompt;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::Instrument;

use crate::control::Control;
use crate::driver::{Close, Driver, End, Settings};
use crate::error::{Error, ErrorKind, Result};
use crate::launch::Launch;
use crate::options::Options;
use crate::stream::{MessageStream, backlog};
use crate::transport::Transport;

/// What everyone who holds a session knows of it.
pub(crate) struct Shared {
    pub(crate) pid: Option<u32>,
    pub(crate) verbatim_prompts: bool,
    initialized: OnceLock<InitializeReply>,
    end: OnceLock<End>,
    keys: AtomicU64,
}

/// What a session is for.
pub(crate) enum Purpose {
    /// One prompt: its input ends with the run.
    Query(Prompt),
    /// As many prompts as the host likes.
    Conversation,
}

/// Starts a CLI and introduces the host to it.
pub(crate) async fn open<T: Transport>(
    options: Options,
    launch: Launch,
    transport: T,
    purpose: Purpose,
) -> Result<MessageStream> {
    let span = tracing::info_span!("inhouse::session", pid = tracing::field::Empty);
    let connecting = connect(options, launch, transport, purpose, span.clone());
    connecting.instrument(span).await
}

async fn connect<T: Transport>(
    options: Options,
    launch: Launch,
    transport: T,
    purpose: Purpose,
    span: tracing::Span,
) -> Result<MessageStream> {
    let connection = timeout(launch.connect_timeout, transport.open(&launch))
        .await
        .map_err(|_| {
            let text = "the transport did not open in time; see Options::connect_timeout";
            Error::new(ErrorKind::Timeout, text)
        })??;
    let shared = Arc::new(Shared::new(connection.peer.pid(), launch.verbatim_prompts));
    if let Some(pid) = shared.pid {
        span.record("pid", pid);
    }
    tracing::debug!("connected, introducing the host");

    let (commands, received) = mpsc::unbounded_channel();
    let (messages, items) = backlog(launch.backlog.limit());
    let settings = Settings {
        max_line: launch.max_line_bytes,
        ceiling: launch.background_ceiling,
        one_shot: matches!(purpose, Purpose::Query(_)),
        shutdown: launch.shutdown,
    };
    let control = Control::new(commands, Arc::clone(&shared), launch.control_timeout);
    let handlers = options.handlers();
    let driver = Driver::new(settings, connection, handlers, received, messages, shared);
    let (initialize, connect_timeout) = (launch.initialize.clone(), launch.connect_timeout);
    let needs_managed_settings = launch.requires_managed_settings;
    let driving = async move {
        driver.run().await;
        // The CLI may read the files that the launch owns at any time while it lives.
        drop(launch);
    };
    tokio::spawn(driving.instrument(span));

    let guard = KillUnlessDefused(Some(control.clone()));
    let introduction = control.with_timeout(connect_timeout);
    // The prompt does not wait for the answer: the CLI reads it once it is ready.
    let (reply, sent) = tokio::join!(introduction.request(initialize), async {
        match purpose {
            Purpose::Query(prompt) => control.send(prompt).await.map(drop),
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
            Ok(MessageStream::new(items, control))
        }
        Err(error) => {
            control.end(Close::Now).await;
            Err(error)
        }
    }
}

impl Shared {
    fn new(pid: Option<u32>, verbatim_prompts: bool) -> Self {
        Self {
            pid,
            verbatim_prompts,
            initialized: OnceLock::new(),
            end: OnceLock::new(),
            keys: AtomicU64::new(0),
        }
    }

    pub(crate) fn next_key(&self) -> u64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }

    fn initialize(&self, reply: InitializeReply) {
        // Only set here, once.
        let _ = self.initialized.set(reply);
    }

    pub(crate) fn initialized(&self) -> &InitializeReply {
        self.initialized
            .get()
            .expect("a session is handed out after its handshake")
    }

    pub(crate) fn end(&self, end: End) {
        let _ = self.end.set(end);
    }

    /// How the session ended, if it has.
    pub(crate) fn ended(&self) -> Option<&End> {
        self.end.get()
    }

    /// Why nothing can be asked of the session any more.
    pub(crate) fn cause_of_end(&self) -> Error {
        match self.ended() {
            Some(end) => end.cause.clone(),
            None => Error::new(
                ErrorKind::Closed,
                "the session is gone; the runtime it lived in may have been shut down",
            ),
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
