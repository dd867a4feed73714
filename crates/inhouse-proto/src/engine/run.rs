use inhouse_macros::Open;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What a session is doing, as the CLI tells the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// Nothing: it waits for a prompt.
    Idle,
    /// A turn runs.
    Running,
    /// It waits for an answer of the host.
    RequiresAction,
    /// A value that this version does not know.
    Unknown(String),
}

/// Knows when the run that a prompt began is over.
///
/// A `result` ends a turn and not the run: background work can wake the session again, and its
/// tools and hooks need an open stdin. So a run ends at a result only if the session is idle then,
/// or says nothing about its state, and no background agent is known to be at work; else when the
/// session becomes idle; and in any case when it stays silent beyond the ceiling.
#[derive(Debug)]
pub(super) struct Run {
    ceiling: Option<Duration>,
    open: bool,
    has_result: bool,
    /// Prompts that were written and that no result has followed.
    unanswered: usize,
    /// Whether the session went on after a result: with a queued prompt, or woken by a task.
    resumed: bool,
    /// A line was passed over that may have been the result.
    has_lost_line: bool,
    state: Option<SessionState>,
    background: HashSet<String>,
    /// Work that does not keep the run open, but that the CLI waits for at the end of input.
    other_tasks: HashSet<String>,
    deadline: Option<Instant>,
}

impl Run {
    pub(super) fn new(ceiling: Option<Duration>) -> Self {
        Self {
            ceiling,
            open: false,
            has_result: false,
            unanswered: 0,
            resumed: false,
            has_lost_line: false,
            state: None,
            background: HashSet::new(),
            other_tasks: HashSet::new(),
            deadline: None,
        }
    }

    /// A prompt was written.
    pub(super) fn prompted(&mut self) {
        self.open = true;
        self.has_result = false;
        self.unanswered += 1;
        self.has_lost_line = false;
        self.deadline = None;
    }

    /// A line could not be read. If it was the result, no other will come: then the state of the
    /// session ends the run, or the ceiling where there is no state.
    pub(super) fn lost_line(&mut self, now: Instant) {
        self.has_lost_line = true;
        if self.open && self.state.is_none() {
            self.deadline = self.silence_until(now);
        }
    }

    /// A result came; true when it ends the run.
    pub(super) fn result(&mut self, now: Instant) -> bool {
        self.has_result = true;
        self.unanswered = self.unanswered.saturating_sub(1);
        self.resumed = false;
        self.settle(now)
    }

    /// The session's state changed; true when that ends the run.
    pub(super) fn state(&mut self, state: SessionState, now: Instant) -> bool {
        let idle = state == SessionState::Idle;
        let waits = state == SessionState::RequiresAction;
        self.state = Some(state);
        if idle {
            if self.has_result {
                // One result may answer several prompts.
                self.unanswered = 0;
            }
            self.resumed = false;
            return self.settle(now);
        }
        if self.has_result {
            self.open = true;
            self.resumed = true;
            self.deadline = if waits { None } else { self.silence_until(now) };
        }
        false
    }

    /// Whether it matters if the main thread speaks.
    pub(super) fn awaits_activity(&self) -> bool {
        self.has_result || self.deadline.is_some()
    }

    /// The main thread spoke: a run that seemed over goes on.
    pub(super) fn activity(&mut self) {
        if self.has_result {
            self.open = true;
            self.resumed = true;
        }
        self.deadline = None;
    }

    /// A background agent began to work.
    pub(super) fn background_started(&mut self, task: String) {
        self.background.insert(task);
    }

    /// Something else began to work: a shell, a monitor. It may never end.
    pub(super) fn task_started(&mut self, task: String) {
        self.other_tasks.insert(task);
    }

    pub(super) fn has_tasks(&self) -> bool {
        !(self.background.is_empty() && self.other_tasks.is_empty())
    }

    /// A background agent is done. The session is about to be woken by that, so the run does not
    /// end here, but the ceiling begins to count.
    pub(super) fn background_ended(&mut self, task: &str, now: Instant) {
        self.other_tasks.remove(task);
        if self.background.remove(task) && self.background.is_empty() && self.has_result {
            self.deadline = self.silence_until(now);
        }
    }

    pub(super) fn has_result(&self) -> bool {
        self.has_result
    }

    pub(super) fn awaits_result(&self) -> bool {
        self.open && !self.has_result
    }

    /// Returns whether a turn runs, or a prompt waits for one: also after the result of an earlier
    /// prompt.
    pub(super) fn turn_is_running(&self) -> bool {
        self.awaits_result() || self.unanswered > 0 || self.resumed
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
            .filter(|_| self.open && self.background.is_empty())
    }

