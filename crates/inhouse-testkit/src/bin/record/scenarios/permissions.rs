//! Tools that need permission.

use inhouse::{Options, control::PermissionMode};
use inhouse_testkit::Turn;
use serde_json::{Value, json};

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn asked_and_allowed(setup: &RecordingSetup) -> Played {
    let options = asked(
        setup,
        |request| json!({ "behavior": "allow", "updatedInput": request["input"] }),
    );
    write_a_file(setup, options).await
}

pub(super) async fn asked_and_denied(setup: &RecordingSetup) -> Played {
    let options = asked(
        setup,
        |_| json!({ "behavior": "deny", "message": "Not in this house." }),
    );
    write_a_file(setup, options).await
}

/// No permission handler is registered.
pub(super) async fn denied(setup: &RecordingSetup) -> Played {
    write_a_file(setup, setup.options()).await
}

pub(super) async fn mode_changes(setup: &RecordingSetup) -> Played {
    setup.model.turn("Done.");
    let mut client = setup.connect(setup.options()).await?;
    let control = client.control().clone();
    for mode in [PermissionMode::Plan, PermissionMode::AcceptEdits] {
        control.set_permission_mode(mode).await?;
    }
    client.send("Hello").await?.finish().await?;
    control.set_permission_mode(PermissionMode::Default).await?;
    client.close().await?;
    Ok(())
}

fn asked(setup: &RecordingSetup, decide: fn(&Value) -> Value) -> Options {
    setup
        .options()
        .extra_arg("permission-prompt-tool", Some("stdio"))
        .on_request("can_use_tool", move |request: Value| async move {
            Ok::<_, std::convert::Infallible>(decide(&request))
        })
}

async fn write_a_file(setup: &RecordingSetup, options: Options) -> Played {
    let path = setup.isolation.cwd().join("note.txt");
    let input = json!({ "file_path": path, "content": "42\n" });
    setup
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Write", input))
        .turn("That was all.");
    let mut client = setup.connect(options).await?;
    client.send("Write it down.").await?.finish().await?;
    client.close().await?;
    Ok(())
}
