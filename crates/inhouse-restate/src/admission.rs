//! Which turns may run on this worker.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The turns that wait for a slot at one worker. Restate delivers without a limit, but each of them keeps a stream open.
const MAX_WAITING: usize = 100;
/// How long a turn waits until the journal of another one says that it is not alone any more.
const JOIN_LIMIT: Duration = Duration::from_secs(5);

/// The slots of a worker, and whether it shuts down. Clones share them.
#[derive(Clone)]
pub(crate) struct Admission {
    slots: Arc<Semaphore>,
    places: Arc<Semaphore>,
    store_failures: watch::Sender<u64>,
    /// For the only isolated turn of the worker.
    isolated: Arc<Semaphore>,
    running: watch::Sender<usize>,
    /// The turns whose journals say that they are alone.
    alone: watch::Sender<usize>,
    draining: CancellationToken,
    handing_over: CancellationToken,
}

/// The slot of a running turn, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    _slot: OwnedSemaphorePermit,
    _isolated: Option<OwnedSemaphorePermit>,
    running: watch::Sender<usize>,
}

/// A turn that is counted as alone.
#[derive(Debug)]
pub(crate) struct Alone(watch::Sender<usize>);

/// The reason why a turn does not begin on this worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refused {
    /// Enough turns wait for a slot already.
    Busy,
    /// The worker shuts down.
    Draining,
}

impl Admission {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(slots.min(Semaphore::MAX_PERMITS))),
            places: Arc::new(Semaphore::new(MAX_WAITING)),
            store_failures: watch::Sender::new(0),
            isolated: Arc::new(Semaphore::new(1)),
            running: watch::Sender::new(0),
            alone: watch::Sender::new(0),
            draining: CancellationToken::new(),
            handing_over: CancellationToken::new(),
        }
    }

    /// Waits for a slot. Turns get their slots in the order of their arrival; an isolated one waits for another isolated one as well.
    pub(crate) async fn enter(&self, is_isolated: bool) -> Result<Slot, Refused> {
        if self.draining.is_cancelled() {
            return Err(Refused::Draining);
        }
        let isolated = match is_isolated {
            true => Some(self.acquire(&self.isolated).await?),
            false => None,
        };
        let slot = self.acquire(&self.slots).await?;
        self.running.send_modify(|running| *running += 1);
        Ok(Slot {
            _slot: slot,
            _isolated: isolated,
            running: self.running.clone(),
        })
    }

    async fn acquire(&self, permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Refused> {
        if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
            return Ok(permit);
        }
        let Ok(_place) = self.places.try_acquire() else {
            return Err(Refused::Busy);
        };
        tokio::select! {
            biased;
            () = self.draining.cancelled() => Err(Refused::Draining),
            permit = Arc::clone(permits).acquire_owned() => permit.map_err(|_| Refused::Draining),
        }
    }

    /// Lets no further turn begin.
    pub(crate) fn drain(&self) {
        self.draining.cancel();
    }

    /// Waits until no further turn begins.
    pub(crate) async fn drained(&self) {
        self.draining.cancelled().await;
    }

    /// Counts a turn as alone, until the value is dropped.
    pub(crate) fn note_alone(&self) -> Alone {
        self.alone.send_modify(|alone| *alone += 1);
        Alone(self.alone.clone())
    }

    /// Waits until the journal of no turn says that it is alone, for a limited time.
    pub(crate) async fn none_is_alone(&self) {
        let mut alone = self.alone.subscribe();
        let _ = timeout(JOIN_LIMIT, alone.wait_for(|alone| *alone == 0)).await;
    }

    /// Notes that a turn has ended because of its store.
    pub(crate) fn note_store_failure(&self) {
        self.store_failures.send_modify(|failures| *failures += 1);
    }

    /// Returns a future that completes when a later turn has ended because of its store.
    pub(crate) fn store_failures(&self) -> impl Future<Output = ()> + use<> {
        let mut failures = self.store_failures.subscribe();
        async move {
            // Fails if the worker is gone, with its connections.
            let _ = failures.changed().await;
        }
    }

    /// Stops the running turns, which continue on another worker.
    pub(crate) fn hand_over(&self) {
        self.handing_over.cancel();
    }

    /// Waits until the running turns have to stop.
    pub(crate) async fn handed_over(&self) {
        self.handing_over.cancelled().await;
    }
}

impl Slot {
    /// Returns whether no other turn runs on this worker.
    pub(crate) fn is_alone(&self) -> bool {
        *self.running.borrow() == 1
    }

    /// Returns a future that completes when another turn runs on this worker.
    pub(crate) fn joined(&self) -> impl Future<Output = ()> + use<> {
        let mut running = self.running.subscribe();
        async move {
            // The sender lives as long as the worker.
            let _ = running.wait_for(|running| *running > 1).await;
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.send_modify(|alone| *alone -= 1);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.running.send_modify(|running| *running -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turn_waits_for_a_slot() {
        let admission = Admission::new(1);
        let first = admission.enter(false).await.unwrap();
        let mut second = boxed(&admission);
        tokio::select! {
            biased;
            _ = &mut second => panic!("there was no slot"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn waiting_turns_are_limited() {
        let admission = Admission::new(0);
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| boxed(&admission)).collect();
        for turn in &mut waiting {
            tokio::select! {
                biased;
                _ = turn => panic!("there was no slot"),
                () = std::future::ready(()) => {}
            }
        }
        assert_eq!(admission.enter(false).await.unwrap_err(), Refused::Busy);
    }

    #[tokio::test]
    async fn draining_refuses_waiting_and_new_turns() {
        let admission = Admission::new(0);
        let waiting = boxed(&admission);
        let drain = async { admission.drain() };
        let (refused, ()) = tokio::join!(waiting, drain);
        assert_eq!(refused.unwrap_err(), Refused::Draining);
        assert_eq!(admission.enter(false).await.unwrap_err(), Refused::Draining);
    }

    #[tokio::test]
    async fn only_one_turn_is_isolated() {
        let admission = Admission::new(3);
        let isolated = admission.enter(true).await.unwrap();
        assert!(isolated.is_alone());
        let mut second = Box::pin(admission.enter(true));
        tokio::select! {
            biased;
            _ = &mut second => panic!("another turn is isolated"),
            () = isolated.joined() => panic!("no other turn runs"),
            () = tokio::task::yield_now() => {}
        }
        let other = admission.enter(false).await.unwrap();
        isolated.joined().await;
        assert!(!isolated.is_alone());
        drop((isolated, other));
        assert!(second.await.unwrap().is_alone());
    }

    fn boxed(
        admission: &Admission,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Slot, Refused>> + '_>> {
        Box::pin(admission.enter(false))
    }
}
