//! Export and import of sessions.

use std::fs;

use inhouse::ErrorKind;
use inhouse::sessions::{SessionEntry, Sessions};

use crate::support::{Disk, ID, answer, id, prompt};

async fn exported(sessions: &Sessions) -> Vec<SessionEntry> {
    let mut export = sessions.export(ID);
    let mut entries = Vec::new();
    while let Some(entry) = export.next().await {
        entries.push(entry.unwrap());
    }
    entries
}

/// A session with an unknown entry, a broken line and a subagent.
fn source() -> Disk {
    let disk = Disk::new();
    let unknown = r#"{"type":"new","n":1.50,"s":"\ud83d\u0000","é":"\/"}"#.to_owned();
    let lines = [
        prompt(&id(1), "", "Hello"),
        unknown,
        "broken".into(),
        answer(&id(2), &id(1), "Hi!"),
    ];
    disk.write(ID, &lines);
    let dir = disk.session_dir(ID).join("subagents/workflows/w1");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("agent-a1.jsonl"), prompt(&id(5), "", "Count.")).unwrap();
    fs::write(
        dir.join("agent-a1.meta.json"),
        "{\n  \"toolUseId\": \"t1\"\n}\n",
    )
    .unwrap();
    disk
}

#[tokio::test]
async fn export_has_every_entry_byte_for_byte() {
    let entries = exported(&source().sessions()).await;
    let subpath = "subagents/workflows/w1/agent-a1";
    assert_eq!(
        entries,
        [
            SessionEntry::new(prompt(&id(1), "", "Hello")),
            SessionEntry::new(r#"{"type":"new","n":1.50,"s":"\ud83d\u0000","é":"\/"}"#),
            SessionEntry::new(answer(&id(2), &id(1), "Hi!")),
            SessionEntry::at(subpath, prompt(&id(5), "", "Count.")),
            SessionEntry::at(subpath, r#"{"toolUseId": "t1","type":"agent_metadata"}"#),
        ]
    );
}

#[tokio::test]
async fn imported_session_equals_the_exported_one() {
    let (source, target) = (source(), Disk::new());
    let there = target.sessions().project("/elsewhere");
    let entries = exported(&source.sessions()).await;

    let mut import = there.import(ID).await.unwrap();
    for entry in entries.clone() {
        import.push(entry).await.unwrap();
    }
    assert!(
        there.list().await.unwrap().is_empty(),
        "nothing is visible before the end"
    );
    import.finish().await.unwrap();

    assert_eq!(exported(&there).await, entries);
    assert_eq!(
        there.subagents(ID).await.unwrap()[0]
            .metadata
            .tool_use_id
            .as_deref(),
        Some("t1")
    );
    let project = target.project("-elsewhere");
    assert_eq!(
        fs::read_dir(&project).unwrap().count(),
        2,
        "no other file is left"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn imported_files_are_private() {
    use std::os::unix::fs::PermissionsExt;

    let target = Disk::new();
    let there = target.sessions().project("/app");
    let mut import = there.import(ID).await.unwrap();
    import
        .push(SessionEntry::new(prompt(&id(1), "", "x")))
        .await
        .unwrap();
    import
        .push(SessionEntry::at(
            "subagents/agent-a",
            prompt(&id(2), "", "y"),
        ))
        .await
        .unwrap();
    import.finish().await.unwrap();
    let mode = |path: std::path::PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(target.transcript(ID)), 0o600);
    let dir = target.session_dir(ID);
    assert_eq!(mode(dir.join("subagents/agent-a.jsonl")), 0o600);
    assert_eq!(mode(dir), 0o700);
}

#[tokio::test]
async fn large_import_keeps_the_order() {
    let target = Disk::new();
    let there = target.sessions().project("/app");
    let mut import = there.import(ID).await.unwrap();
    let padding = "x".repeat(1000);
    for number in 0..1000 {
        let parent = match number {
            0 => String::new(),
            number => id(number - 1),
        };
        let text = format!("{number} {padding}");
        import
            .push(SessionEntry::new(prompt(&id(number), &parent, &text)))
            .await
            .unwrap();
    }
    import.finish().await.unwrap();
    let messages = there.messages(ID).await.unwrap();
    assert_eq!(messages.len(), 1000);
    assert!(messages[999].text().starts_with("999 "));
}

#[tokio::test]
async fn unsafe_subpaths_and_broken_entries_are_rejected() {
    let target = Disk::new();
    let mut import = target.sessions().project("/app").import(ID).await.unwrap();
    let good = prompt(&id(1), "", "x");
    for entry in [
        SessionEntry::at("../../evil", &*good),
        SessionEntry::at("/etc/evil", &*good),
        SessionEntry::at("", &*good),
        SessionEntry::new("not JSON"),
        SessionEntry::new(format!("{good}\n{good}")),
        SessionEntry::new("{}"),
    ] {
        let error = import.push(entry).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    }
    import.push(SessionEntry::new(good)).await.unwrap();
    import.finish().await.unwrap();
    assert_eq!(target.read(ID).lines().count(), 1);
}

#[tokio::test]
async fn dropped_or_empty_import_leaves_nothing() {
    let target = Disk::new();
    let there = target.sessions().project("/app");
    let mut import = there.import(ID).await.unwrap();
    import
        .push(SessionEntry::new(prompt(&id(1), "", "x")))
        .await
        .unwrap();
    drop(import);
    let error = there.import(ID).await.unwrap().finish().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert_eq!(fs::read_dir(target.project("-app")).unwrap().count(), 0);
}

#[tokio::test]
async fn existing_session_is_not_overwritten() {
    let disk = Disk::with_session();
    let there = disk.sessions().project("/app");
    let error = there.import(ID).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("exists"), "{error}");

    let mut import = there.import(&id(8)).await.unwrap();
    import
        .push(SessionEntry::new(prompt(&id(1), "", "x")))
        .await
        .unwrap();
    disk.write(&id(8), &[prompt(&id(1), "", "Written meanwhile")]);
    assert!(import.finish().await.is_err());
    assert_eq!(
        there.info(&id(8)).await.unwrap().summary,
        "Written meanwhile"
    );
}

#[tokio::test]
async fn import_needs_a_project() {
    let error = Disk::new().sessions().import(ID).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("Sessions::project"), "{error}");
}
