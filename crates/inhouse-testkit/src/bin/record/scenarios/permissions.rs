//! Tools that need permission.

use inhouse::{Options, control::PermissionMode};
use inhouse_testkit::Turn;
use serde_json::{Value, json};

use super::Played;
use crate::stage::Stage;

pub(super) async fn asked_and_allowed(stage: &Stage) -> Played {
    let options = asked(
        stage,
        |request| json!({ "behavior": "allow", "updatedInput": request["input"] }),
    );
    write_a_file(stage, options).await
}

pub(super) async fn asked_and_denied(stage: &Stage) -> Played {
    let options = asked(
        stage,
        |_| json!({ "behavior": "deny", "message": "Not in this house." }),
    );
    write_a_file(stage, options).await
}

/// No permission handler is registered.
pub(super) async fn denied(stage: &Stage) -> Played {
    write_a_file(stage, stage.options()).await
}

pub(super) async fn mode_changes(stage: &Stage) -> Played {
    stage.model.turn("Done.");
    let mut client = stage.connect(stage.options()).await?;
    let control = client.control().clone();
    for mode in [PermissionMode::Plan, PermissionMode::AcceptEdits] {
        control.set_permission_mode(mode).await?;
    }
    client.send("Hello").await?.finish().await?;
    control.set_permission_mode(PermissionMode::Default).await?;
    client.close().await?;
    Ok(())
}

fn asked(stage: &Stage, decide: fn(&Value) -> Value) -> Options {
    stage
        .options()
        .extra_arg("permission-prompt-tool", Some("stdio"))
        .on_request("can_use_tool", move |request: Value| async move {
            Ok::<_, std::convert::Infallible>(decide(&request))
        })
}

async fn write_a_file(stage: &Stage, options: Options) -> Played {
    let path = stage.world.cwd().join("note.txt");
    let input = json!({ "file_path": path, "content": "42\n" });
    stage
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Write", input))
        .turn("That was all.");
    let mut client = stage.connect(options).await?;
    client.send("Write it down.").await?.finish().await?;
    client.close().await?;
    Ok(())
}
