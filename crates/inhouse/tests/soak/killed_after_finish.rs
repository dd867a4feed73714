//! A host that is killed right after the result of a turn was delivered, or in the middle of the next turn.
//!
//! Another host then resumes the session with one more prompt. The model must see the whole history of every turn whose
//! result was delivered, as in a run in which no host was killed.

use std::time::{Duration, Instant};

use inhouse_testkit::{ModelRequest, RealCli};
use serde_json::Value;

use crate::scene::{Scene, StoreKind};
use crate::stored_host::{PlannedFault, PlannedFlush};
use crate::support::{DEADLINE, Failures, Rng, check_transcript, event, exit, pass, report, runs};

/// The first moments after a result was delivered.
const RIGHT_AFTER: Duration = Duration::from_millis(30);

/// The time of a tool call, so that some hosts are killed in it.
const CALL: Duration = Duration::from_millis(100);

/// The prompt of the second host.
const LAST: &str = "Note 9.";

/// When the first host is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// Right after the first turn of a client.
    AfterTurn,
    /// Right after the end of a query, whose session is closed.
    AfterQuery,
    /// Anywhere in the second turn of a client.
    InTurn,
}

const MOMENTS: [Moment; 3] = [Moment::AfterTurn, Moment::InTurn, Moment::AfterQuery];

/// How the last prompt and everything before it look to the model if no host is killed.
struct Reference {
    /// After one turn, and after two.
    histories: [Vec<Value>; 2],
    /// The time that the second turn took.
    turn: Duration,
}

#[derive(Default)]
struct Counts {
    after_turn: u32,
    after_query: u32,
    in_turn: u32,
    slow_store: u32,
    end_of_turn: u32,
    /// The runs in which the second turn was delivered before the kill.
    delivered: u32,
    /// The runs in which the model saw a part of the second turn, which was not delivered.
    cut_off: u32,
}

/// Repeats the scenario: half of the runs with each store.
pub(crate) async fn soak(name: &str, kind: &StoreKind, first: usize) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let reference = Reference::take(&cli, kind).await;
    let mut rng = Rng::seeded();
    let (mut counts, mut failures) = (Counts::default(), Failures::default());
    let runs = runs().div_ceil(2);
    for (run, moment) in (0..runs).zip(MOMENTS.into_iter().cycle().skip(first)) {
        let delay = match moment {
            Moment::AfterTurn | Moment::AfterQuery => rng.time_below(RIGHT_AFTER),
            // A slow store makes the turn longer.
            Moment::InTurn => rng.time_below(2 * reference.turn),
        };
        let kill = Kill {
            moment,
            delay,
            slow_store: rng.below(2) == 0,
            flush: PlannedFlush::random(&mut rng),
        };
        let outcome = kill_and_resume(&cli, kind, &reference, kill).await;
        let outcome = outcome.map_err(|why| format!("{kill:?}: {why}"));
        if let Some(turns) = failures.check(run, outcome) {
            counts.add(kill, turns);
        }
    }
    report(name, runs, failures.0, &counts.detail());
}

#[derive(Clone, Copy, Debug)]
struct Kill {
    moment: Moment,
    delay: Duration,
    /// Whether an append takes longer than the first moments after a result: one that comes too late is lost.
    slow_store: bool,
    flush: PlannedFlush,
}

/// How many turns were delivered before a kill, and how many the model saw afterwards.
struct Turns {
    delivered: usize,
    seen: usize,
}

