//! A store that takes 3 s for each append.
//!
//! Times depend on the machine, so the appends are counted instead: how many had begun when the host was asked for a permission, when
//! its tool was called, when the CLI wrote the result, and when the result was delivered.

use inhouse_testkit::RealCli;

use crate::scene::{Scene, StoreKind};
use crate::stored_host::PlannedFault;
use crate::support::{Failures, check_transcript, event, exit, report, runs};

/// The steps between the request for a permission and the result that would wait for the store: the permission, the call of the tool,
/// and its answer.
const STEPS: usize = 3;

/// The appends for which a result waits, those of the transcript and of the results at the same time, and one that may begin when
/// they have ended. A turn has at least twice as many frames.
const LAST_APPENDS: usize = 3;

/// The greatest numbers of appends over all runs.
#[derive(Default)]
struct Counts {
    up_to_result: usize,
    after_result: usize,
}

pub(crate) async fn soak(name: &str) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let (mut failures, mut most) = (Failures::default(), Counts::default());
    for run in 0..runs() {
        if let Some(counts) = failures.check(run, ask_and_call(&cli).await) {
            most.up_to_result = most.up_to_result.max(counts.up_to_result);
            most.after_result = most.after_result.max(counts.after_result);
        }
    }
    let detail = format!(
        "at most {} appends begun between the permission and the result, {} before the result was delivered",
        most.up_to_result, most.after_result
    );
    report(name, runs(), failures.0, &detail);
}

async fn ask_and_call(cli: &RealCli) -> Result<Counts, String> {
    let scene = Scene::new(cli, &StoreKind::Sqlite).await;
    scene.script_notes();
    let mut plan = scene.plan(&["Note 1."]);
    (plan.closes, plan.asks_to_read) = (true, true);
    plan.append_faults = vec![PlannedFault::VerySlow; 100];
    plan.recording = Some(scene.isolation.root().join("recording"));
    let mut host = scene.start(&plan);
    let mut counts = Vec::new();
    for name in ["asked", "began", "ended", "result", "delivered"] {
        let count = event(&mut host, name).await?;
        counts.push(count.parse::<usize>().expect("a number"));
    }
    exit(host).await?;
    check_transcript(&scene.entries().await)?;
    let [asked, .., result, delivered] = counts[..] else {
        unreachable!("five events");
    };
    let counts = Counts {
        up_to_result: result - asked,
        after_result: delivered - result,
    };
    if counts.up_to_result >= STEPS {
        let number = counts.up_to_result;
        return Err(format!(
            "{number} appends between the permission and the result"
        ));
    }
    if counts.after_result > LAST_APPENDS {
        let number = counts.after_result;
        return Err(format!("{number} appends before the result was delivered"));
    }
    Ok(counts)
}
