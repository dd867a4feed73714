//! Sessions of a store: resumed with another configuration, after a cut-off turn, and with a prompt that was answered.

use std::collections::HashSet;
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use inhouse::message::{Message, Prompt};
use inhouse::options::PermissionMode;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Options, query, query_stream};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{
    Append, Bytes, Leases as _, Page, Position, ProjectKey, SessionKey, SessionStore as _,
};
use inhouse_testkit::{ModelRequest, RealCli, Turn};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::yield_now;

use crate::world::{self, World};

pub(crate) const PROMPT: &str = "6f1c0f1e-3c1b-4c39-9a53-0d1b6c9d2f10";
const CONTINUES_TURN: &str = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN";
pub(crate) const ID: &str = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";

/// A machine: a separate configuration directory. The working directory and the root are those of every machine.
pub(crate) struct Machine<'a> {
    pub(crate) world: &'a World,
    pub(crate) store: MemoryStore,
    root: &'a Path,
    config: TempDir,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(world: &'a World, store: &MemoryStore, root: &'a Path) -> Self {
        Self {
            world,
            store: store.clone(),
            root,
            config: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn options(&self) -> Options {
        self.world
            .options()
            .env("CLAUDE_CONFIG_DIR", self.config.path())
            .store(self.store.clone())
            .session_root(self.root)
    }

    pub(crate) async fn ask(&self, prompt: impl Into<Prompt>, options: Options) -> String {
        let stream = query(prompt).options(options).await.unwrap();
        stream.text().await.unwrap()
    }

    /// Waits until a session that was dropped has left its directory and its lease.
    pub(crate) async fn abandoned(&self) {
        while self.root.join(format!("{ID}.lock")).exists() {
            yield_now().await;
        }
        // Released after the directory.
        while self.store.holder(&key(self.world)).await.unwrap().is_some() {
            yield_now().await;
        }
    }
}

fn key(world: &World) -> SessionKey {
    let project = inhouse_proto::session::project_key(world.cwd().to_str().unwrap());
    SessionKey::new(project, ID).unwrap()
}

pub(crate) fn history(request: &ModelRequest) -> String {
    request.body()["messages"].to_string()
}

#[tokio::test]
async fn another_machine_resumes_a_stored_session() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = [(); 2].map(|()| Machine::new(world, &store, root.path()));
        world
            .model
            .turn("Swordfish.")
            .turn("As I said.")
            .turn("Once more.");

        first
            .ask("The password?", first.options().session_id(ID))
            .await;
        // Nothing is left on the first machine.
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        let before = store.read(&key(world).main()).await.unwrap();

        second.ask("Again?", second.options().resume(ID)).await;
        second
            .ask("And again?", second.options().continue_latest())
            .await;

        let requests = world.model.conversation();
        for request in &requests[1..] {
            assert!(history(request).contains("The password?"));
            assert!(history(request).contains("Swordfish."));
        }
        assert!(history(&requests[2]).contains("As I said."));
        let after = store.read(&key(world).main()).await.unwrap();
        assert_eq!(after[..before.len()], before);
        let project = ProjectKey::new(key(world).project().as_str()).unwrap();
        let page = store.list(&project, &Page::first()).await.unwrap();
        assert_eq!(page.sessions.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn fork_of_a_stored_session_is_stored_completely() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        world
            .model
            .turn("Swordfish.")
            .turn("As I said.")
            .turn("Once more.");
        machine
            .ask("The password?", machine.options().session_id(ID))
            .await;
        let before = store.read(&key(world).main()).await.unwrap();

        let options = machine.options().resume(ID).fork_session(true);
        machine.ask("Again?", options.session_id(PROMPT)).await;
        assert_eq!(store.read(&key(world).main()).await.unwrap(), before);

        machine
            .ask("And again?", machine.options().resume(PROMPT))
            .await;
        let seen = history(&world.model.conversation()[2]);
        for text in ["The password?", "Swordfish.", "Again?", "As I said."] {
            assert!(seen.contains(text), "{text} is not in {seen}");
        }
    })
    .await;
}

