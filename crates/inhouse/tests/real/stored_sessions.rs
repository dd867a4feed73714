//! Transcripts that the real CLI wrote: read, changed, copied, and resumed by the CLI.

use inhouse::message::ResultMessage;
use inhouse::sessions::{SessionMessage, SessionMessageKind, Sessions};
use inhouse::{Options, query};
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::model::Usage;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;

use crate::tasks::counting_sheep;
use crate::world::{self, World, result_of};

const ID: &str = "6f1c0f1e-3c1b-4c39-9a53-0d1b6c9d2f10";

fn sessions(world: &World) -> Sessions {
    Sessions::new()
        .config_dir(world.isolation().config_dir())
        .project(world.cwd())
}

async fn ask(world: &World, prompt: &str, options: Options) -> ResultMessage {
    let messages = world.read_query(query(prompt).options(options)).await;
    result_of(&messages).clone()
}

/// Runs two turns in the session `ID`.
async fn two_turns(world: &World) {
    world.model.turn("Swordfish.").turn("Herring.");
    let mut client = world.connect(world.options().session_id(ID)).await;
    world.ask(&mut client, "The password?").await;
    world.ask(&mut client, "Another one?").await;
    client.close().await.unwrap();
}

/// Resumes a session and returns what the model received.
async fn resume(world: &World, id: &str) -> ModelRequest {
    world.model.turn("As I said.");
    let result = ask(world, "Again?", world.options().resume(id)).await;
    assert_eq!(result.session_id, id);
    assert_eq!(result.result.as_deref(), Some("As I said."));
    world.model.conversation().pop().unwrap()
}

fn history(request: &ModelRequest) -> String {
    request.body()["messages"].to_string()
}

fn texts(messages: &[SessionMessage]) -> Vec<String> {
    messages.iter().map(SessionMessage::text).collect()
}

#[tokio::test]
async fn written_session_is_listed_and_read() {
    world::pinned(async |world| {
        two_turns(world).await;
        let sessions = sessions(world);

        let list = sessions.list().await.unwrap();
        assert_eq!(list.len(), 1);
        assert_eq!(&*list[0].id, ID);
        assert_eq!(list[0].summary, "Another one?");
        assert_eq!(list[0].first_prompt.as_deref(), Some("The password?"));
        assert_eq!(list[0].cwd.as_deref(), Some(world.cwd()));
        assert!(list[0].created_at.is_some());
        assert_eq!(sessions.info(ID).await.unwrap(), list[0]);
        let typed = sessions.list().programmatic(false).await.unwrap();
        assert!(typed.is_empty());

        let messages = sessions.messages(ID).await.unwrap();
        let expected = ["The password?", "Swordfish.", "Another one?", "Herring."];
        assert_eq!(texts(&messages), expected);
        assert_eq!(messages[1].kind, SessionMessageKind::Assistant);
    })
    .await;
}

#[tokio::test]
async fn title_and_tag_survive_a_resumed_turn() {
    world::pinned(async |world| {
        two_turns(world).await;
        let sessions = sessions(world);
        sessions.rename(ID, "Fish").await.unwrap();
        sessions.tag(ID, "pond").await.unwrap();

        resume(world, ID).await;

        let info = sessions.info(ID).await.unwrap();
        assert_eq!(info.title.as_deref(), Some("Fish"));
        assert_eq!(info.tag.as_deref(), Some("pond"));
        assert_eq!(sessions.messages(ID).await.unwrap().len(), 6);
    })
    .await;
}

#[tokio::test]
async fn session_is_resumed_by_its_new_title() {
    world::pinned(async |world| {
        two_turns(world).await;
        sessions(world).rename(ID, "Fish market").await.unwrap();
        world.model.turn("As I said.");
        let options = world.options().resume("Fish market");
        assert_eq!(ask(world, "Again?", options).await.session_id, ID);
    })
    .await;
}

#[tokio::test]
async fn fork_is_resumed_with_its_history() {
    world::pinned(async |world| {
        two_turns(world).await;
        let sessions = sessions(world);
        let transcript = sessions.info(ID).await.unwrap().transcript.unwrap();
        let original = std::fs::read(&transcript).unwrap();

        let copy = sessions.fork(ID).await.unwrap();
        let copied = sessions.messages(&copy).await.unwrap();
        assert_eq!(texts(&copied), texts(&sessions.messages(ID).await.unwrap()));
        let seen = history(&resume(world, &copy).await);

        for text in ["The password?", "Swordfish.", "Another one?", "Herring."] {
            assert!(seen.contains(text), "{seen}");
        }
        assert_eq!(std::fs::read(&transcript).unwrap(), original);
        assert_eq!(sessions.messages(&copy).await.unwrap().len(), 6);
        let copy = sessions.info(&copy).await.unwrap();
        assert_eq!(copy.title.as_deref(), Some("The password? (fork)"));
    })
    .await;
}

