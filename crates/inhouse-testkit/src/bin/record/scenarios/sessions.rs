//! Sessions that continue others.

use inhouse::Client;

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn compaction(setup: &RecordingSetup) -> Played {
    setup
        .model
        .turn("It is 42.")
        .turn("It is 84.")
        .turn("<summary>They talked about 42 and 84.</summary>")
        .turn("It was 84.");
    let mut client = setup.connect(setup.options()).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    client.send("And doubled?").await?.finish().await?;
    client.send("/compact").await?.finish().await?;
    client.send("What was it?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn resume(setup: &RecordingSetup) -> Played {
    let earlier = earlier_session(setup).await?;
    setup.model.turn("It was 42.");
    let mut client = setup.connect(setup.options().resume(earlier)).await?;
    client.send("What was it?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn fork(setup: &RecordingSetup) -> Played {
    let earlier = earlier_session(setup).await?;
    setup.model.turn("It was 42.");
    let options = setup.options().resume(earlier).fork_session(true);
    let mut client = setup.connect(options).await?;
    client.send("What was it?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn resume_unknown(setup: &RecordingSetup) -> Played {
    let options = setup
        .options()
        .resume("6d0d2c9a-1f2e-4a53-9a0e-2d8f1c6b7e11");
    match setup.connect(options).await {
        Ok(_) => Err("a session that never was has been resumed".into()),
        Err(_) => Ok(()),
    }
}

/// A session without a recording.
async fn earlier_session(setup: &RecordingSetup) -> Result<String, Box<dyn std::error::Error>> {
    setup.model.turn("It is 42.");
    let mut client = Client::connect(setup.options()).await?;
    let result = client.send("What is 15 + 27?").await?.finish().await?;
    client.close().await?;
    Ok(result.session_id.to_string())
}