    /// True when the ceiling has been reached, which ends the run.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let reached = self.deadline().is_some_and(|deadline| deadline <= now);
        if reached {
            self.unanswered = 0;
            self.resumed = false;
            self.end();
        }
        reached
    }

    fn settle(&mut self, now: Instant) -> bool {
        let at_rest = matches!(self.state, None | Some(SessionState::Idle));
        if !(self.open && (self.has_result || self.has_lost_line)) {
            return false;
        }
        if at_rest && self.background.is_empty() {
            self.end();
            return true;
        }
        self.deadline = self.silence_until(now);
        false
    }

    fn end(&mut self) {
        self.open = false;
        self.deadline = None;
    }

    fn silence_until(&self, now: Instant) -> Option<Instant> {
        self.ceiling.and_then(|ceiling| now.checked_add(ceiling))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CEILING: Duration = Duration::from_secs(600);

    fn prompted() -> (Run, Instant) {
        let mut run = Run::new(Some(CEILING));
        run.prompted();
        (run, Instant::now())
    }

    #[test]
    fn without_states_the_result_ends_the_run() {
        let (mut run, now) = prompted();
        assert!(run.result(now));
        assert!(!run.result(now), "a run ends once");
    }

    #[test]
    fn with_states_idle_after_the_result_ends_the_run() {
        let (mut run, now) = prompted();
        assert!(!run.state(SessionState::Running, now));
        assert!(!run.state(SessionState::Idle, now), "no result yet");
        assert!(!run.state(SessionState::Running, now));
        assert!(!run.result(now));
        assert!(run.state(SessionState::Idle, now));
    }

    #[test]
    fn idle_just_before_the_result_ends_it_at_the_result() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.state(SessionState::Idle, now);
        assert!(run.result(now));
    }

    #[test]
    fn a_session_that_wakes_after_its_result_goes_on() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.result(now);
        assert_eq!(run.deadline(), Some(now + CEILING));
        run.activity();
        assert_eq!(run.deadline(), None);
        assert!(!run.state(SessionState::RequiresAction, now));
        assert_eq!(run.deadline(), None, "a question may stay open");
        assert!(!run.state(SessionState::Running, now));
        assert!(!run.result(now));
        assert!(run.state(SessionState::Idle, now));
    }

    #[test]
    fn silence_beyond_the_ceiling_ends_the_run() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.result(now);
        assert!(!run.expire(now + CEILING - Duration::from_nanos(1)));
        assert!(run.expire(now + CEILING));
        assert_eq!(run.deadline(), None);
    }

    #[test]
    fn without_a_ceiling_it_may_last_for_ever() {
        let mut run = Run::new(None);
        let now = Instant::now();
        run.prompted();
        run.state(SessionState::Running, now);
        assert!(!run.result(now));
        assert_eq!(run.deadline(), None);
    }

    #[test]
    fn a_result_that_cannot_be_read_does_not_keep_the_run_open() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.lost_line(now);
        assert!(run.state(SessionState::Idle, now));

        let (mut silent, now) = prompted();
        silent.lost_line(now);
        assert_eq!(silent.deadline(), Some(now + CEILING));
        silent.activity();
        assert_eq!(silent.deadline(), None, "it was another line");
        assert!(silent.result(now));
    }

    #[test]
    fn a_background_agent_keeps_the_run_open() {
        let (mut run, now) = prompted();
        run.background_started("t1".to_owned());
        assert!(!run.result(now));
        assert_eq!(run.deadline(), None, "nor does the ceiling count");
        run.background_ended("t1", now);
        assert_eq!(run.deadline(), Some(now + CEILING));
        run.activity();
        assert!(run.result(now));
    }

    #[test]
    fn turn_of_a_queued_prompt_is_running_after_the_first_result() {
        let (mut run, now) = prompted();
        run.prompted();
        run.state(SessionState::Running, now);
        run.result(now);
        assert!(run.turn_is_running(), "the second prompt is queued");
        run.result(now);
        assert!(!run.turn_is_running());
        run.state(SessionState::Idle, now);
        assert!(!run.turn_is_running());
    }

    #[test]
    fn turn_is_running_when_the_session_is_woken_after_its_result() {
        let (mut run, now) = prompted();
        run.result(now);
        assert!(!run.turn_is_running());
        run.activity();
        assert!(run.turn_is_running());
        run.result(now);
        assert!(!run.turn_is_running());
        run.state(SessionState::RequiresAction, now);
        assert!(run.turn_is_running());
        run.state(SessionState::Idle, now);
        assert!(!run.turn_is_running());
    }

    #[test]
    fn no_turn_is_running_once_a_session_with_merged_prompts_is_idle() {
        let (mut run, now) = prompted();
        run.prompted();
        run.result(now);
        run.state(SessionState::Idle, now);
        assert!(!run.turn_is_running());
    }
}
