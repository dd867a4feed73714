//! Opening a session: transport, driver, `initialize`.

mod handle;
mod initialize;
mod prompts;
mod runtime;
mod shared;

use std::any::TypeId;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::message::Prompt;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::Instrument;

pub use self::handle::Session;
use self::initialize::{KillOnDrop, Required, initialize};
pub(crate) use self::prompts::{Prompts, box_prompts};
use self::runtime::check_runtime;
pub(crate) use self::shared::{Shared, driver_dropped};
use crate::control::Control;
use crate::driver::{Command, Driver, DriverSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::handlers::Handlers;
use crate::launch::{Launch, Plan};
use crate::mcp::{Bridge, add_servers};
use crate::options::Options;
use crate::record::Recorder;
use crate::resume::StoredSession;
use crate::stream::{MessageStream, backlog};
use crate::telemetry::{SessionTelemetry, record_error_kind, session_span};
use crate::transport::{ChildTransport, Connection, Transport};
use crate::warning::Warning;

/// The kind of a session.
pub(crate) enum Purpose {
    /// One prompt; stdin closes when its run has ended.
    Query(Box<Prompt>),
    /// The prompts of a stream; stdin closes when the stream has ended and the run of its last prompt, too.
    Stream(Prompts),
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
    let span = session_span();
    let opened: Result<_> = async {
        // In the span, because the environment of the CLI has its trace context.
        let mut plan = plan_for(&options)?;
        let warnings = plan.warnings.clone();
        check_runtime()?;
        let mut stored = None;
        if let Some(store) = options.store.store.clone() {
            stored = Some(StoredSession::prepare(store.0, &mut options).await?);
            plan = plan_for(&options)?;
        }
        let recorder = start_recording::<T>(&options, &mut plan).await?;
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

        let messages = start(&options, plan, stored, recorder, connection, span.clone());
        let control = messages.control();
        let guard = KillOnDrop::new(control.clone());
        let servers = &options.mcp.servers.in_process;
        let request = add_servers(request, servers, &control.shared().bridge).await;
        let handshake = control.with_timeout(connect_timeout);
        let (prompt, prompts) = match purpose {
            Purpose::Query(prompt) => (Some(*prompt), None),
            Purpose::Stream(prompts) => (None, Some(prompts)),
            Purpose::Conversation => (None, None),
        };
        let is_query = prompt.is_some();
        initialize(control, handshake, request, required, prompt).await?;
        guard.disarm();
        if is_query {
            // Not before: the run of a stored answer has ended at once, and a CLI that is still starting
            // would be terminated after the grace period.
            control.end_input(None);
        }
        if let Some(prompts) = prompts {
            let session = control.shared().bridge.session().clone();
            tokio::spawn(prompts::send_all(prompts, session).in_current_span());
        }
        Ok((messages, warnings))
    }
    .instrument(span.clone())
    .await;
    if let Err(error) = &opened {
        record_error_kind(&span, error.kind());
    }
    opened
}

/// Starts the recording of the session, if it has one.
async fn start_recording<T: Transport>(
    options: &Options,
    plan: &mut Plan,
) -> Result<Option<Recorder>> {
    let Some(record) = &options.record else {
        return Ok(None);
    };
    if plan.is_replay {
        // It may be the recording that is played.
        return Ok(None);
    }
    // Another transport may start another program, or none.
    let is_child = TypeId::of::<T>() == TypeId::of::<ChildTransport>();
    let program = Path::new(&plan.launch.command.program);
    let program = options.process.cli_path.as_deref().unwrap_or(program);
    let secrets = std::mem::take(&mut plan.secrets);
    let now = tokio::time::Instant::now().into_std();
    let cli = is_child.then_some(program);
    let recorder = Recorder::start(record, secrets, cli, plan.max_line_bytes, now).await?;
    let stderr = plan.launch.stderr.take();
    plan.launch.stderr = Some(recorder.stderr_callback(stderr));
    Ok(Some(recorder))
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
    recorder: Option<Recorder>,
    connection: Connection,
    span: tracing::Span,
) -> MessageStream {
    let (commands, received) = mpsc::unbounded_channel();
    let (messages, items) = backlog(plan.backlog.limit());
    let settings = DriverSettings {
        max_line: plan.max_line_bytes,
        ceiling: plan.background_ceiling,
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
    if let Some(stored) = &stored
        && let prompts = stored.prompts.continued()
        && !prompts.is_empty()
    {
        let caller = tracing::Span::current();
        // Before the driver reads anything: the CLI may end the turn before the prompt of a query is sent.
        let _ = commands.send(Command::AwaitTurn { prompts, caller });
    }
    let stored = stored.map(|mut stored| {
        let mirror = stored.mirror(&options.store, commands.downgrade(), &shared.bridge);
        (mirror, stored)
    });
    let control = Control::new(commands, Arc::clone(&shared), plan.control_timeout);
    let telemetry = SessionTelemetry::new(span.clone(), options);
    let driver = Driver::new(
        settings, connection, handlers, received, messages, telemetry, stored, shared,
    );
    let driver = driver.recorded_by(recorder);
    let task = async move {
        let _alive = alive;
        driver.run().await;
        // The plan owns private files, which the CLI may read as long as it runs.
        drop(plan);
    };
    tokio::spawn(task.instrument(span));
    MessageStream::new(items, control)
}
