//! A store that fails: nothing is lost, nothing is stored twice, and no result is delivered that is not stored.

use std::path::PathBuf;

use inhouse::message::Prompt;
use inhouse::options::StoreFlush;
use inhouse::{Client, Error, ErrorKind, Options, query, sessions};
use inhouse_store::{Leases as _, SessionStore as _};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use tokio::time::Instant;

use crate::mirror::{entry, mirror, mirror_path, number, stored};
use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{failed, idle, pass, seconds, timed};

/// Runs a turn with this many entries, one frame each.
async fn play_turn(options: Options, entries: usize) {
    FakeCli::play(
        options,
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            for number in 0..entries {
                mirror(cli, SESSION, &[&entry(number)]).await;
                idle().await;
            }
            cli.turn("Hello.").await;
        },
    )
    .await;
}

async fn assert_stored(machine: &Machine, entries: usize) {
    let all: Vec<String> = (0..entries).map(entry).collect();
    let main = machine.session(SESSION).main();
    assert_eq!(stored(machine.store.inner(), &main).await, all);
}

/// Runs a query whose session has to fail, with a CLI that reads the prompt first.
async fn fail(options: Options, cli: impl AsyncFnOnce(&mut FakeCli)) -> Error {
    let (transport, mut fake) = FakeCli::new();
    let host = async {
        let prompt = Prompt::from("Hello").uuid(OTHER);
        let messages = query(prompt).options(options).transport(transport).await?;
        messages.finish().await
    };
    let cli = async move {
        fake.accept().await;
        fake.expect_prompt().await;
        cli(&mut fake).await;
        fake.expect_kill().await;
    };
    failed(join(host, cli).await.0)
}

#[tokio::test(start_paused = true)]
async fn failed_and_unacknowledged_appends_are_repeated_without_effect() {
    for fault in [
        Fault::Fail,
        Fault::LoseAcknowledgement,
        Fault::Hang,
        Fault::HangAfterwards,
    ] {
        let machine = Machine::new();
        let store = &machine.store;
        for call in [StoreCall::Fence, StoreCall::List, StoreCall::Append] {
            store.faults().next(call, fault);
        }
        for fault in [Fault::None, fault, Fault::None, fault] {
            store.faults().next(StoreCall::Append, fault);
        }
        play_turn(machine.options().session_id(SESSION), 5).await;
        assert_stored(&machine, 5).await;
    }
}

#[tokio::test(start_paused = true)]
async fn result_waits_for_a_store_that_comes_back() {
    let machine = Machine::new();
    let faults = machine.store.faults();
    faults.always(StoreCall::Append, Fault::Fail);
    let start = Instant::now();
    let repair = async {
        pass(seconds(30)).await;
        faults.clear();
    };
    tokio::join!(play_turn(machine.options().session_id(SESSION), 5), repair);
    assert!(start.elapsed() >= seconds(30));
    assert_stored(&machine, 5).await;
}

#[tokio::test(start_paused = true)]
async fn store_that_stays_down_ends_the_session_and_its_entries_are_recovered() {
    let machine = Machine::new();
    let faults = machine.store.faults();
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, SESSION, &[&entry(0)]).await;
        idle().await;
        faults.always(StoreCall::Append, Fault::LoseAcknowledgement);
        mirror(cli, SESSION, &[&entry(1)]).await;
        idle().await;
        mirror(cli, SESSION, &[&entry(2)]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        mirror(cli, SESSION, &[&entry(3)]).await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    // The result is not lost either.
    assert_eq!(error.result().unwrap().result.as_deref(), Some("Hello."));
    assert_stored(&machine, 2).await;

    let directory = unsent_directory(&error);
    assert_eq!(directory, machine.directory(SESSION));
    let faulty = failed(sessions::recover(&directory, &machine.store).await);
    assert_eq!(faulty.kind(), ErrorKind::Store);
    faults.clear();
    // The first attempt stored the entries, and only its acknowledgement was lost. The result is left.
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 1);
    assert_stored(&machine, 4).await;
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn unsent_entries_are_not_stored_behind_those_of_another_owner() {
    let machine = Machine::new();
    let faults = machine.store.faults();
    faults.always(StoreCall::Append, Fault::Fail);
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, SESSION, &[&entry(0)]).await;
    })
    .await;
    let directory = unsent_directory(&error);
    faults.clear();
    // The other owner has written the same first entry, and one more.
    machine.keep(SESSION, None, &[entry(0), entry(1)]).await;
    let error = failed(sessions::recover(&directory, &machine.store).await);
    assert!(error.to_string().contains("has continued"), "{error}");
    assert_stored(&machine, 2).await;
    assert!(directory.exists());
}

