//! System prompts and prompts as the model receives them.

use inhouse::message::{ContentBlock, ImageBlock, Prompt};
use inhouse::options::SystemPrompt;
use inhouse::query;

use crate::world::{self, World};

/// A PNG of one pixel.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async fn system_text(world: &World, prompt: Option<SystemPrompt>) -> String {
    world.model.turn("Fine.");
    let mut options = world.options();
    if let Some(prompt) = prompt {
        options = options.system_prompt(prompt);
    }
    let stream = query("How are you?").options(options).await.unwrap();
    assert_eq!(stream.text().await.unwrap(), "Fine.");
    world.next_request().await.system_text()
}

#[tokio::test]
async fn unset_system_prompt_is_empty() {
    world::pinned(async |world| {
        let unset = system_text(world, None).await;
        assert!(unset.len() < 500, "{unset}");
        let preset = system_text(world, Some(SystemPrompt::preset())).await;
        assert!(preset.len() > 2_000, "{preset}");
    })
    .await;
}

#[tokio::test]
async fn system_prompt_is_replaced_and_appended() {
    world::pinned(async |world| {
        let own = system_text(world, Some("Answer in French.".into())).await;
        assert!(own.contains("Answer in French."), "{own}");
        assert!(own.len() < 600, "{own}");
        let prompt = SystemPrompt::preset().append("Answer in Latin.");
        let appended = system_text(world, Some(prompt)).await;
        assert!(appended.len() > 2_000, "{appended}");
        assert!(appended.contains("Answer in Latin."), "{appended}");
    })
    .await;
}

#[tokio::test]
async fn promise_23_system_prompt_of_300_kb_reaches_the_model() {
    world::pinned(async |world| {
        let prompt = "All work and no play. ".repeat(300 * 1024 / 22);
        let seen = system_text(world, Some(prompt.as_str().into())).await;
        assert!(seen.contains(prompt.trim_end()), "{} bytes", seen.len());
    })
    .await;
}

#[tokio::test]
async fn promise_23_value_that_starts_with_a_dash_stays_a_value() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let options = world
            .options()
            .system_prompt("--version")
            .model("-odd-model")
            .extra_arg("append-system-prompt", Some("--help"));
        let stream = query("--bare").options(options).await.unwrap();
        assert_eq!(stream.text().await.unwrap(), "Fine.");

        let request = world.next_request().await;
        assert_eq!(request.model(), "-odd-model");
        assert_eq!(request.last_user_text().as_deref(), Some("--bare"));
        let system = request.system_text();
        assert!(system.contains("--version"), "{system}");
    })
    .await;
}

#[tokio::test]
async fn image_reaches_the_model() {
    world::pinned(async |world| {
        world.model.turn("A dot.");
        let prompt = Prompt::new([
            ContentBlock::text("What is this?"),
            ImageBlock::base64("image/png", DOT).into(),
        ]);

        let stream = query(prompt).options(world.options()).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "A dot.");
        let request = world.next_request().await;
        let text = request.last_user_text().unwrap();
        assert!(text.starts_with("What is this?"), "{text}");
        let image = request
            .messages()
            .iter()
            .filter_map(|message| message["content"].as_array())
            .flatten()
            .find(|block| block["type"] == "image");
        assert_eq!(image.unwrap()["source"]["media_type"], "image/png");
    })
    .await;
}
