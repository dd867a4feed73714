//! The workspace of a session is prepared before its CLI starts, and saved before its result counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use inhouse_fleet::{
    Fence, HostErrorKind, Outcome, PreparedWorkspace, SharedVolume, StoreWorkspace, Work,
    Workspace, WorkspaceError, async_trait,
};
use inhouse_store::SessionStore as _;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, done, idle, key, mirror_prompt, play};

/// A workspace that notes what happens to it, and what the store has then.
#[derive(Clone)]
struct Noted {
    notes: Arc<Mutex<Vec<String>>>,
    store: Arc<dyn inhouse_store::SessionStore>,
    fails: Arc<Mutex<bool>>,
    path: PathBuf,
}

impl Noted {
    fn new(machine: &Machine, path: &Path) -> Self {
        Self {
            notes: Arc::default(),
            store: Arc::new(machine.store.clone()),
            fails: Arc::default(),
            path: path.to_owned(),
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap())
    }

    fn set_fails(&self, fails: bool) {
        *self.fails.lock().unwrap() = fails;
    }
}

#[async_trait]
impl Workspace for Noted {
    async fn prepare(
        &self,
        work: &Work,
        fence: &Fence,
    ) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError> {
        self.notes.lock().unwrap().push("prepare".to_owned());
        assert_eq!(fence.key().unwrap(), key(work));
        Ok(Box::new(NotedFiles(self.clone(), key(work))))
    }
}

struct NotedFiles(Noted, inhouse_store::SessionKey);

#[async_trait]
impl PreparedWorkspace for NotedFiles {
    fn path(&self) -> &Path {
        &self.0.path
    }

    async fn save(&self) -> Result<(), WorkspaceError> {
        let store = &self.0.store;
        let entries = store.end(&self.1.main()).await.unwrap();
        let results = store.end(&self.1.stream("results").unwrap()).await.unwrap();
        let note = format!("save with {entries} entries, {results} results");
        self.0.notes.lock().unwrap().push(note);
        match *self.0.fails.lock().unwrap() {
            true => Err(WorkspaceError::new("the disk is full")),
            false => Ok(()),
        }
    }

    fn saves_after_calls(&self) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn workspace_is_saved_before_the_result_is_stored() {
    let (machine, directory) = (Machine::new(), tempfile::tempdir().unwrap());
    let noted = Noted::new(&machine, directory.path());
    let (host, work) = (
        machine.host().workspace(noted.clone()),
        Work::new("a", "Hello"),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        assert_eq!(noted.take(), ["prepare"]);
        assert_eq!(cli.launched().cwd(), Some(directory.path()));
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.turn("42").await;
        cli.expect_end_of_input().await;
    })
    .await;
    done(outcome);
    let saves = [
        "save with 1 entries, 0 results",
        "save with 1 entries, 1 results",
    ];
    assert_eq!(noted.take(), saves);
}

#[tokio::test(start_paused = true)]
async fn result_does_not_count_if_the_workspace_is_not_saved() {
    let (machine, directory) = (Machine::new(), tempfile::tempdir().unwrap());
    let noted = Noted::new(&machine, directory.path());
    let (host, work) = (
        machine.host().workspace(noted.clone()),
        Work::new("a", "Hello"),
    );
    noted.set_fails(true);
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.turn("42").await;
        cli.expect_kill().await;
    })
    .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Workspace);
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!(machine.results(&work).await.is_empty());

    noted.set_fails(false);
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("Continued.").await;
        cli.expect_end_of_input().await;
    })
    .await;
    assert_eq!(done(outcome).text.as_deref(), Some("Continued."));
}

