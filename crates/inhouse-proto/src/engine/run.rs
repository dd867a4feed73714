use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::message::SessionState;

/// State machine that determines when the run that a prompt started has ended.
///
/// A `result` ends a turn but not the run: background tasks can resume the session, and its tools and hooks need an
/// open stdin. A run ends
///
/// - at a result, if the session is idle or the CLI reports no state, and no background agent is known to be running;
/// - otherwise when the session becomes idle;
/// - at the latest after a time without activity, the ceiling.
#[derive(Debug)]
pub(super) struct Run {
    /// Time without activity after which the run ends; `None` for no limit.
    ceiling: Option<Duration>,
    /// Whether the run has not ended.
    open: bool,
    /// Whether a result followed the last prompt.
    has_result: bool,
    /// Number of prompts that were written and that no result has followed.
    unanswered: usize,
    /// Whether the session continued after a result: with a queued prompt, or because a task resumed it.
    resumed: bool,
    /// Whether a line was skipped that may have been the result.
    has_lost_line: bool,
    /// The last reported state; `None` if the CLI reports no state.
    state: Option<SessionState>,
    /// Ids of the background agents that keep the run open.
    background: HashSet<String>,
    /// Ids of tasks that do not keep the run open, but that the CLI waits for at the end of its input.
    other_tasks: HashSet<String>,
    /// Time at which the run ends unless there is activity.
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

    /// Records that a prompt was written.
    pub(super) fn prompted(&mut self) {
        self.open = true;
        self.has_result = false;
        self.unanswered += 1;
        self.has_lost_line = false;
        self.deadline = None;
    }

    /// Records that a line could not be read.
    ///
    /// If it was the result, no other result follows. Then the state of the session ends the run, or the ceiling if the
    /// CLI reports no state.
    pub(super) fn lost_line(&mut self, now: Instant) {
        self.has_lost_line = true;
        if self.open && self.state.is_none() {
            self.deadline = self.ceiling_after(now);
        }
    }

    /// Records a result; returns true if it ends the run.
    pub(super) fn result(&mut self, now: Instant) -> bool {
        self.has_result = true;
        self.unanswered = self.unanswered.saturating_sub(1);
        self.resumed = false;
        self.settle(now)
    }

    /// Records a state of the session; returns true if it ends the run.
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
            // The session is busy after a result. While it waits for the host there is no limit.
            self.open = true;
            self.resumed = true;
            self.deadline = if waits { None } else { self.ceiling_after(now) };
        }
        false
    }

    /// Returns whether [`activity`](Self::activity) would change the state.
    pub(super) fn awaits_activity(&self) -> bool {
        self.has_result || self.deadline.is_some()
    }

    /// Records a message of the main thread, which reopens a run that seemed to have ended.
    pub(super) fn activity(&mut self) {
        if self.has_result {
            self.open = true;
            self.resumed = true;
        }
        self.deadline = None;
    }

    /// Records the start of a background agent.
    pub(super) fn background_started(&mut self, task: String) {
        self.background.insert(task);
    }

    /// Records the start of another task, such as a shell or a monitor, which may never end.
    pub(super) fn task_started(&mut self, task: String) {
        self.other_tasks.insert(task);
    }

    pub(super) fn has_tasks(&self) -> bool {
        !(self.background.is_empty() && self.other_tasks.is_empty())
    }

    /// Records the end of a task.
    ///
    /// The end of a background agent resumes the session, so it does not end the run. After the last agent the ceiling
    /// starts to count.
    pub(super) fn background_ended(&mut self, task: &str, now: Instant) {
        self.other_tasks.remove(task);
        if self.background.remove(task) && self.background.is_empty() && self.has_result {
            self.deadline = self.ceiling_after(now);
        }
    }

    pub(super) fn has_result(&self) -> bool {
        self.has_result
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn has_queued_prompts(&self) -> bool {
        self.state.is_none() && self.unanswered > 0
    }

    pub(super) fn awaits_result(&self) -> bool {
        self.open && !self.has_result
    }

    /// Returns whether a turn is running or a prompt is waiting for its turn, even if an earlier prompt has a result.
    pub(super) fn turn_is_running(&self) -> bool {
        self.awaits_result() || self.unanswered > 0 || self.resumed
    }

    /// Returns the time at which the run ends without activity. There is none while a background agent is running.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
            .filter(|_| self.open && self.background.is_empty())
    }

    /// Ends the run if the ceiling has been reached; returns true if it has.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let reached = self.deadline().is_some_and(|deadline| deadline <= now);
        if reached {
            self.unanswered = 0;
            self.resumed = false;
            self.end();
        }
        reached
    }

    /// Ends the run if it has a result and nothing is running any more; otherwise starts the ceiling.
    fn settle(&mut self, now: Instant) -> bool {
        let is_idle = matches!(self.state, None | Some(SessionState::Idle));
        if !(self.open && (self.has_result || self.has_lost_line)) {
            return false;
        }
        if is_idle && self.background.is_empty() {
            self.end();
            return true;
        }
        self.deadline = self.ceiling_after(now);
        false
    }

    fn end(&mut self) {
        self.open = false;
        self.deadline = None;
    }

    /// Returns the time at which the ceiling is reached; `None` for no limit.
    fn ceiling_after(&self, now: Instant) -> Option<Instant> {
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
    fn result_while_idle_ends_the_run() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.state(SessionState::Idle, now);
        assert!(run.result(now));
    }

    #[test]
    fn activity_after_the_result_reopens_the_run() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.result(now);
        assert_eq!(run.deadline(), Some(now + CEILING));
        run.activity();
        assert_eq!(run.deadline(), None);
        assert!(!run.state(SessionState::RequiresAction, now));
        assert_eq!(run.deadline(), None, "a request may stay open");
        assert!(!run.state(SessionState::Running, now));
        assert!(!run.result(now));
        assert!(run.state(SessionState::Idle, now));
    }

    #[test]
    fn ceiling_without_activity_ends_the_run() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.result(now);
        assert!(!run.expire(now + CEILING - Duration::from_nanos(1)));
        assert!(run.expire(now + CEILING));
        assert_eq!(run.deadline(), None);
    }

    #[test]
    fn run_without_a_ceiling_has_no_deadline() {
        let mut run = Run::new(None);
        let now = Instant::now();
        run.prompted();
        run.state(SessionState::Running, now);
        assert!(!run.result(now));
        assert_eq!(run.deadline(), None);
    }

    #[test]
    fn lost_result_does_not_keep_the_run_open() {
        let (mut run, now) = prompted();
        run.state(SessionState::Running, now);
        run.lost_line(now);
        assert!(run.state(SessionState::Idle, now));

        let (mut silent, now) = prompted();
        silent.lost_line(now);
        assert_eq!(silent.deadline(), Some(now + CEILING));
        silent.activity();
        assert_eq!(silent.deadline(), None, "the lost line was not the result");
        assert!(silent.result(now));
    }

    #[test]
    fn background_agent_keeps_the_run_open() {
        let (mut run, now) = prompted();
        run.background_started("t1".to_owned());
        assert!(!run.result(now));
        assert_eq!(run.deadline(), None, "the ceiling does not count");
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
    fn turn_is_running_when_the_session_resumes_after_its_result() {
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
