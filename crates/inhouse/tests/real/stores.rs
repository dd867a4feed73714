//! Sessions of a store: resumed with another configuration, after a cut-off turn, and with a prompt that was answered.

use std::path::Path;

use inhouse::message::Prompt;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Options, query};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{Bytes, Leases as _, Page, ProjectKey, SessionKey, SessionStore as _};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::yield_now;

use crate::world::{self, World};

pub(crate) const PROMPT: &str = "6f1c0f1e-3c1b-4c39-9a53-0d1b6c9d2f10";
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

#[tokio::test]
async fn cut_off_call_is_removed_without_the_second_variable() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let machine = Machine::new(world, &store, root.path());
        cut_off(&machine).await;
        world.model.turn("Continued.");

        let options = machine.options().resume(ID);
        let options = options.env_remove("CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS");
        machine.ask(prompt(), options).await;
        let seen = history(&world.model.conversation()[1]);
        assert!(seen.contains("Charge the card."), "{seen}");
        // The name of the tool may still be in a list of tools.
        assert!(!seen.contains("toolu_1"), "{seen}");
        assert!(!seen.contains("Tool call interrupted"), "{seen}");
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

pub(crate) fn prompt() -> Prompt {
    Prompt::from("Charge the card.").uuid(PROMPT)
}

/// Runs a turn up to a call that the transcript has, and kills the CLI there.
async fn cut_off(machine: &Machine<'_>) {
    let call = Turn::new().tool_use("toolu_1", "mcp__bank__charge", json!({}));
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
