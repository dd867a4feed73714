//! A session of a store is resumed in a directory that has the same path on every machine.

use std::fs;
use std::path::{Path, PathBuf};

use inhouse::{Client, ErrorKind, Options};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{Append, FilePath, Page, Position, ProjectKey, SessionKey, SessionStore as _};
use inhouse_testkit::FakeCli;
use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
use serde_json::json;
use tempfile::TempDir;

use crate::mirror::stored;
use crate::support::{failed, seconds};

pub(crate) const SESSION: &str = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";
pub(crate) const OTHER: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";
pub(crate) const THIRD: &str = "3d1b2f0c-5a57-4d65-8a55-6f4f0c8f7a21";

/// A store, and a machine with a working directory and a root of session directories.
pub(crate) struct Machine {
    pub(crate) store: FaultyStore<MemoryStore>,
    root: TempDir,
    cwd: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            store: FaultyStore::new(MemoryStore::new()),
            root: tempfile::tempdir().unwrap(),
            cwd: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options::new()
            .store(self.store.clone())
            .session_root(self.root.path())
            .cwd(self.cwd.path())
    }

    pub(crate) fn project(&self) -> ProjectKey {
        let cwd = self.cwd.path().canonicalize().unwrap();
        let key = inhouse_proto::session::project_key(cwd.to_str().unwrap());
        ProjectKey::new(key).unwrap()
    }

    pub(crate) fn session(&self, id: &str) -> SessionKey {
        self.project().session(id).unwrap()
    }

    pub(crate) fn directory(&self, session: &str) -> PathBuf {
        self.root.path().join(session)
    }

    /// Returns the path of a file in the project of a session's directory.
    pub(crate) fn path(&self, session: &str, file: &str) -> PathBuf {
        let directory = self.directory(session).join("projects");
        directory.join(self.project().as_str()).join(file)
    }

    /// Stores entries as an earlier owner of the session.
    pub(crate) async fn keep(&self, id: &str, subpath: Option<&str>, entries: &[String]) {
        let session = self.session(id);
        let stream = match subpath {
            Some(subpath) => session.stream(subpath).unwrap(),
            None => session.main(),
        };
        let store = self.store.inner();
        let epoch = store.fence(&session, None).await.unwrap();
        let end = store.end(&stream).await.unwrap();
        let append = Append::new(epoch, end, entries.to_vec());
        store.append(&stream, &append).await.unwrap();
    }

    pub(crate) fn is_empty(&self) -> bool {
        fs::read_dir(self.root.path()).unwrap().count() == 0
    }
}

