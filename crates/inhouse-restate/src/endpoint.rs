//! The endpoint that Restate delivers to.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use inhouse_fleet::RunTurn;
use restate_sdk::endpoint::{HandlerOptions, ServiceOptions};
use restate_sdk::service::IntoServiceDefinition as _;
use tokio::net::TcpListener;

use crate::admission::Admission;
use crate::serve::{serve, terminated};
use crate::session::Session;
use crate::turn::Turn;
use crate::work::WorkObject;

/// How long a session keeps its stream open while it only waits. Then Restate suspends it, and resumes it on any worker.
const SUSPEND_AFTER: Duration = Duration::from_secs(5);
/// How much later than the limit of a turn Restate's timeouts come, so that the turn always ends at its own limit.
const MARGIN: Duration = Duration::from_secs(3600);
/// The pauses between deliveries of an invocation whose worker is unreachable.
const DELIVERY_PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// The deliveries of an invocation without progress, before Restate pauses it: months, because workers that are down say nothing about a
/// prompt. The attempts at a turn are counted in its journal.
const MAX_DELIVERIES: u64 = 1_000_000;

/// A server for the handlers that Restate delivers to.
///
/// Created by [`endpoint`] or [`control`]. Endpoints of one fleet have the same settings.
///
/// ```
/// use std::time::Duration;
///
/// use tokio::net::TcpListener;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let endpoint = inhouse_restate::control().max_attempts(5).question_ttl(Duration::from_secs(3600));
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let shutdown = std::future::ready(()); // at once
/// endpoint.serve(listener, shutdown).await;
/// # Ok(())
/// # }
/// ```
#[must_use = "an endpoint does nothing until it listens"]
pub struct Endpoint {
    runner: Option<Arc<dyn RunTurn>>,
    max_attempts: u32,
    retry_pause: Duration,
    question_ttl: Duration,
    turn_limit: Duration,
    retention: Duration,
    grace: Duration,
}

/// Creates an endpoint that runs turns with a host: a worker.
///
/// ```no_run
/// # async fn example(host: impl inhouse_fleet::RunTurn + 'static) -> std::io::Result<()> {
/// inhouse_restate::endpoint(host).listen(([127, 0, 0, 1], 9080).into()).await
/// # }
/// ```
pub fn endpoint(host: impl RunTurn + 'static) -> Endpoint {
    new(Some(Arc::new(host)))
}

/// Creates an endpoint without a host, for everything but turns.
///
/// Workers serve all handlers, so a fleet that always has a worker does not need it. Registered after the workers, under another URL, it takes
/// over the handlers of sessions and work items: prompts are enqueued and cancelled, questions answered and statuses read also
/// when no worker runs.
///
/// ```no_run
/// # async fn example() -> std::io::Result<()> {
/// inhouse_restate::control().listen(([127, 0, 0, 1], 9081).into()).await
/// # }
/// ```
pub fn control() -> Endpoint {
    new(None)
}

fn new(runner: Option<Arc<dyn RunTurn>>) -> Endpoint {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    Endpoint {
        runner,
        max_attempts: 10,
        retry_pause: Duration::from_secs(1),
        question_ttl: 7 * DAY,
        turn_limit: DAY,
        retention: 7 * DAY,
        grace: Duration::from_secs(30),
    }
}

impl Endpoint {
    /// Sets how often a turn may fail before its work is parked with the reason; 10 unless set.
    ///
    /// An attempt is charged if the host fails with an [error that counts](inhouse_fleet::HostError::counts), panics, or is lost while the
    /// turn runs there alone: because the worker dies, or because Restate does. If several turns run there, none of them is charged, but those
    /// that were lost twice do not run on the same worker any more, and are charged for further losses.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Sets the pause before a failed turn is tried again; one second unless set. Each further pause is twice as long, up to a minute.
    pub fn retry_pause(mut self, pause: Duration) -> Self {
        self.retry_pause = pause;
        self
    }

    /// Sets how long questions wait for an answer; seven days unless set. A question that expires is denied.
    pub fn question_ttl(mut self, ttl: Duration) -> Self {
        self.question_ttl = ttl;
        self
    }