#[tokio::test(start_paused = true)]
async fn new_owner_ends_the_session_of_the_old_one_without_a_result() {
    let machine = &Machine::new();
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION);
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror(&mut cli, SESSION, &[&entry(0)]).await;
        idle().await;
        let session = machine.session(SESSION);
        machine.store.fence(&session, None).await.unwrap();
        mirror(&mut cli, SESSION, &[&entry(1)]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Fenced);
    assert!(error.result().is_none());
    assert_stored(machine, 1).await;
}

#[tokio::test(start_paused = true)]
async fn frames_above_the_memory_limit_are_stored_in_order() {
    const FRAMES: usize = 40;
    let padding = "x".repeat(1 << 20);
    let machine = Machine::new();
    let slow = Fault::Delay(seconds(5));
    machine.store.faults().next(StoreCall::Append, slow);
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            // The paused clock advances while the temporary file is written.
            cli.set_deadline(seconds(600));
            cli.expect_prompt().await;
            for number in 0..FRAMES {
                let entry = format!(r#"{{"number":{number},"padding":"{padding}"}}"#);
                mirror(cli, SESSION, &[&entry]).await;
            }
            cli.turn("Hello.").await;
        },
    )
    .await;
    let main = machine.session(SESSION).main();
    let entries = stored(machine.store.inner(), &main).await;
    let numbers: Vec<u64> = entries.iter().map(|entry| number(entry)).collect();
    assert_eq!(numbers, (0..FRAMES as u64).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn skipped_frame_ends_the_session_and_leaves_no_hole() {
    let machine = Machine::new();
    let options = machine.options().session_id(SESSION).max_line_bytes(10_000);
    let error = fail(options, async |cli| {
        mirror(cli, SESSION, &[&entry(0)]).await;
        let long = format!(r#"{{"number":1,"padding":"{}"}}"#, "x".repeat(20_000));
        mirror(cli, SESSION, &[&long]).await;
        mirror(cli, SESSION, &[&entry(2)]).await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    assert_stored(&machine, 1).await;
    let directory = unsent_directory(&error);
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 0);
    assert_stored(&machine, 1).await;
}

#[tokio::test(start_paused = true)]
async fn files_and_the_result_that_were_not_stored_are_recovered() {
    let machine = &Machine::new();
    machine.store.faults().always(StoreCall::File, Fault::Fail);
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        let results = machine.path(SESSION, &format!("{SESSION}/tool-results"));
        let history = machine
            .directory(SESSION)
            .join("file-history")
            .join(SESSION);
        for (directory, name, content) in [(results, "a.txt", "long"), (history, "b@v1", "backup")]
        {
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join(name), content).unwrap();
        }
        let path = machine.path(SESSION, &format!("{SESSION}.jsonl"));
        let entry = user(OTHER, "Hello");
        mirror_path(cli, path.to_str().unwrap(), &[&entry]).await;
        idle().await;
        cli.state("running").await;
        cli.result("Saved.").await;
    })
    .await;
    machine.store.faults().clear();
    let directory = unsent_directory(&error);
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 1);
    for (path, content) in [
        ("tool-results/a.txt", "long"),
        ("file-history/b@v1", "backup"),
    ] {
        let path = inhouse_store::FilePath::new(path).unwrap();
        let session = machine.session(SESSION);
        let file = machine.store.file(&session, &path).await.unwrap();
        assert_eq!(file.as_deref(), Some(content.as_bytes()));
    }
    assert!(machine.is_empty());

    assert_answered(machine.options(), "Saved.").await;
}