#[tokio::test]
async fn cut_off_call_is_shown_to_the_model_and_its_turn_continued_once() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = [(); 2].map(|()| Machine::new(world, &store, root.path()));
        cut_off(&first).await;
        world.model.turn("Continued.");

        let answer = second.ask(prompt(), second.options().resume(ID)).await;
        assert_eq!(answer, "Continued.");
        let seen = history(&world.model.conversation()[1]);
        for text in [
            "Charge the card.",
            "toolu_1",
            "Tool call interrupted",
            "Continue from where you left off.",
        ] {
            assert!(seen.contains(text), "{text} is not in {seen}");
        }

        let answer = first.ask(prompt(), first.options().resume(ID)).await;
        assert_eq!(answer, "Continued.");
        assert_eq!(world.model.conversation().len(), 2);
    })
    .await;
}

/// Pins the variables with which the CLI continues a turn by itself. A stored session does without them, see DESIGN.md.
#[tokio::test]
async fn cli_continues_a_cut_off_turn_by_itself_with_a_variable() {
    world::pinned(async |world| {
        for shows_calls in [true, false] {
            let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
            let machine = Machine::new(world, &store, root.path());
            cut_off(&machine).await;
            world.model.turn("Continued.");

            let mut options = machine.options().resume(ID).env(CONTINUES_TURN, "1");
            if shows_calls {
                options = options.env("CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS", "1");
            }
            let without_prompts = query_stream(stream::empty::<Prompt>());
            let answer = without_prompts.options(options).await.unwrap();
            assert_eq!(answer.text().await.unwrap(), "Continued.");
            let seen = history(world.model.conversation().last().unwrap());
            assert!(seen.contains("Charge the card."), "{seen}");
            // The name of the tool may be in a list of tools.
            for text in ["toolu_1", "Tool call interrupted"] {
                assert_eq!(seen.contains(text), shows_calls, "{text}: {seen}");
            }
        }
    })
    .await;
}

/// The reason why a stored session does not use the variable.
#[tokio::test]
async fn cli_continues_nothing_if_only_the_result_is_missing() {
    world::pinned(async |world| {
        let root = tempfile::tempdir().unwrap();
        let entries = entries_of_a_turn(world, root.path()).await;
        let machine = Machine::new(world, &MemoryStore::new(), root.path());
        keep(&machine, entries).await;

        let options = machine.options().resume(ID).env(CONTINUES_TURN, "1");
        let without_prompts = query_stream(stream::empty::<Prompt>());
        let messages = without_prompts.options(options).await.unwrap();
        let messages: Vec<_> = messages.collect().await;
        let is_result =
            |message: &inhouse::Result<Message>| matches!(message, Ok(Message::Result(_)));
        assert!(!messages.iter().any(is_result), "{messages:?}");
        assert_eq!(world.model.conversation().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn cut_off_call_is_shown_to_the_model_with_another_prompt() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        cut_off(&machine).await;
        world.model.turn("Charged?");

        machine.ask("Hello?", machine.options().resume(ID)).await;
        let seen = history(&world.model.conversation()[1]);
        for text in ["toolu_1", "Tool call interrupted", "Hello?"] {
            assert!(seen.contains(text), "{text} is not in {seen}");
        }
    })
    .await;
}

#[tokio::test]
async fn files_are_rewound_after_a_resume_from_the_store() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = [(); 2].map(|()| Machine::new(world, &store, root.path()));
        let path = world.cwd().join("note.txt");
        std::fs::write(&path, "Old.\n").unwrap();
        let read = json!({"file_path": path});
        let write = json!({"file_path": path, "content": "New.\n"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Read", read))
            .turn(Turn::new().tool_use_with_id("toolu_2", "Write", write))
            .turn("Done.");
        let checkpointed = |machine: &Machine<'_>| {
            let options = machine.options().file_checkpointing(true);
            options.permission_mode(PermissionMode::AcceptEdits)
        };
        let prompt = Prompt::from("Renew it.").uuid(PROMPT);
        first.ask(prompt, checkpointed(&first).session_id(ID)).await;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "New.\n");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        let files = store.files(&key(world)).await.unwrap();
        assert!(
            files
                .iter()
                .any(|file| file.path.as_str().starts_with("file-history/"))
        );

        for options in [
            checkpointed(&second).resume(ID).fork_session(true),
            checkpointed(&second).resume(ID),
        ] {
            std::fs::write(&path, "New.\n").unwrap();
            let client = world.connect(options).await;
            let rewound = client.control().rewind_files(PROMPT).await.unwrap();
            assert!(rewound.can_rewind, "{rewound:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "Old.\n");
            client.close().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn transcript_of_a_newer_cli_is_resumed_by_the_oldest() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        let note = world.cwd().join("note.txt");
        std::fs::write(&note, "Swordfish.\n").unwrap();
        let read = json!({"file_path": note});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Read", read))
            .turn("It is in the note.")
            .turn("As I said.")
            .turn("Once more.");
        let oldest = RealCli::oldest().unwrap_or_else(|error| panic!("{error}"));
        let with_oldest = || machine.options().cli_path(oldest.program()).resume(ID);

        machine
            .ask("The password?", machine.options().session_id(ID))
            .await;
        let of_newer = store.read(&key(world).main()).await.unwrap();
        assert_eq!(machine.ask("Again?", with_oldest()).await, "As I said.");
        let of_both = store.read(&key(world).main()).await.unwrap();
        let newer = machine.options().resume(ID);
        assert_eq!(machine.ask("And again?", newer).await, "Once more.");

        let requests = world.model.conversation();
        for request in &requests[2..] {
            let seen = history(request);
            for text in [
                "The password?",
                "toolu_1",
                "Swordfish.",
                "It is in the note.",
            ] {
                assert!(seen.contains(text), "{text} is not in {seen}");
            }
        }
        let last = history(&requests[3]);
        assert!(
            last.contains("Again?") && last.contains("As I said."),
            "{last}"
        );
        // Nothing of the newer CLI is lost or changed in the store.
        assert_eq!(of_both[..of_newer.len()], of_newer);
        let versions: HashSet<String> = of_both.iter().filter_map(version).collect();
        assert_eq!(versions.len(), 2, "{versions:?}");
    })
    .await;
}

