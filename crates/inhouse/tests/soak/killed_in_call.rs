//! A host that is killed in a tool call, or right after one.
//!
//! Another host then sends the same prompt with the same id. The model must see the call once, with the recorded result, or what the
//! tool finds out about it, or that its outcome is unknown. The effects of the tool are counted outside of the session.

use std::collections::BTreeMap;
use std::time::Duration;

use inhouse_store::{Bytes, JournaledCall};
use inhouse_testkit::{ModelRequest, RealCli};
use serde_json::Value;

use crate::scene::{Scene, StoreKind};
use crate::stored_host::{FOUND_OUT, NOTED, PlannedFlush};
use crate::support::{DEADLINE, Failures, Rng, check_transcript, event, exit, pass, report, runs};

const PROMPT: &str = "Note 1.";

/// The id of the call that the model makes.
const CALL: &str = "toolu_1";

/// The time of a call that ends: longer than the CLI takes to report it as a rule.
const CALL_TIME: Duration = Duration::from_millis(250);

/// The time of a call in which the host is killed. No test waits for its end, which a slow machine must not reach before the kill.
const ENDLESS_CALL: Duration = Duration::from_secs(60);

/// The first moments after a call: its result is recorded, and its answer sent.
const AFTER_END: Duration = Duration::from_millis(20);

/// When the first host is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// This many milliseconds after the beginning of the call.
    InCall(u64),
    /// When the call has ended, before or after its result is recorded.
    AtEnd,
    /// When the model has got the result, which is not stored.
    BeforeMirror,
}

const MOMENTS: [Moment; 5] = [
    Moment::InCall(0),
    Moment::InCall(50),
    Moment::InCall(150),
    Moment::AtEnd,
    Moment::BeforeMirror,
];

#[derive(Clone, Copy, Debug)]
struct Kill {
    moment: Moment,
    /// Whether the tool determines the outcome of a call.
    finds_out: bool,
    flush: PlannedFlush,
    /// How long after the end of the call, for [`Moment::AtEnd`].
    after_end: Duration,
}

/// What was there when the first host was dead, and what happened then.
struct Outcome {
    /// The transcript that the second host has loaded.
    left: Vec<Bytes>,
    /// The journal that the second host has found.
    journal: Vec<JournaledCall>,
    /// The first request of the second host.
    request: ModelRequest,
    /// How often the tool took effect.
    effects: usize,
}

#[derive(Default)]
struct Counts {
    runs: u32,
    /// Runs in which the call was in the transcript.
    recorded: u32,
    /// Runs in which the result was in the journal.
    finished: u32,
    /// Runs in which a turn is stored at its end.
    end_of_turn: u32,
}

/// Repeats the scenario; each run kills a host at every moment.
pub(crate) async fn soak(name: &str, kind: &StoreKind) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let mut counts = BTreeMap::<Moment, Counts>::new();
    for run in 0..runs() {
        for (number, moment) in (0..).zip(MOMENTS) {
            let kill = Kill {
                moment,
                // Alternates between moments, so that a single run has both.
                finds_out: (run + number) % 2 == 0,
                flush: PlannedFlush::random(&mut rng),
                after_end: match run % 4 {
                    0 | 1 => Duration::ZERO,
                    _ => rng.time_below(AFTER_END),
                },
            };
            let outcome = kill_and_resume(&cli, kind, kill).await;
            let outcome = outcome.and_then(|outcome| outcome.check(kill).map(|()| outcome));
            let outcome = outcome.map_err(|why| format!("{kill:?}: {why}"));
            if let Some(outcome) = failures.check(run, outcome) {
                counts.entry(moment).or_default().add(kill, &outcome);
            }
        }
    }
    let details = counts.iter().map(|(moment, counts)| {
        let Counts {
            runs,
            recorded,
            finished,
            end_of_turn,
        } = counts;
        format!(
            "{moment:?}: {runs} calls, {recorded} in the transcript, {finished} with a result, {end_of_turn} with `EndOfTurn`"
        )
    });
    let detail = details.collect::<Vec<_>>().join("; ");
    report(name, runs(), failures.0.min(runs()), &detail);
}

