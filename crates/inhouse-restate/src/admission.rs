//! Which turns may run on this worker.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The turns that wait for a slot at one worker. Restate delivers without a limit, but each of them keeps a stream open.
const MAX_WAITING: usize = 100;

/// The slots of a worker, and whether it shuts down. Clones share them.
#[derive(Clone)]
pub(crate) struct Admission {
    slots: Arc<Semaphore>,
    places: Arc<Semaphore>,
    draining: CancellationToken,
    handing_over: CancellationToken,
}

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
            draining: CancellationToken::new(),
            handing_over: CancellationToken::new(),
        }
    }

    /// Waits for a slot, which is free again when the permit is dropped. Turns get their slots in the order of their arrival.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, Refused> {
        if self.draining.is_cancelled() {
            return Err(Refused::Draining);
        }
        if let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(permit);
        }
        let Ok(_place) = self.places.try_acquire() else {
            return Err(Refused::Busy);
        };
        tokio::select! {
            biased;
            () = self.draining.cancelled() => Err(Refused::Draining),
            permit = Arc::clone(&self.slots).acquire_owned() => permit.map_err(|_| Refused::Draining),
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

    /// Stops the running turns, which continue on another worker.
    pub(crate) fn hand_over(&self) {
        self.handing_over.cancel();
    }

    /// Waits until the running turns have to stop.
    pub(crate) async fn handed_over(&self) {
        self.handing_over.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turn_waits_for_a_slot() {
        let admission = Admission::new(1);
        let first = admission.enter().await.unwrap();
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
        assert_eq!(admission.enter().await.unwrap_err(), Refused::Busy);
    }

    #[tokio::test]
    async fn draining_refuses_waiting_and_new_turns() {
        let admission = Admission::new(0);
        let waiting = boxed(&admission);
        let drain = async { admission.drain() };
        let (refused, ()) = tokio::join!(waiting, drain);
        assert_eq!(refused.unwrap_err(), Refused::Draining);
        assert_eq!(admission.enter().await.unwrap_err(), Refused::Draining);
    }

    fn boxed(
        admission: &Admission,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, Refused>> + '_>> {
        Box::pin(admission.enter())
    }
}