#[tokio::test]
async fn oldest_cli_continues_a_cut_off_turn_without_its_calls() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        cut_off(&machine).await;
        world.model.turn("Continued.");
        let oldest = RealCli::oldest().unwrap_or_else(|error| panic!("{error}"));

        let options = machine.options().cli_path(oldest.program()).resume(ID);
        let answer = machine.ask(prompt(), options).await;
        assert_eq!(answer, "Continued.");
        let seen = history(&world.model.conversation()[1]);
        for text in ["Charge the card.", "Continue from where you left off."] {
            assert!(seen.contains(text), "{text} is not in {seen}");
        }
        assert!(!seen.contains("toolu_1"), "{seen}");
    })
    .await;
}

/// The CLI reports its queue before the prompt, and resumes no transcript without a message.
#[tokio::test]
async fn session_that_was_killed_before_its_prompt_was_stored_is_begun_again() {
    world::pinned(async |world| {
        let root = tempfile::tempdir().unwrap();
        let entries = entries_of_a_turn(world, root.path()).await;
        let is_prompt = |entry: &Bytes| String::from_utf8_lossy(entry).contains(PROMPT);
        let before = entries.iter().position(is_prompt).unwrap();
        assert!(before > 0, "the prompt is not the first entry");

        for is_resumed in [true, false] {
            let machine = Machine::new(world, &MemoryStore::new(), root.path());
            let session = key(world);
            keep(&machine, entries[..before].to_vec()).await;
            world.model.turn("Charged once.").turn("As I said.");
            let options = match is_resumed {
                true => machine.options().resume(ID),
                false => machine.options().session_id(ID),
            };
            assert_eq!(machine.ask(prompt(), options).await, "Charged once.");
            let again = machine.ask("Again?", machine.options().resume(ID)).await;
            assert_eq!(again, "As I said.");
            let seen = history(world.model.conversation().last().unwrap());
            assert_eq!(seen.matches("Charge the card.").count(), 1, "{seen}");
            let stored = machine.store.read(&session.main()).await.unwrap();
            assert_eq!(stored[..before], entries[..before]);
        }
    })
    .await;
}