async fn kill_and_resume(cli: &RealCli, kind: &StoreKind, kill: Kill) -> Result<Outcome, String> {
    let moment = kill.moment;
    let scene = Scene::new(cli, kind).await;
    scene.script_notes();
    let mut plan = scene.plan(&[PROMPT]);
    plan.queries = true;
    (plan.finds_out, plan.flush) = (kill.finds_out, kill.flush);
    plan.call_time = match moment {
        Moment::InCall(_) => ENDLESS_CALL,
        Moment::AtEnd | Moment::BeforeMirror => CALL_TIME,
    };
    plan.hangs_after_call = moment == Moment::BeforeMirror;
    let mut first = scene.start(&plan);
    match moment {
        Moment::InCall(time) => {
            event(&mut first, "began").await?;
            pass(Duration::from_millis(time)).await;
        }
        Moment::AtEnd => {
            event(&mut first, "ended").await?;
            pass(kill.after_end).await;
        }
        Moment::BeforeMirror => {
            for _ in 0..2 {
                let request = scene.model.next_request(DEADLINE).await;
                request.map_err(|why| why.to_string())?;
            }
        }
    }
    first.kill();
    // A last statement may be on its way to the server.
    pass(Duration::from_millis(100)).await;
    let left = scene.entries().await;
    let journal = scene.store.journal().expect("the store has a journal");
    let journal = journal.calls(&scene.session).await;
    let requests = scene.model.conversation().len();

    plan.closes = true;
    plan.hangs_after_call = false;
    let mut second = scene.start(&plan);
    let answer = event(&mut second, "finished").await?;
    if answer != "Noted 1." {
        return Err(format!("the answer is {answer:?}"));
    }
    exit(second).await?;
    check_transcript(&scene.entries().await)?;
    let mut requests = scene.model.conversation().into_iter().skip(requests);
    Ok(Outcome {
        left,
        journal: journal.map_err(|why| why.to_string())?,
        request: requests.next().ok_or("the model got no further request")?,
        effects: scene.effects(),
    })
}

impl Outcome {
    /// Returns what was lost, repeated or hidden from the model.
    fn check(&self, kill: Kill) -> Result<(), String> {
        let seen = Value::from(self.request.messages()).to_string();
        let prompts = seen.matches(PROMPT).count();
        if prompts != 1 {
            return Err(format!(
                "the model has seen the prompt {prompts} times: {seen}"
            ));
        }
        let calls = seen.matches(&format!("\"id\":\"{CALL}\"")).count();
        let results = self.request.tool_results();
        let ([result], 1) = (&results[..], calls) else {
            return Err(format!("the model has seen {calls} calls and {results:?}"));
        };
        if self.effects != 1 {
            return Err(format!("the tool took effect {} times", self.effects));
        }
        let [journaled] = &self.journal[..] else {
            return Err(format!("the journal has {} calls", self.journal.len()));
        };
        let is_expected = match (kill.moment, &journaled.result) {
            (Moment::InCall(_), Some(_)) | (Moment::BeforeMirror, None) => {
                return Err(format!("the journal has {journaled:?}"));
            }
            (_, Some(_)) => !result.is_error && result.text == NOTED,
            (_, None) if kill.finds_out => !result.is_error && result.text == FOUND_OUT,
            (_, None) => result.is_error && result.text.contains("outcome is unknown"),
        };
        match is_expected {
            true => Ok(()),
            false => Err(format!("the model has seen {result:?}")),
        }
    }

    /// Returns whether the transcript has the call.
    fn has_call(&self) -> bool {
        let mut entries = self.left.iter();
        entries.any(|entry| String::from_utf8_lossy(entry).contains(CALL))
    }
}

impl Counts {
    fn add(&mut self, kill: Kill, outcome: &Outcome) {
        self.runs += 1;
        self.end_of_turn += u32::from(kill.flush == PlannedFlush::EndOfTurn);
        self.recorded += u32::from(outcome.has_call());
        let finished = outcome.journal.iter().any(|call| !call.is_open());
        self.finished += u32::from(finished);
    }
}
