//! Session ids, resume, fork, and sessions without persistence.

use std::fs;
use std::path::PathBuf;

use inhouse::message::{Message, ResultMessage};
use inhouse::{ErrorKind, Options, query};
use inhouse_testkit::ModelRequest;

use crate::world::{self, World, result_of};

const ID: &str = "6f1c0f1e-3c1b-4c39-9a53-0d1b6c9d2f10";

async fn ask(world: &World, prompt: &str, options: Options) -> ResultMessage {
    let messages = world.read_query(query(prompt).options(options)).await;
    result_of(&messages).clone()
}

fn history(request: &ModelRequest) -> String {
    request.body()["messages"].to_string()
}

fn transcripts(world: &World) -> Vec<PathBuf> {
    let projects = world.isolation().config_dir().join("projects");
    let Ok(projects) = fs::read_dir(projects) else {
        return Vec::new();
    };
    projects
        .flat_map(|project| fs::read_dir(project.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .collect()
}

#[tokio::test]
async fn session_has_the_chosen_id() {
    world::pinned(async |world| {
        world.model.turn("Swordfish.");

        let result = ask(world, "The password?", world.options().session_id(ID)).await;

        assert_eq!(result.session_id, ID);
        let transcripts = transcripts(world);
        assert_eq!(transcripts.len(), 1);
        assert_eq!(transcripts[0].file_stem().unwrap(), ID);
        let request = world.next_request().await;
        let metadata = request.body()["metadata"].to_string();
        assert!(metadata.contains(ID), "{metadata}");
    })
    .await;
}

#[tokio::test]
async fn resumed_session_remembers() {
    world::pinned(async |world| {
        world.model.turn("Swordfish.").turn("As I said.");
        ask(world, "The password?", world.options().session_id(ID)).await;

        let result = ask(world, "Again?", world.options().resume(ID)).await;

        assert_eq!(result.session_id, ID);
        let resumed = &world.model.conversation()[1];
        assert!(history(resumed).contains("The password?"));
        assert!(history(resumed).contains("Swordfish."));
        assert_eq!(resumed.last_user_text().as_deref(), Some("Again?"));
        assert_eq!(transcripts(world).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn fork_remembers_and_leaves_the_original_unchanged() {
    world::pinned(async |world| {
        world.model.turn("Swordfish.").turn("As I said.");
        ask(world, "The password?", world.options().session_id(ID)).await;
        let original = fs::read(&transcripts(world)[0]).unwrap();

        let options = world.options().resume(ID).fork_session(true);
        let result = ask(world, "Again?", options).await;

        assert_ne!(result.session_id, ID);
        assert!(history(&world.model.conversation()[1]).contains("Swordfish."));
        let transcripts = transcripts(world);
        assert_eq!(transcripts.len(), 2);
        let kept = transcripts
            .iter()
            .find(|path| path.file_stem().unwrap() == ID)
            .unwrap();
        assert_eq!(fs::read(kept).unwrap(), original);
    })
    .await;
}

#[tokio::test]
async fn latest_conversation_of_a_directory_continues() {
    world::pinned(async |world| {
        world.model.turn("Swordfish.").turn("As I said.");
        ask(world, "The password?", world.options().session_id(ID)).await;

        let result = ask(world, "Again?", world.options().continue_latest()).await;

        assert_eq!(result.session_id, ID);
        assert!(history(&world.model.conversation()[1]).contains("Swordfish."));
    })
    .await;
}

#[tokio::test]
async fn session_is_resumed_up_to_a_message() {
    world::pinned(async |world| {
        world
            .model
            .turn("Swordfish.")
            .turn("Herring.")
            .turn("Fish.");
        let mut client = world.connect(world.options().session_id(ID)).await;
        let turn = client.send("The password?").await.unwrap();
        let messages = world.read(turn).await;
        let answer = messages
            .iter()
            .find(|message| matches!(message, Message::Assistant(_)))
            .and_then(Message::uuid)
            .unwrap();
        world.ask(&mut client, "Another one?").await;
        client.close().await.unwrap();

        let options = world.options().resume(ID).resume_at(answer);
        let result = ask(world, "What is it?", options).await;

        assert_eq!(result.result.as_deref(), Some("Fish."));
        let seen = history(&world.model.conversation()[2]);
        assert!(seen.contains("Swordfish."), "{seen}");
        assert!(!seen.contains("Herring."), "{seen}");
        assert!(!seen.contains("Another one?"), "{seen}");
    })
    .await;
}

#[tokio::test]
async fn unpersisted_session_cannot_be_resumed() {
    world::pinned(async |world| {
        world.model.turn("Swordfish.");
        let options = world.options().session_id(ID).persist_session(false);
        ask(world, "The password?", options).await;
        assert_eq!(transcripts(world), Vec::<PathBuf>::new());

        let resuming = query("Again?").options(world.options().resume(ID)).await;
        let error = match resuming {
            Ok(stream) => stream.text().await.unwrap_err(),
            Err(error) => error,
        };

        assert!(
            matches!(error.kind(), ErrorKind::Exited | ErrorKind::Failed),
            "{error:?}"
        );
        assert!(error.to_string().contains(ID), "{error}");
        assert_eq!(world.model.conversation().len(), 1);
    })
    .await;
}