#[tokio::test(start_paused = true)]
async fn workspace_is_saved_after_each_call() {
    let (machine, directory) = (Machine::new(), tempfile::tempdir().unwrap());
    let noted = Noted::new(&machine, directory.path());
    let (host, work) = (
        machine.host().workspace(noted.clone()),
        Work::new("a", "Hello"),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        noted.take();
        let call = json!({"tool_name": "Write", "tool_input": {}, "tool_response": {}, "tool_use_id": "toolu_1"});
        cli.call_hook("PostToolUse", call).await;
        assert_eq!(noted.take(), ["save with 0 entries, 0 results"]);
        let call = json!({"tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_2", "error": "no"});
        cli.call_hook("PostToolUseFailure", call).await;
        assert_eq!(noted.take().len(), 1);
        // The CLI gets no answer if the files cannot be saved: it would continue.
        noted.set_fails(true);
        let hooks = &cli.launched().initialize()["hooks"];
        let callback = hooks["PostToolUse"][0]["hookCallbackIds"][0].clone();
        let input = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PostToolUse",
            "tool_name": "Write", "tool_input": {}, "tool_response": {}, "tool_use_id": "toolu_3",
        });
        cli.ask(json!({"subtype": "hook_callback", "callback_id": callback, "input": input})).await;
        cli.expect_kill().await;
    })
    .await;
    assert_eq!(outcome.unwrap_err().kind(), HostErrorKind::Workspace);
}

#[tokio::test(start_paused = true)]
async fn workspace_of_a_stopped_turn_is_saved() {
    let (machine, directory) = (Machine::new(), tempfile::tempdir().unwrap());
    let noted = Noted::new(&machine, directory.path());
    let (host, work) = (
        machine.host().workspace(noted.clone()),
        Work::new("a", "Hello"),
    );
    let stop = CancellationToken::new();
    let mut cli = machine.cli();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        idle().await;
        noted.take();
        stop.cancel();
        cli.expect_kill().await;
        assert_eq!(noted.take(), [] as [&str; 0], "the CLI may still write");
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)));
    assert_eq!(noted.take(), ["save with 1 entries, 0 results"]);
}

#[tokio::test(start_paused = true)]
async fn workspace_of_a_lost_session_is_not_saved() {
    let (machine, directory) = (Machine::new(), tempfile::tempdir().unwrap());
    let noted = Noted::new(&machine, directory.path());
    let (host, work) = (
        machine.host().workspace(noted.clone()),
        Work::new("a", "Hello"),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        noted.take();
        machine.store.fence(&key(&work), None).await.unwrap();
        cli.expect_kill().await;
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Fenced)), "{outcome:?}");
    assert_eq!(noted.take(), [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn file_that_was_edited_on_one_host_is_read_on_another() {
    let machines = [Machine::new()];
    let [first] = &machines;
    let second = &Machine::beside(first);
    let roots = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (number, machine) in [first, second].into_iter().enumerate() {
        let workspace = StoreWorkspace::new(machine.store.clone(), roots[number].path());
        let host = machine.host().workspace(workspace);
        let work = Work::new("a", format!("Turn {number}"));
        let mut cli = machine.cli();
        let (outcome, ()) = play(&host, &work, async {
            cli.accept().await;
            cli.expect_prompt().await;
            let file = cli.launched().cwd().unwrap().join("notes.txt");
            match number {
                0 => fs::write(file, "5 dollars").unwrap(),
                _ => assert_eq!(fs::read_to_string(file).unwrap(), "5 dollars"),
            }
            mirror_prompt(&mut cli, &work).await;
            cli.turn("Done.").await;
            cli.expect_end_of_input().await;
        })
        .await;
        done(outcome);
    }
}

#[tokio::test(start_paused = true)]
async fn shared_volume_has_a_directory_for_each_session() {
    let (machine, root) = (Machine::new(), tempfile::tempdir().unwrap());
    let host = machine.host().workspace(SharedVolume::new(root.path()));
    let work = Work::new("a", "Hello");
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        let expected = root.path().join(work.session_id().to_string());
        assert_eq!(cli.launched().cwd(), Some(&*expected));
        assert!(expected.is_dir());
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.turn("Done.").await;
        cli.expect_end_of_input().await;
    })
    .await;
    done(outcome);
}