/// Asserts that the prompt of [`fail`] has this result in the store, so that its turn is not continued.
async fn assert_answered(options: Options, expected: &str) {
    let (answer, ()) = FakeCli::play_with(
        async |transport| {
            let prompt = Prompt::from("Hello").uuid(OTHER);
            let query = query(prompt).options(options.resume(SESSION));
            query.transport(transport).await?.text().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn result_of_a_session_that_could_not_be_fenced_is_recovered() {
    let machine = Machine::new();
    let store = machine.store.clone().without_leases();
    let options = || machine.options().store(store.clone());
    store.faults().always(StoreCall::Fence, Fault::Fail);
    let new = options().session_id(SESSION);
    let error = fail(new.store_flush(StoreFlush::EndOfTurn), async |cli| {
        mirror(cli, SESSION, &[&user(OTHER, "Hello")]).await;
        cli.state("running").await;
        cli.result("Saved.").await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    store.faults().clear();
    let recovered = sessions::recover(unsent_directory(&error), &store).await;
    assert_eq!(recovered.unwrap(), 2, "the entry and the result");
    assert_answered(options(), "Saved.").await;
}

#[tokio::test(start_paused = true)]
async fn entries_of_a_store_that_panics_are_recovered() {
    let machine = Machine::new();
    machine
        .store
        .faults()
        .always(StoreCall::Append, Fault::Panic);
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, SESSION, &[&entry(0)]).await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    machine.store.faults().clear();
    let recovered = sessions::recover(unsent_directory(&error), &machine.store).await;
    assert_eq!(recovered.unwrap(), 1);
    assert_stored(&machine, 1).await;
}

/// Leaves two entries that are not stored, behind one that is; returns their directory.
async fn leave_unsent(machine: &Machine) -> PathBuf {
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, SESSION, &[&entry(0)]).await;
        idle().await;
        machine
            .store
            .faults()
            .always(StoreCall::Append, Fault::Fail);
        mirror(cli, SESSION, &[&entry(1), &entry(2)]).await;
    })
    .await;
    machine.store.faults().clear();
    unsent_directory(&error)
}

#[tokio::test(start_paused = true)]
async fn recovery_of_a_session_that_runs_elsewhere_is_refused() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let session = machine.session(SESSION);
    let lease = machine.store.acquire(&session, "other", seconds(40)).await;
    let epoch = lease.unwrap().epoch;
    let (recovered, time) = timed(sessions::recover(&directory, &machine.store)).await;
    assert_eq!(failed(recovered).kind(), ErrorKind::Held);
    assert!(time < seconds(1), "{time:?}");
    let current = machine.store.fence(&session, Some(epoch)).await;
    assert_eq!(current.unwrap(), epoch, "the other host is not fenced");
    assert_stored(&machine, 1).await;
}

#[tokio::test(start_paused = true)]
async fn recovery_does_not_fence_a_host_that_acquires_the_session_meanwhile() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let session = machine.session(SESSION);
    let slow = Fault::Delay(seconds(5));
    for call in [StoreCall::Fence, StoreCall::Acquire] {
        machine.store.faults().always(call, slow);
    }
    let other = async {
        pass(seconds(1)).await;
        let store = machine.store.inner();
        let lease = store.acquire(&session, "other", seconds(40)).await;
        lease.unwrap().epoch
    };
    let recovery = sessions::recover(&directory, &machine.store);
    let (recovered, epoch) = tokio::join!(recovery, other);
    assert_eq!(failed(recovered).kind(), ErrorKind::Held);
    let current = machine.store.inner().fence(&session, Some(epoch)).await;
    assert_eq!(current.unwrap(), epoch, "the other host is not fenced");
    assert_stored(&machine, 1).await;
}