#[tokio::test]
async fn session_that_clear_begins_is_stored_and_resumed() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        world.model.turn("Swordfish.").turn("Herring.");
        let mut client = world.connect(machine.options().session_id(ID)).await;
        world.ask(&mut client, "The password?").await;
        world.ask(&mut client, "/clear").await;
        let prompt = Prompt::from("Another one?").uuid(PROMPT);
        world.ask(&mut client, prompt).await;
        let cleared = client.control().session_id().unwrap();
        assert_ne!(cleared, ID);
        client.close().await.unwrap();

        world.model.turn("As I said.").turn("Once more.");
        machine.ask("Again?", machine.options().resume(ID)).await;
        let of_cleared = || machine.options().resume(&*cleared);
        machine.ask("And again?", of_cleared()).await;
        let requests = world.model.conversation();
        let [first, second] = &requests[requests.len() - 2..] else {
            panic!("two requests")
        };
        assert!(history(first).contains("Swordfish."));
        assert!(!history(first).contains("Herring."));
        assert!(history(second).contains("Herring."));
        assert!(!history(second).contains("Swordfish."));
        // Its results are in its own stream.
        let prompt = Prompt::from("Another one?").uuid(PROMPT);
        assert_eq!(machine.ask(prompt, of_cleared()).await, "Herring.");
    })
    .await;
}

/// A host may die after each entry of a turn, also between the last one and the result.
#[tokio::test]
async fn turn_whose_result_was_not_stored_is_answered() {
    world::pinned(async |world| {
        let root = tempfile::tempdir().unwrap();
        let entries = entries_of_a_turn(world, root.path()).await;
        let place = |tag: &str| {
            let tag = format!("\"type\":\"{tag}\"");
            let has_tag = |entry: &Bytes| String::from_utf8_lossy(entry).contains(&tag);
            entries.iter().position(has_tag).unwrap()
        };

        for end in [place("user"), place("assistant"), entries.len() - 1] {
            let machine = Machine::new(world, &MemoryStore::new(), root.path());
            keep(&machine, entries[..=end].to_vec()).await;
            world.model.turn("Continued.");
            let answer = machine.ask(prompt(), machine.options().resume(ID)).await;
            assert_eq!(answer, "Continued.");
            let seen = history(world.model.conversation().last().unwrap());
            assert_eq!(seen.matches("Charge the card.").count(), 1, "{seen}");
        }
    })
    .await;
}

/// Runs a turn; returns its entries.
async fn entries_of_a_turn(world: &World, root: &Path) -> Vec<Bytes> {
    let machine = Machine::new(world, &MemoryStore::new(), root);
    world.model.turn("Charged.");
    let options = machine.options().session_id(ID);
    machine.ask(prompt(), options).await;
    machine.store.read(&key(world).main()).await.unwrap()
}

/// Stores entries of the session, as a host that died afterwards.
async fn keep(machine: &Machine<'_>, entries: Vec<Bytes>) {
    let session = key(machine.world);
    let epoch = machine.store.fence(&session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, entries);
    let main = session.main();
    machine.store.append(&main, &append).await.unwrap();
}

/// Returns the version of the CLI that wrote an entry.
fn version(entry: &Bytes) -> Option<String> {
    let entry: serde_json::Value = serde_json::from_slice(entry).ok()?;
    Some(entry["version"].as_str()?.to_owned())
}

pub(crate) fn prompt() -> Prompt {
    Prompt::from("Charge the card.").uuid(PROMPT)
}

/// Runs a turn up to a call that the transcript has, and kills the CLI there.
async fn cut_off(machine: &Machine<'_>) {
    let call = Turn::new().tool_use_with_id("toolu_1", "mcp__bank__charge", json!({}));
    machine.world.model.turn(call);
    let (running, mut is_running) = mpsc::unbounded_channel();
    let (store, main) = (machine.store.clone(), key(machine.world).main());
    let charge = Tool::new("charge", "Charges the card", async move || {
        // The transcript has the call only some time after it began.
        let is_call = |entry: &Bytes| String::from_utf8_lossy(entry).contains("\"tool_use\"");
        while !store.read(&main).await.unwrap().iter().any(is_call) {
            yield_now().await;
        }
        running.send(()).unwrap();
        std::future::pending::<&str>().await
    });
    // Only calls of other tools are in the journal.
    let charge = charge.read_only(true);
    let options = machine
        .options()
        .session_id(ID)
        .allow_tools(["mcp__bank__charge"])
        .tool_server(ToolServer::new("bank").tool(charge));
    let stream = query(prompt()).options(options).await.unwrap();
    is_running.recv().await.unwrap();
    drop(stream);
    machine.abandoned().await;
}
