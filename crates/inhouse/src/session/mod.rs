//! Opening a session: transport, driver, `initialize`.

mod handle;
mod initialize;
mod runtime;
mod shared;

use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::message::Prompt;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::Instrument;

pub use self::handle::Session;
use self::initialize::{KillOnDrop, Required, initialize};
use self::runtime::check_runtime;
pub(crate) use self::shared::{Shared, driver_dropped};
use crate::control::Control;
use crate::driver::{Driver, DriverSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::handlers::Handlers;
use crate::launch::{Launch, Plan};
use crate::mcp::{Bridge, add_servers};
use crate::options::Options;
use crate::resume::StoredSession;
use crate::stream::{MessageStream, backlog};
use crate::transport::{Connection, Transport};
use crate::warning::Warning;

/// The kind of a session.
pub(crate) enum Purpose {
    /// One prompt; stdin closes when its run has ended.
    Query(Box<Prompt>),
    /// Any number of prompts; stdin stays open until the session is closed or dropped.
    Conversation,
}

/// Starts the CLI and returns when it has accepted the session.
///
/// Also returns warnings about the options. With a store, the session is loaded first; `plan` is called again for the options
/// that name it.
pub(crate) async fn open<T: Transport>(
    mut options: Options,
    plan_for: fn(&Options) -> Result<Plan>,
    transport: T,
    purpose: Purpose,
) -> Result<(MessageStream, Vec<Warning>)> {
    let mut plan = plan_for(&options)?;
    let warnings = plan.warnings.clone();
    let span = tracing::info_span!("inhouse::session", pid = tracing::field::Empty);
    async {
        check_runtime()?;
        let mut stored = None;
        if let Some(store) = options.store.store.clone() {
            let prompt = match &purpose {
                Purpose::Query(prompt) => Some(&**prompt),
                Purpose::Conversation => None,
            };
            stored = Some(StoredSession::prepare(store.0, &mut options, prompt).await?);
            plan = plan_for(&options)?;
        }
        let connection = connect(transport, &plan.launch, plan.connect_timeout).await?;
        if let Some(pid) = connection.peer.pid() {
            span.record("pid", pid);
        }
        for warning in &plan.warnings {
            tracing::warn!("{warning}");
        }
        tracing::debug!("transport opened");
        let connect_timeout = plan.connect_timeout;
        let request = plan.initialize.clone();
        let required = Required {
            managed_settings: plan.requires_managed_settings,
            blocking_hooks: plan.requires_blocking_hooks,
            before_prompt: plan.confirm_before_prompt,
        };
        let one_shot = matches!(purpose, Purpose::Query(_));

        let messages = start(&options, plan, stored, connection, one_shot, span.clone());
        let control = messages.control();
        let guard = KillOnDrop::new(control.clone());
        let servers = &options.mcp.servers.in_process;
        let request = add_servers(request, servers, &control.shared().bridge).await;
        let handshake = control.with_timeout(connect_timeout);
        initialize(control, handshake, request, required, purpose).await?;
        guard.disarm();
        Ok((messages, warnings))
    }
    .instrument(span.clone())
    .await
}

async fn connect<T: Transport>(
    transport: T,
    launch: &Launch,
    limit: Duration,
) -> Result<Connection> {
    let opening = timeout(limit, transport.open(launch));
    opening.await.unwrap_or_else(|_| {
        let text = "the transport did not open in time; see Options::connect_timeout";
        Err(Error::new(ErrorKind::Timeout, text))
    })
}

/// Spawns the driver of a session, which answers requests of the CLI from now on.
fn start(
    options: &Options,
    plan: Plan,
    stored: Option<StoredSession>,
    connection: Connection,
    one_shot: bool,
    span: tracing::Span,
) -> MessageStream {
    let (commands, received) = mpsc::unbounded_channel();
    let (messages, items) = backlog(plan.backlog.limit());
    let settings = DriverSettings {
        max_line: plan.max_line_bytes,
        ceiling: plan.background_ceiling,
        one_shot,
        shutdown: plan.shutdown,
    };
    let pid = connection.peer.pid();
    let (alive, driver) = watch::channel(());
    let prompts = stored.as_ref().map(|stored| Arc::clone(&stored.prompts));
    let shared = Arc::new_cyclic(|shared| {
        let timeout = plan.control_timeout;
        let session = Session::new(commands.downgrade(), shared.clone(), driver, timeout);
        let bridge = Arc::new(Bridge::new(session));
        bridge.mount(&options.mcp.servers.in_process);
        Shared::new(pid, plan.verbatim_prompts, bridge, prompts)
    });
    let journal = stored.as_ref().and_then(StoredSession::journal);
    let handlers = Handlers::new(options, Arc::clone(&shared.bridge), journal);
    let stored = stored.map(|mut stored| {
        let mirror = stored.mirror(options.store.flush, commands.downgrade(), &shared.bridge);
        (mirror, stored)
    });
    let control = Control::new(commands, Arc::clone(&shared), plan.control_timeout);
    let driver = Driver::new(
        settings, connection, handlers, received, messages, stored, shared,
    );
    let task = async move {
        let _alive = alive;
        driver.run().await;
        // The plan owns private files, which the CLI may read as long as it runs.
        drop(plan);
    };
    tokio::spawn(task.instrument(span));
    MessageStream::new(items, control)
}