async fn kill_and_resume(
    cli: &RealCli,
    kind: &StoreKind,
    reference: &Reference,
    kill: Kill,
) -> Result<Turns, String> {
    let scene = Scene::new(cli, kind).await;
    scene.script_notes();
    let Kill { moment, delay, .. } = kill;
    let mut plan = match moment {
        Moment::InTurn => scene.plan(&["Note 1.", "Note 2."]),
        Moment::AfterTurn | Moment::AfterQuery => scene.plan(&["Note 1."]),
    };
    plan.queries = moment == Moment::AfterQuery;
    (plan.call_time, plan.flush) = (CALL, kill.flush);
    if kill.slow_store {
        plan.append_faults = vec![PlannedFault::Slow; 100];
    }
    let mut host = scene.start(&plan);
    event(&mut host, "finished").await?;
    pass(delay).await;
    host.kill();
    let mut delivered = 1;
    // What the host has written before it was killed.
    while let Ok(event) = host.next_event(DEADLINE).await {
        delivered += usize::from(event.name == "finished");
    }

    let request = resume(&scene).await?;
    check_transcript(&scene.entries().await)?;
    let seen = scene.history(&request);
    let text = Value::from(seen.as_slice()).to_string();
    for prompt in ["Note 1.", "Note 2."] {
        if text.matches(prompt).count() > 1 {
            return Err(format!("the model has seen {prompt:?} twice: {text}"));
        }
    }
    let expected = &reference.histories[delivered - 1];
    let before = &expected[..expected.len() - 1];
    let is_complete = match moment {
        Moment::InTurn if delivered == 1 => seen.starts_with(before),
        _ => seen == *expected,
    };
    if !is_complete {
        let expected = Value::from(expected.as_slice());
        return Err(format!("the model has seen\n{text}\nand not\n{expected}"));
    }
    Ok(Turns {
        delivered,
        seen: 1 + usize::from(text.contains("Note 2.")),
    })
}

impl Reference {
    async fn take(cli: &RealCli, kind: &StoreKind) -> Self {
        let (first, _) = Self::history(cli, kind, &["Note 1."]).await;
        let (second, turn) = Self::history(cli, kind, &["Note 1.", "Note 2."]).await;
        Self {
            histories: [first, second],
            turn,
        }
    }

    /// Runs both hosts to their end; returns what the model saw, and the time of the last turn of the first.
    async fn history(cli: &RealCli, kind: &StoreKind, prompts: &[&str]) -> (Vec<Value>, Duration) {
        let scene = Scene::new(cli, kind).await;
        scene.script_notes();
        let mut plan = scene.plan(prompts);
        plan.closes = true;
        plan.call_time = CALL;
        let mut host = scene.start(&plan);
        let mut begin = Instant::now();
        let mut turn = Duration::ZERO;
        for _ in prompts {
            let finished = event(&mut host, "finished").await;
            finished.unwrap_or_else(|why| panic!("{why}"));
            turn = begin.elapsed();
            begin = Instant::now();
        }
        exit(host).await.unwrap_or_else(|why| panic!("{why}"));
        let request = resume(&scene).await;
        let request = request.unwrap_or_else(|why| panic!("{why}"));
        (scene.history(&request), turn)
    }
}

/// Resumes the session with the last prompt; returns the first request of that turn.
async fn resume(scene: &Scene) -> Result<ModelRequest, String> {
    let mut plan = scene.plan(&[LAST]);
    plan.closes = true;
    let mut host = scene.start(&plan);
    let answer = event(&mut host, "finished").await?;
    if answer != "Noted 9." {
        return Err(format!("the answer is {answer:?}"));
    }
    exit(host).await?;
    let requests = scene.model.conversation();
    let mut requests = requests.into_iter();
    requests
        .find(|request| request.body().to_string().contains(LAST))
        .ok_or_else(|| "the model has not seen the last prompt".to_owned())
}

impl Counts {
    fn add(&mut self, kill: Kill, turns: Turns) {
        self.slow_store += u32::from(kill.slow_store);
        self.end_of_turn += u32::from(kill.flush == PlannedFlush::EndOfTurn);
        match kill.moment {
            Moment::AfterTurn => self.after_turn += 1,
            Moment::AfterQuery => self.after_query += 1,
            Moment::InTurn => {
                self.in_turn += 1;
                self.delivered += u32::from(turns.delivered == 2);
                self.cut_off += u32::from(turns.delivered < turns.seen);
            }
        }
    }

    fn detail(&self) -> String {
        format!(
            "killed after a turn {}, after a query {}, in the next turn {} (delivered {}, cut off {}); {} with a slow store, {} with `EndOfTurn`",
            self.after_turn,
            self.after_query,
            self.in_turn,
            self.delivered,
            self.cut_off,
            self.slow_store,
            self.end_of_turn
        )
    }
}
