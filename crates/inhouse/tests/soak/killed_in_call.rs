//! A host that is killed in a tool call, or right after one.
//!
//! Another host then sends the same prompt with the same id. The effects of the tool are counted outside of the session.

use std::collections::BTreeMap;
use std::time::Duration;

use inhouse_store::{Bytes, JournaledCall};
use inhouse_testkit::RealCli;
use serde_json::Value;

use crate::scene::{Scene, StoreKind, check_transcript};
use crate::support::{DEADLINE, Failures, event, exit, pass, report, runs};

const PROMPT: &str = "Note 1.";

/// The id of the call that the model makes.
const CALL: &str = "toolu_1";

/// The time of a call: longer than the CLI takes to report it as a rule, and than the last moment in it.
const CALL_TIME: Duration = Duration::from_millis(250);

/// When the first host is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// This many milliseconds after the beginning of the call.
    InCall(u64),
    /// When the call has ended, before or while its answer is sent.
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

/// What was there when the first host was dead, and what happened then.
struct Outcome {
    /// The transcript that the second host has loaded.
    left: Vec<Bytes>,
    /// The journal that the second host has found.
    #[expect(dead_code, reason = "for the checks of the journal")]
    journal: Vec<JournaledCall>,
    /// The first request of the second host.
    seen: String,
    /// How often the tool took effect.
    effects: usize,
}

#[derive(Default)]
struct Counts {
    runs: u32,
    /// Runs in which the call was in the transcript.
    recorded: u32,
    /// Runs in which the tool took effect once more.
    repeated: u32,
}

/// Repeats the scenario; each run kills a host at every moment.
pub(crate) async fn soak(name: &str, kind: &StoreKind) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    let mut counts = BTreeMap::<Moment, Counts>::new();
    for run in 0..runs() {
        for moment in MOMENTS {
            let outcome = kill_and_resume(&cli, kind, moment).await;
            let outcome = outcome.and_then(|outcome| outcome.check().map(|()| outcome));
            let outcome = outcome.map_err(|why| format!("{moment:?}: {why}"));
            if let Some(outcome) = failures.check(run, outcome) {
                counts.entry(moment).or_default().add(&outcome);
            }
        }
    }
    let details = counts.iter().map(|(moment, counts)| {
        let Counts {
            runs,
            recorded,
            repeated,
        } = counts;
        format!("{moment:?}: {recorded} of {runs} calls recorded, {repeated} repeated")
    });
    let detail = details.collect::<Vec<_>>().join("; ");
    report(name, runs(), failures.0.min(runs()), &detail);
}

async fn kill_and_resume(
    cli: &RealCli,
    kind: &StoreKind,
    moment: Moment,
) -> Result<Outcome, String> {
    let scene = Scene::new(cli, kind).await;
    scene.script_notes();
    let mut plan = scene.plan(&[PROMPT]);
    plan.queries = true;
    plan.call_time = CALL_TIME;
    plan.hangs_after_call = moment == Moment::BeforeMirror;
    let mut first = scene.start(&plan);
    match moment {
        Moment::InCall(time) => {
            event(&mut first, "began").await?;
            pass(Duration::from_millis(time)).await;
        }
        Moment::AtEnd => drop(event(&mut first, "ended").await?),
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
    let later = scene.model.conversation().split_off(requests);
    let first_request = later.first().ok_or("the model got no further request")?;
    Ok(Outcome {
        left,
        journal: journal.map_err(|why| why.to_string())?,
        seen: Value::from(scene.history(first_request)).to_string(),
        effects: scene.effects(),
    })
}

impl Outcome {
    /// Returns what a user would call a loss or a repetition.
    fn check(&self) -> Result<(), String> {
        let prompts = self.seen.matches(PROMPT).count();
        if prompts != 1 {
            let seen = &self.seen;
            return Err(format!(
                "the model has seen the prompt {prompts} times: {seen}"
            ));
        }
        if self.has_call() && !self.seen.contains(CALL) {
            return Err(format!("the model has not seen the call: {}", self.seen));
        }
        if self.has_call() && self.effects != 1 {
            return Err(format!("the tool took effect {} times", self.effects));
        }
        Ok(())
    }

    /// Returns whether the transcript has the call.
    fn has_call(&self) -> bool {
        let mut entries = self.left.iter();
        entries.any(|entry| String::from_utf8_lossy(entry).contains(CALL))
    }
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        self.recorded += u32::from(outcome.has_call());
        self.repeated += u32::from(outcome.effects > 1);
    }
}