#[tokio::test]
async fn fork_up_to_a_message_forgets_what_follows() {
    world::pinned(async |world| {
        two_turns(world).await;
        let sessions = sessions(world);
        let answer = sessions.messages(ID).await.unwrap().swap_remove(1);

        let copy = sessions.fork(ID).up_to(answer.uuid).await.unwrap();
        let seen = history(&resume(world, &copy).await);

        assert!(seen.contains("Swordfish."), "{seen}");
        assert!(
            !seen.contains("Another one?") && !seen.contains("Herring."),
            "{seen}"
        );
    })
    .await;
}

#[tokio::test]
async fn parallel_calls_are_read_and_forked() {
    world::pinned(async |world| {
        let echo = |text| json!({"command": format!("echo {text}")});
        let calls = Turn::new()
            .tool_use_with_id("toolu_1", "Bash", echo("one"))
            .tool_use_with_id("toolu_2", "Bash", echo("two"))
            .tool_use_with_id("toolu_3", "Bash", echo("three"));
        world.model.turn(calls).turn("Counted.");
        let options = world.options().session_id(ID).allow_tools(["Bash"]);
        ask(world, "Count.", options).await;
        let sessions = sessions(world);

        let messages = sessions.messages(ID).await.unwrap();
        for (block, count) in [("\"tool_use\"", 3), ("\"tool_result\"", 3)] {
            let with_block = messages
                .iter()
                .filter(|message| message.raw().contains(block));
            assert_eq!(with_block.count(), count, "{block}");
        }
        assert_eq!(messages.len(), 8);

        let copy = sessions.fork(ID).await.unwrap();
        assert_eq!(sessions.messages(&copy).await.unwrap().len(), 8);
        let seen = history(&resume(world, &copy).await);
        for text in ["toolu_1", "toolu_2", "toolu_3", "one", "two", "three"] {
            assert!(seen.contains(text), "{text} is missing: {seen}");
        }
        assert!(!seen.contains("nterrupted"), "{seen}");
    })
    .await;
}

#[tokio::test]
async fn compacted_session_is_read_and_forked() {
    world::pinned(async |world| {
        let full = |text| Turn::new().text(text).usage(Usage::new(190_000, 5));
        world
            .model
            .turn(full("The password is swordfish."))
            .turn(full("Yes."))
            .turn("<summary>They spoke of fish.</summary>")
            .turn("Fish.");
        let options = world
            .options()
            .session_id(ID)
            .env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
        let mut client = world.connect(options).await;
        for prompt in ["What is the password?", "Really?", "What was it?"] {
            world.ask(&mut client, prompt).await;
        }
        client.close().await.unwrap();
        let sessions = sessions(world);

        let messages = sessions.messages(ID).await.unwrap();
        assert!(messages[0].is_compact_summary);
        assert!(messages[0].text().contains("They spoke of fish."));
        // The messages that this compaction preserved follow its summary.
        assert_eq!(texts(&messages[1..]), ["Yes.", "What was it?", "Fish."]);
        let with_system = sessions.messages(ID).system(true).await.unwrap();
        assert_eq!(with_system[0].kind, SessionMessageKind::System);

        let copy = sessions.fork(ID).await.unwrap();
        let copied = sessions.messages(&copy).await.unwrap();
        assert_eq!(texts(&copied), texts(&messages));
        let seen = history(&resume(world, &copy).await);
        for text in ["They spoke of fish.", "Yes.", "What was it?", "Fish."] {
            assert!(seen.contains(text), "{text} is missing: {seen}");
        }
        assert!(!seen.contains("swordfish"), "{seen}");
    })
    .await;
}

#[tokio::test]
async fn prompt_sent_during_a_turn_is_a_message() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let call = json!({"command": "echo ready > go; cat go"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("Both done.");
        let options = world.options().session_id(ID).allow_tools(["Bash"]);
        let mut client = world.connect(options).await;
        let control = client.control().clone();
        let turn = client.send("First.").await.unwrap();
        let queueing = async {
            assert_eq!(pipe.read().await, "ready\n");
            let id = control.send("Also this.").await.unwrap();
            // The response proves that the CLI has read the earlier prompt.
            control.models().await.unwrap();
            pipe.write("done\n").await;
            id
        };
        let (id, _) = tokio::join!(queueing, world.read(turn));
        client.close().await.unwrap();
        let sessions = sessions(world);

        let messages = sessions.messages(ID).await.unwrap();
        let queued = messages
            .iter()
            .find(|message| message.text() == "Also this.")
            .unwrap_or_else(|| panic!("{:?}", texts(&messages)));
        assert_eq!(queued.kind, SessionMessageKind::User);
        assert_eq!(queued.uuid, id);

        let copy = sessions.fork(ID).await.unwrap();
        let seen = history(&resume(world, &copy).await);
        assert!(seen.contains("Also this."), "{seen}");
    })
    .await;
}

