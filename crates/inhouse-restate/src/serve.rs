//! The HTTP server of an endpoint, and its shutdown.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http2;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use restate_sdk::endpoint::{Endpoint, ResponseBody};
use restate_sdk::hyper::HyperEndpoint;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

use crate::admission::Admission;

/// The end of the path of requests for turns.
const TURN_PATH: &str = "/invoke/InhouseTurn/run";
/// When Restate does not answer pings, its connection is closed, and the turns of the connection are dropped.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How long stopped turns have to report their end after the grace.
const HAND_OVER: Duration = Duration::from_secs(10);
/// The pause after a connection could not be accepted, such as without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `shutdown` completes and the turns have ended or were handed over.
pub(crate) async fn serve(
    listener: TcpListener,
    endpoint: Endpoint,
    admission: Admission,
    grace: Duration,
    shutdown: impl Future<Output = ()>,
) {
    let service = HyperEndpoint::new(endpoint);
    // Dropped together with this future, which ends the connections.
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let service = TurnCounter::new(service.clone());
                    connections.spawn(serve_connection(stream, service, admission.clone()));
                }
                Err(error) => {
                    warn!(%error, "connection not accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    info!("endpoint shuts down");
    drop(listener);
    admission.drain();
    let closed = async { while connections.join_next().await.is_some() {} };
    tokio::pin!(closed);
    if timeout(grace, &mut closed).await.is_ok() {
        return;
    }
    info!("running turns are handed over");
    admission.hand_over();
    if timeout(HAND_OVER, closed).await.is_err() {
        warn!("connections closed before their turns have ended");
    }
}

/// Serves a connection until it is closed. When the worker drains or its store fails, the connection is closed after its last turn.
///
/// Restate uses idle connections again. Without those of a worker that has lost its store, it asks the load balancer for another one.
///
/// Restate 1.7.12 closes a connection with all of its streams when a GOAWAY refuses one of them, so none is sent while turns run.
async fn serve_connection(stream: TcpStream, service: TurnCounter, admission: Admission) {
    let mut turns = service.turns.subscribe();
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let failures = admission.store_failures();
    let has_no_turns = async {
        tokio::select! {
            () = admission.drained() => {}
            () = failures => {}
        }
        // The counter lives as long as the connection.
        let _ = turns.wait_for(|turns| *turns == 0).await;
    };
    let result = tokio::select! {
        result = &mut connection => result,
        () = has_no_turns => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        debug!(%error, "connection failed");
    }
}

/// The service of a connection, which counts the turns that it has under way.
struct TurnCounter {
    service: HyperEndpoint,
    turns: watch::Sender<usize>,
}

impl TurnCounter {
    fn new(service: HyperEndpoint) -> Self {
        Self {
            service,
            turns: watch::Sender::new(0),
        }
    }
}

impl Service<Request<Incoming>> for TurnCounter {
    type Response = Response<Counted>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let is_turn = request.uri().path().ends_with(TURN_PATH);
        let turn = is_turn.then(|| {
            self.turns.send_modify(|turns| *turns += 1);
            CountedTurn(self.turns.clone())
        });
        let response = self.service.call(request).into_inner();
        let counted = |body| Counted {
            body: Box::pin(body),
            _turn: turn,
        };
        ready(response.map(|response| response.map(counted)))
    }
}

/// The body of a response, which runs its handler.
struct Counted {
    body: Pin<Box<ResponseBody>>,
    _turn: Option<CountedTurn>,
}

impl Body for Counted {
    type Data = <ResponseBody as Body>::Data;
    type Error = <ResponseBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

struct CountedTurn(watch::Sender<usize>);

impl Drop for CountedTurn {
    fn drop(&mut self) {
        self.0.send_modify(|turns| *turns -= 1);
    }
}

/// Returns a future that completes when the process is asked to end.
#[cfg(unix)]
pub(crate) fn terminated() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Returns a future that completes when the process is asked to end.
#[cfg(not(unix))]
pub(crate) fn terminated() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

#[cfg(test)]
mod tests {
    use restate_sdk::service::Discoverable as _;

    use super::*;
    use crate::turn::Turn;

    #[test]
    fn path_of_turns_is_that_of_their_object() {
        let turn = Turn::discover();
        let path = format!("/invoke/{}/run", turn.name.as_str());
        assert_eq!(path, TURN_PATH);
        assert!(turn.handlers.iter().any(|h| h.name.as_str() == "run"));
    }
}
