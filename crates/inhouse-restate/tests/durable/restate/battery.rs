//! The battery for engines. Workers share a port, and the handlers of sessions and work items run on an endpoint without a host.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use inhouse_fleet::{
    Answer, HostError, Outcome, Question, RunTurn, TurnEvents, Work, WorkId, async_trait,
};
use inhouse_restate::{AnswerRequest, Enqueued, Prompt, WorkState, WorkStatus, control, endpoint};
use inhouse_store::SessionStore;
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::engine_battery::{self, Engine, EngineError, WorkEnd};
use inhouse_testkit::servers::RestateServer;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::RwLock;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::support::Port;

/// Workers get their requests over separate connections, which the kernel spreads over the sockets of their port.
const SETTINGS: &str = "worker.invoker.http2-streams-per-connection-limit = 1";

#[tokio::test(flavor = "multi_thread")]
async fn restate_passes_the_battery() {
    engine_battery::run(Arc::new(Restate::start().await)).await;
}

struct Restate {
    server: RwLock<RestateServer>,
    store: Arc<MemoryStore>,
    workers: Port,
    _control: AbortOnDropHandle<()>,
}

struct Shared(Arc<dyn RunTurn>);

/// A host that has no turns, for the registration of the workers.
struct NoTurns;

impl Restate {
    async fn start() -> Self {
        let server = RestateServer::start(SETTINGS).await.unwrap();
        let workers = Port::reserve();
        let forever = std::future::pending::<()>;
        let worker = tokio::spawn(endpoint(NoTurns).serve(workers.listen(), forever()));
        server.register(&workers.url()).await.unwrap();
        worker.abort();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let control = control()
            .max_attempts(3)
            .retry_pause(Duration::from_millis(10));
        let control = tokio::spawn(control.serve(listener, forever()));
        // Registered last, so that it gets the requests for sessions and work items.
        server.register(&url).await.unwrap();
        Self {
            server: RwLock::new(server),
            store: Arc::new(MemoryStore::new()),
            workers,
            _control: AbortOnDropHandle::new(control),
        }
    }

    /// Sends a request, and returns the body of the response.
    async fn post(&self, path: &str, body: &str) -> Result<Value, EngineError> {
        let response = self.server.read().await.ingress("POST", path, body).await?;
        match response {
            (200..300, body) if body.is_empty() => Ok(Value::Null),
            (200..300, body) => Ok(serde_json::from_str(&body)?),
            (status, body) => Err(format!("{status}: {body}").into()),
        }
    }

    async fn work(&self, id: WorkId, handler: &str) -> Result<WorkStatus, EngineError> {
        let status = self
            .post(&format!("/InhouseWork/{id}/{handler}"), "")
            .await?;
        // Through its text, because a reply keeps the JSON of its result.
        Ok(serde_json::from_str(&status.to_string())?)
    }
}

#[async_trait]
impl Engine for Restate {
    async fn enqueue(&self, work: Work) -> Result<WorkId, EngineError> {
        let session = &work.session;
        let prompt = Prompt::new(work.prompt).tenant(work.tenant);
        let prompt = match work.dedupe {
            Some(key) => prompt.dedupe(key),
            None => prompt.id(work.id),
        };
        let body = json!(prompt).to_string();
        if let Some(time) = work.not_before {
            let delay = time.duration_since(SystemTime::now()).unwrap_or_default();
            let delay = delay.as_millis();
            let path = format!("/InhouseSession/{session}/prompt/send?delay={delay}ms");
            self.post(&path, &body).await?;
            return Ok(work.id);
        }
        let path = format!("/InhouseSession/{session}/enqueue");
        let enqueued: Enqueued = serde_json::from_value(self.post(&path, &body).await?)?;
        Ok(enqueued.work)
    }

    async fn end(&self, id: WorkId) -> Result<WorkEnd, EngineError> {
        let mut pauses = interval(Duration::from_millis(20));
        pauses.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            pauses.tick().await;
            let status = self.work(id, "status").await?;
            return Ok(match status.state {
                WorkState::Done => WorkEnd::Done(status.reply.ok_or("no reply")?),
                WorkState::Parked => WorkEnd::Parked(status.reason.ok_or("no reason")?),
                WorkState::Cancelled => WorkEnd::Cancelled,
                _ => continue,
            });
        }
    }

    async fn answer(&self, question: &Question, answer: Answer) -> Result<(), EngineError> {
        let request = json!(AnswerRequest::new(question.id, answer)).to_string();
        let path = format!("/InhouseWork/{}/answer", question.work);
        self.post(&path, &request).await.map(drop)
    }

    async fn cancel(&self, id: WorkId) -> Result<(), EngineError> {
        self.work(id, "cancel").await.map(drop)
    }

    async fn serve(
        &self,
        host: Arc<dyn RunTurn>,
        shutdown: CancellationToken,
    ) -> Result<(), EngineError> {
        endpoint(Shared(host))
            .grace(Duration::from_millis(100))
            .serve(self.workers.listen(), shutdown.cancelled_owned())
            .await;
        Ok(())
    }

    async fn restart(&self) -> Result<(), EngineError> {
        let mut server = self.server.write().await;
        server.crash();
        Ok(server.restart().await?)
    }

    fn store(&self) -> Arc<dyn SessionStore> {
        self.store.clone()
    }
}

#[async_trait]
impl RunTurn for Shared {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        self.0.run_turn_with(work, stop, events).await
    }

    fn slots(&self) -> usize {
        self.0.slots()
    }
}

#[async_trait]
impl RunTurn for NoTurns {
    async fn run_turn_with(
        &self,
        _: &Work,
        _: CancellationToken,
        _: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        unreachable!("there are no slots")
    }

    fn slots(&self) -> usize {
        0
    }
}
