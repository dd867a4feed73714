//! Plan approval with the real CLI.

use inhouse::Asked;
use inhouse::message::{Message, SystemMessage};
use inhouse::options::{Options, PermissionMode};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;
use tokio::sync::mpsc;

use super::seen;
use crate::world::{self, World};

/// The plan file that the CLI names to the model.
fn plan_file(request: &ModelRequest) -> String {
    let prompt = request.body().to_string();
    let ends = prompt.match_indices(".md").map(|(at, end)| at + end.len());
    let mut paths = ends.filter_map(|end| {
        let start = prompt[..end].rfind(['"', ' ', '`', '\\'])? + 1;
        Some(&prompt[start..end])
    });
    let path = paths.find(|path| path.contains("/plans/"));
    path.expect("the prompt contains a file name").to_owned()
}

/// Plans, writes the plan down, and asks for approval; what was shown, what the model read, and the
/// modes that the session went through.
async fn plan(
    world: &World,
    decision: PlanDecision,
) -> (Asked<PlanRequest>, String, bool, Vec<String>) {
    world.model.turn("Looked around.");
    let (sender, mut events) = mpsc::unbounded_channel();
    let options: Options = world
        .options()
        .permission_mode(PermissionMode::Plan)
        .on_plan(async move |asked: Asked<PlanRequest>| {
            sender.send(asked).expect("the test holds the receiver");
            Ok(decision)
        });
    let mut client = world.connect(options).await;
    world.ask(&mut client, "Look.").await;
    let file = plan_file(&world.model.conversation()[0]);
    let write = json!({"file_path": file, "content": "# Dig a well"});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Write", write))
        .turn(Turn::new().tool_use_with_id("toolu_2", "ExitPlanMode", json!({})))
        .turn("Done.");

    let turn = client.send("Plan.").await.unwrap();
    let messages = world.read(turn).await;

    let asked = events.recv().await.expect("the handler gets the plan");
    assert_eq!(asked.request.plan_file_path.as_deref(), Some(file.as_str()));
    let result = seen(world).pop().unwrap();
    let modes = messages.iter().filter_map(|message| match message {
        Message::System(SystemMessage::Status(status)) => {
            status.permission_mode.as_ref().map(ToString::to_string)
        }
        _ => None,
    });
    (asked, result.text, result.is_error, modes.collect())
}

#[tokio::test]
async fn approved_plan_is_executed() {
    let scenario = async |world: &World| {
        let (asked, read, failed, modes) = plan(world, PlanDecision::approve()).await;
        assert_eq!(asked.request.plan.as_deref(), Some("# Dig a well"));
        assert!(!failed && read.contains("approved your plan"), "{read}");
        assert!(read.contains("# Dig a well"), "{read}");
        assert_eq!(modes, ["default"]);
    };
    world::pinned(scenario).await;
    world::oldest(scenario).await;
}

#[tokio::test]
async fn plan_is_approved_with_a_mode() {
    world::pinned(async |world| {
        let decision = PlanDecision::approve().mode(PermissionMode::AcceptEdits);
        let (_, _, failed, modes) = plan(world, decision).await;
        assert!(!failed);
        assert_eq!(modes, ["acceptEdits"]);
    })
    .await;
}

#[tokio::test]
async fn model_executes_the_edited_plan() {
    world::pinned(async |world| {
        let decision = PlanDecision::approve().edited("# Dig a deeper well");
        let (_, read, ..) = plan(world, decision).await;
        assert!(read.contains("edited by user"), "{read}");
        assert!(read.contains("# Dig a deeper well"), "{read}");
    })
    .await;
}

#[tokio::test]
async fn rejected_plan_returns_with_the_feedback() {
    world::pinned(async |world| {
        let decision = PlanDecision::reject("Say where to dig.");
        let (_, read, failed, modes) = plan(world, decision).await;
        assert_eq!((read.as_str(), failed), ("Say where to dig.", true));
        assert!(modes.is_empty(), "it still plans: {modes:?}");
    })
    .await;
}
