//! System prompts and prompts as the model receives them.

use inhouse::message::{ContentBlock, ImageBlock, Message, Prompt};
use inhouse::options::SystemPrompt;
use inhouse::sessions::Sessions;
use inhouse::{attachment, query, query_stream};
use inhouse_testkit::ModelRequest;
use serde_json::Value;

use crate::world::{self, World, assistant_texts};

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

/// Returns the blocks of a type in the conversation that the model received.
fn blocks(request: &ModelRequest, kind: &str) -> Vec<Value> {
    let contents = request.messages().iter();
    contents
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == kind)
        .cloned()
        .collect()
}

#[tokio::test]
async fn attached_files_reach_the_model() {
    world::pinned(async |world| {
        world.model.turn("Read.");
        let directory = tempfile::tempdir().unwrap();
        let notes = directory.path().join("notes.md");
        std::fs::write(&notes, "Ship on Friday.").unwrap();
        let image = attachment::from_bytes(b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01D\0;");
        let prompt = Prompt::from("When do we ship?")
            .block(attachment::from_path(&notes).await.unwrap())
            .block(image.unwrap())
            .block(attachment::from_bytes("%PDF-1.4\n%%EOF\n").unwrap());

        let stream = query(prompt).options(world.options()).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "Read.");
        let request = world.next_request().await;
        let documents = blocks(&request, "document");
        assert_eq!(documents[0]["source"]["data"], "Ship on Friday.");
        assert_eq!(documents[0]["title"], "notes.md");
        assert_eq!(documents[1]["source"]["media_type"], "application/pdf");
        let images = blocks(&request, "image");
        assert_eq!(images.len(), 1);
        assert_eq!(images[0]["source"]["type"], "base64");
    })
    .await;
}

#[tokio::test]
async fn every_prompt_of_a_stream_is_answered() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let prompts = futures_util::stream::poll_fn(move |cx| receiver.poll_recv(cx));
        sender.send("First?").unwrap();
        let query = query_stream(prompts).options(world.options());
        let mut stream = query.await.unwrap();

        let is_result = |message: &Message| matches!(message, Message::Result(_));
        let first = world.read_until(&mut stream, is_result).await;
        assert_eq!(assistant_texts(&first), ["One."]);
        sender.send("Second?").unwrap();
        drop(sender);
        let (rest, end) = world.read_stream(stream).await;

        assert_eq!(assistant_texts(&rest), ["Two."]);
        assert!(end.is_none(), "{end:?}");
        let asked: Vec<_> = world.model.conversation();
        let asked = asked.iter().map(ModelRequest::last_user_text);
        let asked: Vec<_> = asked.map(Option::unwrap_or_default).collect();
        assert_eq!(asked, ["First?", "Second?"]);
    })
    .await;
}

const UUID: &str = "0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1";

#[tokio::test]
async fn uuid_of_a_prompt_is_the_id_of_its_entry() {
    world::pinned(async |world| {
        world.model.turn("One.");
        let mut client = world.connect(world.options()).await;
        assert_eq!(client.session_id(), None);
        let turn = client
            .send(Prompt::from("First?").uuid(UUID))
            .await
            .unwrap();
        assert_eq!(turn.prompt_id(), UUID);
        let result = turn.finish().await.unwrap();
        assert_eq!(result.user_message_uuid.as_deref(), Some(UUID));
        let id = client.session_id().expect("a turn has started");
        assert_eq!(id, result.session_id);
        client.close().await.unwrap();

        let sessions = Sessions::new()
            .config_dir(world.isolation().config_dir())
            .project(world.cwd());
        let messages = sessions.messages(&id).await.unwrap();
        assert_eq!(messages[0].uuid, UUID);
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("First?"));
    })
    .await;
}

#[tokio::test]
async fn prompt_with_a_repeated_uuid_is_ignored() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Three.");
        let mut client = world.connect(world.options()).await;
        let first = Prompt::from("First?").uuid(UUID);
        assert_eq!(world.ask(&mut client, first).await, "One.");
        let repeated = Prompt::from("Second?").uuid(UUID);
        client.control().send(repeated).await.unwrap();
        assert_eq!(world.ask(&mut client, "Third?").await, "Three.");

        let requests = world.model.conversation();
        assert_eq!(requests.len(), 2);
        let history = requests[1].body()["messages"].to_string();
        assert!(!history.contains("Second?"), "{history}");
    })
    .await;
}