#[tokio::test(start_paused = true)]
async fn recovery_releases_its_lease() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let session = machine.session(SESSION);
    machine
        .store
        .faults()
        .always(StoreCall::Append, Fault::Fail);
    failed(sessions::recover(&directory, &machine.store).await);
    assert_eq!(machine.store.holder(&session).await.unwrap(), None);
    machine.store.faults().clear();
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 2);
    assert_eq!(machine.store.holder(&session).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn recovery_has_a_deadline() {
    let machine = Machine::new();
    let faults = machine.store.faults();
    let directory = leave_unsent(&machine).await;
    for call in [
        StoreCall::Acquire,
        StoreCall::Load,
        StoreCall::List,
        StoreCall::Append,
    ] {
        faults.clear().always(call, Fault::Hang);
        let start = Instant::now();
        let error = failed(sessions::recover(&directory, &machine.store).await);
        assert_eq!(error.kind(), ErrorKind::Store, "{call:?}");
        assert!(start.elapsed() < seconds(100), "{call:?}");
    }
    faults.clear().always(StoreCall::Fence, Fault::Hang);
    let store = machine.store.clone().without_leases();
    let start = Instant::now();
    let error = failed(sessions::recover(&directory, &store).await);
    assert_eq!(error.kind(), ErrorKind::Store);
    assert!(start.elapsed() < seconds(100));

    // Neither the name of another holder nor a release is waited for without end.
    faults.clear().always(StoreCall::Release, Fault::Hang);
    let (inner, session) = (machine.store.inner(), machine.session(SESSION));
    let lease = inner.acquire(&session, "other", seconds(40)).await.unwrap();
    let start = Instant::now();
    let error = failed(sessions::recover(&directory, &machine.store).await);
    assert_eq!(error.kind(), ErrorKind::Held);
    assert!(start.elapsed() < seconds(100));
    inner.release(&lease).await.unwrap();
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 2);
    assert!(start.elapsed() < seconds(100));
    assert_stored(&machine, 3).await;
}

#[tokio::test(start_paused = true)]
async fn entries_before_a_line_that_is_cut_off_are_recovered() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let file = directory.with_file_name(format!("{SESSION}.unsent.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &text[..text.len() - 5]).unwrap();
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 1);
    assert_stored(&machine, 2).await;
}

#[tokio::test(start_paused = true)]
async fn many_unsent_entries_are_recovered_in_parts() {
    let machine = Machine::new();
    let faults = machine.store.faults();
    faults.always(StoreCall::Append, Fault::Fail);
    let padding = "x".repeat(400 << 10);
    let long = |number| format!(r#"{{"number":{number},"padding":"{padding}"}}"#);
    let all: Vec<String> = (0..10).map(long).collect();
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        let entries: Vec<&str> = all.iter().map(String::as_str).collect();
        mirror(cli, SESSION, &entries).await;
    })
    .await;
    faults.clear();
    // A lease would run out in the time of all parts.
    faults.always(StoreCall::Append, Fault::Delay(seconds(8)));
    let [appends, renewals] = [StoreCall::Append, StoreCall::Renew].map(|call| faults.calls(call));
    let recovered = sessions::recover(unsent_directory(&error), &machine.store).await;
    assert_eq!(recovered.unwrap(), 10);
    // Two entries in each: a third one would exceed 1 MiB.
    assert_eq!(faults.calls(StoreCall::Append) - appends, 5);
    assert!(faults.calls(StoreCall::Renew) > renewals);
    let main = machine.session(SESSION).main();
    assert_eq!(stored(machine.store.inner(), &main).await, all);
}

#[tokio::test(start_paused = true)]
async fn unreadable_line_of_unsent_entries_is_named() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let file = directory.with_file_name(format!("{SESSION}.unsent.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    // The third line of three.
    std::fs::write(&file, format!("{}\n", &text[..text.len() - 5])).unwrap();
    let error = failed(sessions::recover(&directory, &machine.store).await);
    let error = error.to_string();
    assert!(error.starts_with("line 3 of "), "{error}");
    assert!(error.contains("remove it and the lines behind"), "{error}");
    assert_stored(&machine, 1).await;

    let readable: String = text.split_inclusive('\n').take(2).collect();
    std::fs::write(&file, readable).unwrap();
    let recovered = sessions::recover(&directory, &machine.store).await;
    assert_eq!(recovered.unwrap(), 1);
    assert_stored(&machine, 2).await;
}

/// Leaves an entry of each of two sessions, the second of which began with `/clear`. Another host has continued the first one.
async fn leave_two_sessions(machine: &Machine) -> PathBuf {
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        for session in [SESSION, OTHER] {
            mirror(cli, session, &[&entry(0)]).await;
            idle().await;
        }
        let faults = machine.store.faults();
        faults.always(StoreCall::Append, Fault::Fail);
        for session in [SESSION, OTHER] {
            mirror(cli, session, &[&entry(1)]).await;
        }
    })
    .await;
    machine.store.faults().clear();
    machine.keep(SESSION, None, &[entry(7)]).await;
    unsent_directory(&error)
}