pub(crate) fn user(uuid: &str, text: &str) -> String {
    json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}}).to_string()
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn new_session_has_an_id_and_a_directory_that_is_removed_at_the_end() {
    let machine = &Machine::new();
    FakeCli::play(
        machine.options(),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            let launched = cli.launched();
            let mut args = launched.args().iter();
            let id = args.find_map(|arg| arg.strip_prefix("--session-id="));
            let directory = machine.root.path().join(id.unwrap());
            assert_eq!(launched.env("CLAUDE_CONFIG_DIR"), directory.to_str());
            assert!(directory.is_dir());
            cli.expect_prompt().await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn resumed_session_is_complete_on_disk_before_the_cli_starts() {
    let machine = &Machine::new();
    let entries = [user(OTHER, "Hello"), r#"{"type":"x","b": 1.0}"#.to_owned()];
    machine.keep(SESSION, None, &entries).await;
    let metadata =
        ["old", "new"].map(|name| json!({"type": "agent_metadata", "agentType": name}).to_string());
    let [old, new] = metadata;
    let agent = [old, user(OTHER, "Search"), new];
    machine
        .keep(SESSION, Some("subagents/agent-1"), &agent)
        .await;
    let session = machine.session(SESSION);
    let epoch = machine.store.fence(&session, None).await.unwrap();
    let file = FilePath::new("tool-results/a.txt").unwrap();
    let content = "long".into();
    let put = machine.store.put_file(&session, epoch, &file, content);
    put.await.unwrap();

    let faults = machine.store.faults();
    let (lists, puts) = (faults.calls(StoreCall::List), faults.calls(StoreCall::File));
    FakeCli::play(
        machine.options().resume(SESSION),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            assert!(cli.launched().has_arg(&format!("--resume={SESSION}")));
            let path = |file| machine.path(SESSION, &format!("{SESSION}{file}"));
            assert_eq!(lines(&path(".jsonl")), entries);
            assert_eq!(lines(&path("/subagents/agent-1.jsonl")), agent[1..2]);
            let metadata = lines(&path("/subagents/agent-1.meta.json"));
            assert_eq!(metadata, [r#"{"agentType":"new"}"#]);
            assert_eq!(lines(&path("/tool-results/a.txt")), ["long"]);
            cli.expect_prompt().await;
            let transcript = path(".jsonl");
            let frame = json!({"type": "transcript_mirror", "filePath": transcript, "entries": [{"type": "y"}]});
            cli.send(frame).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let kept = stored(machine.store.inner(), &session.main()).await;
    assert_eq!(kept[..2], entries);
    assert_eq!(kept[2..], [r#"{"type":"y"}"#]);
    // `end` of the session to find, and the subpaths: streams that were not loaded are empty. The list of files and the file.
    assert_eq!(faults.calls(StoreCall::List) - lists, 2);
    assert_eq!(faults.calls(StoreCall::File) - puts, 2);
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn unknown_session_is_refused_before_anything_starts() {
    let machine = Machine::new();
    let (transport, _cli) = FakeCli::new();
    let options = machine.options().resume(SESSION);
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(error.to_string().contains(SESSION), "{error}");
    assert!(machine.is_empty());

    let (transport, _cli) = FakeCli::new();
    let options = machine.options().resume("Port scan");
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);

    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let (transport, _cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("`resume`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn continue_takes_the_newest_session_that_can_be_resumed() {
    let machine = &Machine::new();
    let play = async || {
        FakeCli::play(
            machine.options().continue_latest(),
            async |client| client.send("And now?").await?.finish().await,
            async |cli| {
                assert!(!cli.launched().has_arg("--continue"));
                let args = cli.launched().args().to_vec();
                cli.expect_prompt().await;
                cli.turn("Hello.").await;
                args.into_iter()
                    .find_map(|arg| arg.strip_prefix("--resume=").map(str::to_owned))
            },
        )
        .await
        .1
    };
    assert_eq!(play().await, None);
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    machine.keep("not-a-uuid", None, &[user(OTHER, "?")]).await;
    let sidechain = json!({"type": "user", "isSidechain": true}).to_string();
    machine.keep(OTHER, None, &[sidechain]).await;
    let queued = json!({"type": "queue-operation", "operation": "enqueue"}).to_string();
    machine.keep(THIRD, None, &[queued]).await;
    assert_eq!(play().await.as_deref(), Some(SESSION));
}

/// A host dies after the CLI has reported the queued prompt, and before it has reported the message of the user.
#[tokio::test(start_paused = true)]
async fn session_without_a_message_is_begun_with_its_id_behind_its_entries() {
    let queued = json!({"type": "queue-operation", "operation": "enqueue"}).to_string();
    for is_resumed in [true, false] {
        let machine = &Machine::new();
        machine
            .keep(SESSION, None, std::slice::from_ref(&queued))
            .await;
        let options = match is_resumed {
            true => machine.options().resume(SESSION),
            false => machine.options().session_id(SESSION),
        };
        FakeCli::play(
            options,
            async |client| client.send("Hello").await?.finish().await,
            async |cli| {
                assert!(cli.launched().has_arg(&format!("--session-id={SESSION}")));
                assert!(!cli.launched().has_arg(&format!("--resume={SESSION}")));
                let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
                assert!(
                    !transcript.exists(),
                    "the CLI begins no session that exists"
                );
                cli.expect_prompt().await;
                crate::mirror::mirror(cli, SESSION, &[&user(OTHER, "Hello")]).await;
                cli.turn("Hello.").await;
            },
        )
        .await;
        let main = machine.session(SESSION).main();
        let entries = stored(&machine.store, &main).await;
        assert_eq!(entries, [queued.clone(), user(OTHER, "Hello")]);
    }
}

#[tokio::test(start_paused = true)]
async fn fork_without_a_message_is_begun_behind_its_entries() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let queued = json!({"type": "queue-operation", "operation": "enqueue"}).to_string();
    machine
        .keep(OTHER, None, std::slice::from_ref(&queued))
        .await;
    let options = machine.options().resume(SESSION).fork_session(true);
    FakeCli::play(
        options.session_id(OTHER),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            crate::mirror::mirror(cli, OTHER, &[&user(OTHER, "Hello")]).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let main = machine.session(OTHER).main();
    let entries = stored(&machine.store, &main).await;
    assert_eq!(entries, [queued, user(OTHER, "Hello")]);
}

#[tokio::test(start_paused = true)]
async fn session_that_another_host_has_written_meanwhile_is_not_begun_again() {
    let machine = Machine::new();
    let slow = Fault::Delay(seconds(10));
    machine.store.faults().next(StoreCall::Acquire, slow);
    let (transport, _cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let other_host = async {
        crate::support::pass(seconds(5)).await;
        machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    };
    let (connected, ()) = tokio::join!(Client::connect_with(options, transport), other_host);
    let error = failed(connected);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("`resume`"), "{error}");
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_new_hosts_of_a_store_without_leases_are_not_mixed() {
    let machine = &Machine::new();
    let store = machine.store.clone().without_leases();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().store(store).session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        machine.keep(SESSION, None, &[user(OTHER, "Other")]).await;
        crate::mirror::mirror(&mut cli, SESSION, &[&user(OTHER, "Hello")]).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
    let main = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &main).await, [user(OTHER, "Other")]);
}

#[tokio::test(start_paused = true)]
async fn fork_has_its_own_directory_and_files() {
    let machine = &Machine::new();
    let before = machine.path(SESSION, &format!("{SESSION}/tool-results/a.txt"));
    let after = machine.path(OTHER, &format!("{OTHER}/tool-results/a.txt"));
    let saved = |path: &Path| {
        user(
            OTHER,
            &format!("Output has been saved to {}", path.display()),
        )
    };
    machine.keep(SESSION, None, &[saved(&before)]).await;
    let session = machine.session(SESSION);
    let epoch = machine.store.fence(&session, None).await.unwrap();
    let file = FilePath::new("tool-results/a.txt").unwrap();
    let put = machine
        .store
        .put_file(&session, epoch, &file, "long".into());
    put.await.unwrap();

    let after = &after;
    let options = machine.options().resume(SESSION).fork_session(true);
    FakeCli::play(
        options.session_id(OTHER),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            let launched = cli.launched();
            for arg in [
                &format!("--resume={SESSION}"),
                &format!("--session-id={OTHER}"),
                "--fork-session",
            ] {
                assert!(launched.has_arg(arg), "{arg}");
            }
            let transcript = machine.path(OTHER, &format!("{SESSION}.jsonl"));
            assert_eq!(lines(&transcript), [saved(after)]);
            assert_eq!(lines(after), ["long"]);
            cli.expect_prompt().await;
            let transcript = machine.path(OTHER, &format!("{OTHER}.jsonl"));
            let frame = json!({"type": "transcript_mirror", "filePath": transcript, "entries": [{"type": "y"}]});
            cli.send(frame).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let fork = machine.session(OTHER);
    assert_eq!(stored(machine.store.inner(), &fork.main()).await.len(), 1);
    let copied = machine.store.file(&fork, &file).await.unwrap();
    assert_eq!(copied.as_deref(), Some(&b"long"[..]));
    // The original is only read.
    let append = Append::new(epoch, Position::new(1), ["{}"]);
    machine
        .store
        .append(&session.main(), &append)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn load_is_repeated_after_errors_and_ends_after_its_timeout() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let faults = machine.store.faults();
    for call in [
        StoreCall::List,
        StoreCall::Fence,
        StoreCall::Load,
        StoreCall::File,
    ] {
        faults.next(call, Fault::Fail);
    }
    FakeCli::play(
        machine.options().resume(SESSION),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            assert_eq!(lines(&transcript).len(), 1);
            cli.expect_prompt().await;
            cli.turn("Hello.").await;
        },
    )
    .await;

    faults.always(StoreCall::Load, Fault::Hang);
    let (transport, _cli) = FakeCli::new();
    let options = machine.options().resume(SESSION).load_timeout(seconds(5));
    let error = failed(Client::connect_with(options, transport).await);
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn second_process_of_the_machine_is_kept_out() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    FakeCli::play(
        machine.options().resume(SESSION),
        async |_| {
            let (transport, _cli) = FakeCli::new();
            let options = machine.options().resume(SESSION);
            let error = failed(Client::connect_with(options, transport).await);
            assert_eq!(error.kind(), ErrorKind::Held);
            Ok(())
        },
        async |_| (),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn summary_of_a_resumed_session_has_its_first_prompt_and_last_title() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    FakeCli::play(
        machine.options().resume(SESSION),
        async |client| client.send("And now?").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            let entry = json!({"type": "custom-title", "customTitle": "Greeting"});
            let frame =
                json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]});
            cli.send(frame).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let page = Page::first();
    let list = machine.store.inner().list(&machine.project(), &page).await;
    let summary = list.unwrap().sessions[0].summary.clone().unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary["summary"], "Greeting");
    assert_eq!(summary["firstPrompt"], "Hello");
}
