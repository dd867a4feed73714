//! The pauses of a host whose turns fail one after another.
//!
//! A host that cannot run anything, because its disk is full or its CLI is broken, fails at once and has always a free slot. Without pauses it would take most of
//! the queue, and use up the attempts of prompts that other hosts could answer.

use std::time::Duration;

use tokio::time::Instant;

/// The doublings of the first pause at most.
const DOUBLINGS: u32 = 20;

/// The failures of a host since its last success.
#[derive(Debug)]
pub(super) struct Failures {
    /// The first and the longest pause.
    pauses: (Duration, Duration),
    /// The tenant whose turn failed first. The prompts of one tenant may all fail on every host.
    first: Option<String>,
    doublings: u32,
    /// The current pause.
    pause: Duration,
    /// The last claim before the pause. Turns that began before it tell nothing new.
    paused_after: i64,
    until: Option<Instant>,
}

impl Failures {
    pub(super) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            pauses: (first, longest),
            first: None,
            doublings: 0,
            pause: first,
            paused_after: i64::MIN,
            until: None,
        }
    }

    /// Notes that a turn ended as it should.
    pub(super) fn succeeded(&mut self) {
        (self.first, self.doublings, self.until) = (None, 0, None);
    }

    /// Notes that a turn failed; `last_claim` is the greatest claim that the host has had.
    pub(super) fn failed(&mut self, tenant: &str, claim: i64, last_claim: i64) {
        let first = self.first.get_or_insert_with(|| tenant.to_owned());
        let is_first = first == tenant && self.until.is_none();
        if is_first || claim <= self.paused_after {
            return;
        }
        let (first, longest) = self.pauses;
        self.pause = first.saturating_mul(1 << self.doublings).min(longest);
        self.until = Some(Instant::now() + self.pause);
        self.doublings = (self.doublings + 1).min(DOUBLINGS);
        self.paused_after = last_claim;
    }

    /// Notes that something was claimed. A host that fails claims the next prompt after another pause, whether or not this one has ended: a
    /// turn may take long, and a host that is mended must not have one at a time until then.
    pub(super) fn claimed(&mut self) {
        if let Some(until) = &mut self.until {
            *until = Instant::now() + self.pause;
        }
    }

    /// Returns whether the turns of the host fail, so that it claims one prompt at a time.
    pub(super) fn is_failing(&self) -> bool {
        self.until.is_some()
    }

    /// Returns the time before which nothing is claimed.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn failures() -> Failures {
        Failures::new(Duration::from_secs(1), Duration::from_secs(60))
    }

    fn pause(failures: &Failures) -> Option<u64> {
        let until = failures.until()?;
        Some((until - Instant::now()).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn tenant_whose_prompts_fail_pauses_no_host() {
        let mut failures = failures();
        for claim in 0..10 {
            failures.failed("acme", claim, claim);
        }
        assert!(!failures.is_failing());
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_double_until_a_turn_succeeds() {
        let mut failures = failures();
        let mut pauses = Vec::new();
        for claim in 0..9 {
            failures.failed(&claim.to_string(), claim, claim);
            pauses.push(pause(&failures));
            advance(Duration::from_secs(60)).await;
        }
        assert_eq!(pauses[..3], [None, Some(1), Some(2)]);
        assert_eq!(pauses[6..], [Some(32), Some(60), Some(60)]);
        failures.succeeded();
        assert!(!failures.is_failing());
        failures.failed("acme", 9, 9);
        assert!(!failures.is_failing());
    }

    #[tokio::test(start_paused = true)]
    async fn failing_host_claims_one_prompt_after_each_pause() {
        let mut failures = failures();
        for claim in 0..3 {
            failures.failed(&claim.to_string(), claim, claim);
        }
        assert_eq!(pause(&failures), Some(2));
        advance(Duration::from_secs(2)).await;
        failures.claimed();
        assert_eq!(pause(&failures), Some(2));
    }

    /// A network that was gone for a moment ends all turns of a host.
    #[tokio::test(start_paused = true)]
    async fn turns_that_fail_together_are_one_failure() {
        let mut failures = failures();
        for claim in 0..40 {
            failures.failed(&claim.to_string(), claim, 40);
        }
        assert_eq!(pause(&failures), Some(1));
    }
}