async fn assert_second_session_stored(machine: &Machine) {
    let store = machine.store.inner();
    for (id, last) in [(SESSION, 7), (OTHER, 1)] {
        let main = machine.session(id).main();
        assert_eq!(stored(store, &main).await, [entry(0), entry(last)], "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn recovery_decides_about_each_session() {
    let machine = Machine::new();
    let directory = leave_two_sessions(&machine).await;
    for _ in 0..2 {
        let error = failed(sessions::recover(&directory, &machine.store).await);
        let error = error.to_string();
        assert!(error.contains("has continued"), "{error}");
        let entries = error.split("; remove").next().unwrap();
        assert!(
            entries.contains(SESSION) && !entries.contains(OTHER),
            "{error}"
        );
        assert_second_session_stored(&machine).await;
        assert!(directory.exists());
    }
}

#[tokio::test(start_paused = true)]
async fn next_owner_stores_unsent_entries_of_sessions_that_did_not_continue() {
    let machine = Machine::new();
    leave_two_sessions(&machine).await;
    let lease = sessions::SessionLease::acquire(&machine.options(), SESSION).await;
    let lease = lease.unwrap();
    let recovered = lease.recover_unsent(&machine.options()).await;
    assert_eq!(recovered.unwrap(), 1);
    assert_second_session_stored(&machine).await;
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn files_are_not_recovered_into_a_session_that_has_continued() {
    let machine = &Machine::new();
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        let path = machine.path(SESSION, &format!("{SESSION}.jsonl"));
        mirror_path(cli, path.to_str().unwrap(), &[&entry(0)]).await;
        idle().await;
        let results = machine.path(SESSION, &format!("{SESSION}/tool-results"));
        std::fs::create_dir_all(&results).unwrap();
        std::fs::write(results.join("a.txt"), "old").unwrap();
        let faults = machine.store.faults();
        faults.always(StoreCall::File, Fault::Fail);
        cli.state("running").await;
        cli.result("Hello.").await;
    })
    .await;
    machine.store.faults().clear();
    machine.keep(SESSION, None, &[entry(1)]).await;
    let directory = unsent_directory(&error);
    let error = failed(sessions::recover(&directory, &machine.store).await);
    assert!(error.to_string().contains("has continued"), "{error}");
    let files = machine.store.files(&machine.session(SESSION)).await;
    assert_eq!(files.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn recovery_brings_nothing_of_an_erased_session_back() {
    let machine = Machine::new();
    let directory = leave_unsent(&machine).await;
    let results = directory
        .join("projects")
        .join("p")
        .join(SESSION)
        .join("tool-results");
    std::fs::create_dir_all(&results).unwrap();
    std::fs::write(results.join("a.txt"), "long").unwrap();
    let session = machine.session(SESSION);
    machine.store.erase(&session.clone().into()).await.unwrap();
    let error = failed(sessions::recover(&directory, &machine.store).await);
    assert!(error.to_string().contains("was erased"), "{error}");
    assert_eq!(machine.store.files(&session).await.unwrap(), []);
    assert_stored(&machine, 0).await;
}

/// Returns the directory that the error of a session names.
fn unsent_directory(error: &Error) -> PathBuf {
    let error = error.to_string();
    let (_, rest) = error
        .split_once("is in ")
        .expect("the error names a directory");
    PathBuf::from(rest.split_once(", and").expect("the directory ends").0)
}