#[tokio::test]
async fn subagents_of_a_session_are_read() {
    world::pinned(async |world| {
        let options = counting_sheep(world, false, Turn::new().text("Seven sheep."));
        world.model.turn("There are seven.");
        ask(world, "How many?", options.session_id(ID)).await;
        let sessions = sessions(world);

        let subagents = sessions.subagents(ID).await.unwrap();
        assert_eq!(subagents.len(), 1);
        let metadata = &subagents[0].metadata;
        assert_eq!(metadata.agent_type.as_deref(), Some("shepherd"));
        assert_eq!(metadata.description.as_deref(), Some("Count the sheep"));
        let messages = sessions
            .subagent_messages(ID, &subagents[0].id)
            .await
            .unwrap();
        assert_eq!(
            texts(&messages),
            ["How many sheep are there?", "Seven sheep."]
        );
        assert_eq!(messages[1].parent_tool_use_id.as_deref(), Some("toolu_1"));
        let main = sessions.messages(ID).await.unwrap();
        assert!(!texts(&main).contains(&"Seven sheep.".to_owned()));
    })
    .await;
}

/// Exports the session, deletes it, and imports it again.
async fn move_away_and_back(world: &World) {
    let sessions = sessions(world);
    let mut export = sessions.export(ID);
    let mut entries = Vec::new();
    while let Some(entry) = export.next().await {
        entries.push(entry.unwrap());
    }
    let transcript = sessions.info(ID).await.unwrap().transcript.unwrap();
    let before = std::fs::read(&transcript).unwrap();
    sessions.delete(ID).await.unwrap();
    assert!(sessions.list().await.unwrap().is_empty());

    let mut import = sessions.import(ID).await.unwrap();
    for entry in entries {
        import.push(entry).await.unwrap();
    }
    import.finish().await.unwrap();
    assert_eq!(std::fs::read(&transcript).unwrap(), before);
}

#[tokio::test]
async fn imported_session_is_resumed_with_its_history() {
    world::pinned(async |world| {
        two_turns(world).await;
        move_away_and_back(world).await;

        let seen = history(&resume(world, ID).await);

        assert!(
            seen.contains("Swordfish.") && seen.contains("Herring."),
            "{seen}"
        );
        assert_eq!(sessions(world).messages(ID).await.unwrap().len(), 6);
    })
    .await;
}

#[tokio::test]
async fn sessions_of_the_oldest_cli_are_read_forked_and_imported() {
    world::oldest(async |world| {
        two_turns(world).await;
        let sessions = sessions(world);
        let info = sessions.info(ID).await.unwrap();
        assert_eq!(info.first_prompt.as_deref(), Some("The password?"));
        let messages = sessions.messages(ID).await.unwrap();
        let expected = ["The password?", "Swordfish.", "Another one?", "Herring."];
        assert_eq!(texts(&messages), expected);

        let copy = sessions.fork(ID).await.unwrap();
        let seen = history(&resume(world, &copy).await);
        assert!(
            seen.contains("Swordfish.") && seen.contains("Herring."),
            "{seen}"
        );

        sessions.delete(&copy).await.unwrap();
        move_away_and_back(world).await;
        let seen = history(&resume(world, ID).await);
        assert!(
            seen.contains("Swordfish.") && seen.contains("Herring."),
            "{seen}"
        );
    })
    .await;
}

#[tokio::test]
async fn session_of_the_disk_and_its_fork_continue_in_a_store() {
    world::pinned(async |world| {
        two_turns(world).await;
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let stored = Sessions::new().store(store.clone()).project(world.cwd());
        sessions(world).copy_to(ID, &stored).await.unwrap();
        sessions(world).delete(ID).await.unwrap();
        stored.rename(ID, "Fish").await.unwrap();
        let copy = stored.fork(ID).await.unwrap();

        for id in [ID, &copy] {
            world.model.turn("As I said.");
            let options = world.options().store(store.clone()).resume(id);
            let result = ask(world, "Again?", options.session_root(root.path())).await;
            assert_eq!(result.session_id, id);
            let seen = history(&world.model.conversation().pop().unwrap());
            for text in ["The password?", "Swordfish.", "Another one?", "Herring."] {
                assert!(seen.contains(text), "{seen}");
            }
            assert_eq!(stored.messages(id).await.unwrap().len(), 6);
        }
        let title = async |id| stored.info(id).await.unwrap().title;
        assert_eq!(title(ID).await.as_deref(), Some("Fish"));
        assert_eq!(title(&copy).await.as_deref(), Some("Fish (fork)"));
        assert_eq!(stored.list().await.unwrap().len(), 2);
    })
    .await;
}
