//! The battery for engines.

use std::sync::Arc;

use inhouse_fleet::postgres::Fleet;
use inhouse_fleet::{Answer, FleetErrorKind, Question, RunTurn, Work, WorkId, async_trait};
use inhouse_store::SessionStore;
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::engine_battery::{self, Engine, EngineError, WorkEnd};
use inhouse_testkit::servers::PostgresServer;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::support::quick;

struct Postgres {
    server: Mutex<PostgresServer>,
    store: PostgresStore,
    fleet: Fleet,
}

#[async_trait]
impl Engine for Postgres {
    async fn enqueue(&self, work: Work) -> Result<WorkId, EngineError> {
        Ok(self.fleet.enqueue(work).await?)
    }

    async fn end(&self, id: WorkId) -> Result<WorkEnd, EngineError> {
        match self.fleet.result(&id).await {
            Ok(reply) => Ok(WorkEnd::Done(reply)),
            Err(error) if error.kind() == FleetErrorKind::Parked => {
                Ok(WorkEnd::Parked(error.to_string()))
            }
            Err(error) if error.kind() == FleetErrorKind::Cancelled => Ok(WorkEnd::Cancelled),
            Err(error) => Err(error.into()),
        }
    }

    async fn answer(&self, question: &Question, answer: Answer) -> Result<(), EngineError> {
        Ok(self.fleet.answer(question, answer).await?)
    }

    async fn cancel(&self, id: WorkId) -> Result<(), EngineError> {
        self.fleet.cancel(&id).await?;
        Ok(())
    }

    async fn serve(
        &self,
        host: Arc<dyn RunTurn>,
        shutdown: CancellationToken,
    ) -> Result<(), EngineError> {
        Ok(self.fleet.serve_shared(host, shutdown.cancelled()).await?)
    }

    async fn restart(&self) -> Result<(), EngineError> {
        let mut server = self.server.lock().await;
        tokio::task::block_in_place(|| {
            server.crash();
            server.restart()
        })?;
        // The connections that the pool still has are broken.
        for _ in 0..32 {
            if self.fleet.status().await.is_ok() {
                break;
            }
        }
        Ok(())
    }

    fn store(&self) -> Arc<dyn SessionStore> {
        Arc::new(self.store.clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_engine_passes_the_battery() {
    let server = tokio::task::block_in_place(|| PostgresServer::start().unwrap());
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let engine = Postgres {
        fleet: quick(&store),
        server: Mutex::new(server),
        store,
    };
    engine_battery::run(Arc::new(engine)).await;
}
