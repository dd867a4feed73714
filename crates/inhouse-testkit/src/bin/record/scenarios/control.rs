//! Control requests of the host.

use std::{fs, time::Duration};

use inhouse::{
    Control, ErrorKind,
    control::{ControlRequest, outgoing::*},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Played;
use crate::setup::RecordingSetup;

/// Requests that change nothing, between two turns.
pub(super) async fn questions(setup: &RecordingSetup) -> Played {
    setup.model.turn("It is 42.").turn("It is 84.");
    let note = setup.isolation.cwd().join("note.txt");
    fs::write(&note, "The answer is 42.\n")?;
    let mut client = setup.connect(setup.options()).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    let control = client.control().with_timeout(Duration::from_secs(20));
    ask(&control, McpStatus::new()).await?;
    ask(&control, GetContextUsage::new()).await?;
    ask(&control, GetUsage::new().skip_behaviors(true)).await?;
    ask(&control, GetSessionCost::new()).await?;
    ask(&control, GetSettings::new()).await?;
    ask(&control, GetHooksListing::new()).await?;
    ask(&control, ListPermissionRules::new()).await?;
    ask(&control, ListModels::new()).await?;
    ask(&control, GetBinaryVersion::new()).await?;
    ask(&control, FileSuggestions::new("note")).await?;
    ask(&control, ReadFile::new(note.to_string_lossy())).await?;
    ask(&control, ReloadSkills::new()).await?;
    ask(&control, ReloadOutputStyles::new()).await?;
    ask(&control, ReloadPlugins::new()).await?;
    ask(&control, GetPlan {}).await?;
    ask(&control, GetStatus {}).await?;
    client.send("And doubled?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

/// Requests that change the session.
pub(super) async fn changes(setup: &RecordingSetup) -> Played {
    setup.model.turn("It is 42.");
    let mut client = setup.connect(setup.options()).await?;
    let control = client.control().with_timeout(Duration::from_secs(20));
    ask(&control, SetModel::new("claude-opus-4-1")).await?;
    ask(&control, SetModel::reset()).await?;
    ask(
        &control,
        SetMaxThinkingTokens::new().max_thinking_tokens(2048),
    )
    .await?;
    let settings = Map::from_iter([("includeCoAuthoredBy".to_owned(), json!(false))]);
    ask(&control, ApplyFlagSettings::new(settings)).await?;
    ask(&control, RenameSession::new("Sums")).await?;
    ask(&control, BackgroundTasks::new()).await?;
    ask(&control, McpSetServers::new()).await?;
    ask(&control, Interrupt::new()).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    ask(&control, EndSession::new()).await?;
    client.close().await?;
    Ok(())
}

/// Requests that the CLI refuses.
pub(super) async fn refused_requests(setup: &RecordingSetup) -> Played {
    let client = setup.connect(setup.options()).await?;
    let control = client.control().with_timeout(Duration::from_secs(20));
    ask(&control, NoSuchRequest {}).await?;
    ask(&control, ReadFile::new("no-such-file")).await?;
    ask(&control, StopTask::new("no-such-task")).await?;
    ask(&control, GetTaskOutput::new("no-such-task")).await?;
    ask(&control, McpReconnect::new("no-such-server")).await?;
    ask(&control, McpToggle::new("no-such-server", true)).await?;
    let prompt = "6d0d2c9a-1f2e-4a53-9a0e-2d8f1c6b7e11";
    ask(&control, RewindFiles::new(prompt)).await?;
    ask(&control, CancelAsyncMessage::new(prompt)).await?;
    client.close().await?;
    Ok(())
}

/// Sends a request and accepts any response, because only the recording matters.
async fn ask<R: ControlRequest>(control: &Control, request: R) -> inhouse::Result<()> {
    match control.request(request).await {
        Err(error) if error.kind() == ErrorKind::Refused => Ok(()),
        Err(error) if error.kind() == ErrorKind::Protocol => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            eprintln!("  {error}: {}", cause.unwrap_or_default());
            Ok(())
        }
        answered => answered.map(drop),
    }
}

macro_rules! untyped {
    ($( $name:ident($subtype:literal) ),+) => {
        $(
            #[derive(Serialize)]
            struct $name {}

            impl ControlRequest for $name {
                const SUBTYPE: &'static str = $subtype;
                type Reply = Value;
            }
        )+
    };
}

untyped! { GetPlan("get_plan"), GetStatus("get_status"), NoSuchRequest("no_such_request") }