    /// Sets how long a turn may take, together with its wait for a slot; a day unless set.
    ///
    /// Restate's inactivity and abort timeouts of the handler are set to more than that. With its default of one minute Restate would
    /// suspend a turn that says nothing for a minute.
    pub fn turn_limit(mut self, limit: Duration) -> Self {
        self.turn_limit = limit;
        self
    }

    /// Sets how long a finished work is remembered for its status and for `dedupe`; seven days unless set.
    pub fn retention(mut self, retention: Duration) -> Self {
        self.retention = retention;
        self
    }

    /// Sets how long running turns may take after the shutdown has begun; 30 seconds unless set. Then they are handed over.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Listens on an address until the process gets SIGTERM or ctrl-c, and then [shuts down](Self::serve).
    ///
    /// Requests are not authenticated. Listen on an address that only Restate can reach.
    ///
    /// # Errors
    /// Fails if the address cannot be bound, or the signals cannot be received.
    pub async fn listen(self, address: SocketAddr) -> io::Result<()> {
        let shutdown = terminated()?;
        self.serve(TcpListener::bind(address).await?, shutdown)
            .await;
        Ok(())
    }

    /// Serves a listener until `shutdown` completes.
    ///
    /// After that no turn begins on this worker. Turns that run have the [grace](Self::grace) to end; those that do not are stopped, and
    /// continue on another worker, without being charged an attempt.
    ///
    /// # Cancellation
    /// Dropping the future closes all connections. The turns that run are dropped, which kills their CLIs at once; Restate delivers them
    /// again.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let grace = self.grace;
        let admission = Admission::new(self.runner.as_ref().map_or(0, |runner| runner.slots()));
        let services = self.bind(admission.clone());
        serve(listener, services, admission, grace, shutdown).await;
    }

    fn bind(self, admission: Admission) -> restate_sdk::endpoint::Endpoint {
        let session = Session {
            max_attempts: self.max_attempts,
            retry_pause: self.retry_pause,
            question_ttl: self.question_ttl,
        };
        let work = WorkObject {
            retention: self.retention,
        };
        let waits = HandlerOptions::new().inactivity_timeout(SUSPEND_AFTER);
        let session = session
            .into_service_definition()
            .options(deliveries().handler("prompt", waits));
        let work = work.into_service_definition().options(deliveries());
        let services = restate_sdk::endpoint::Endpoint::builder()
            .bind(session)
            .bind(work);
        let Some(runner) = self.runner else {
            return services.build();
        };
        let turn = Turn {
            runner,
            admission,
            limit: self.turn_limit,
        };
        let timeout = self.turn_limit.saturating_add(MARGIN);
        let options = deliveries()
            .inactivity_timeout(timeout)
            .abort_timeout(timeout);
        let turn = turn.into_service_definition().options(options);
        services.bind(turn).build()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("max_attempts", &self.max_attempts)
            .field("turn_limit", &self.turn_limit)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

/// Returns how Restate delivers an invocation again.
fn deliveries() -> ServiceOptions {
    let (initial, max) = DELIVERY_PAUSES;
    ServiceOptions::new()
        .retry_policy_initial_interval(initial)
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(max)
        .retry_policy_max_attempts(MAX_DELIVERIES)
        .retry_policy_pause_on_max_attempts()
}

#[cfg(all(test, unix))]
mod tests {
    use std::net::Ipv4Addr;

    use rustix::process::{Signal, getpid, kill_process};
    use tokio::net::TcpStream;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn sigterm_ends_an_endpoint() {
        // Without a handler, the signal would end the tests.
        let _handler = signal(SignalKind::terminate()).unwrap();
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let listen = control().listen(address);
        let terminate = async {
            // The endpoint receives signals before it listens.
            while TcpStream::connect(address).await.is_err() {
                tokio::task::yield_now().await;
            }
            kill_process(getpid(), Signal::TERM).unwrap();
        };
        let both = async { tokio::join!(listen, terminate).0 };
        let ended = timeout(Duration::from_secs(60), both).await;
        assert!(ended.expect("the endpoint has not ended").is_ok());
    }
}
