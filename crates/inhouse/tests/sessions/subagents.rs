//! Subagents and their messages.

use std::fs;
use std::path::Path;

use inhouse::ErrorKind;

use crate::support::{Disk, ID, answer, id, prompt};

fn write_agent(dir: &Path, agent: &str, metadata: Option<&str>) {
    fs::create_dir_all(dir).unwrap();
    let lines = [prompt(&id(1), "", agent), answer(&id(2), &id(1), "Done.")];
    let lines = lines
        .join("\n")
        .replace("\"isSidechain\":false", "\"isSidechain\":true");
    fs::write(dir.join(format!("agent-{agent}.jsonl")), lines).unwrap();
    if let Some(metadata) = metadata {
        fs::write(dir.join(format!("agent-{agent}.meta.json")), metadata).unwrap();
    }
}

fn disk() -> Disk {
    let disk = Disk::with_session();
    let dir = disk.session_dir(ID).join("subagents");
    let metadata =
        r#"{"agentType":"shepherd","description":"Count","toolUseId":"toolu_1","new":1}"#;
    write_agent(&dir, "a1", Some(metadata));
    write_agent(&dir.join("workflows/w1"), "b2", Some("not JSON"));
    fs::write(dir.join("notes.jsonl"), "{}").unwrap();
    fs::write(dir.join("agent-empty.jsonl"), "").unwrap();
    disk
}

#[tokio::test]
async fn subagents_are_listed_with_their_metadata() {
    let subagents = disk().sessions().subagents(ID).await.unwrap();
    let ids: Vec<&str> = subagents.iter().map(|agent| &*agent.id).collect();
    assert_eq!(ids, ["a1", "b2"]);
    let metadata = &subagents[0].metadata;
    assert_eq!(metadata.agent_type.as_deref(), Some("shepherd"));
    assert_eq!(metadata.tool_use_id.as_deref(), Some("toolu_1"));
    assert_eq!(subagents[1].metadata.tool_use_id, None);
}

#[tokio::test]
async fn messages_of_a_subagent_name_its_parent() {
    let disk = disk();
    let messages = disk.sessions().subagent_messages(ID, "a1").await.unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].text(), "a1");
    assert_eq!(messages[1].parent_tool_use_id.as_deref(), Some("toolu_1"));
    let nested = disk
        .sessions()
        .subagent_messages(ID, "b2")
        .limit(1)
        .await
        .unwrap();
    assert_eq!(nested.len(), 1);
    assert_eq!(nested[0].parent_tool_use_id, None);
}

#[tokio::test]
async fn session_without_subagents_has_none() {
    let disk = Disk::with_session();
    assert!(disk.sessions().subagents(ID).await.unwrap().is_empty());
    let error = disk.sessions().subagents(&id(5)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
}

#[tokio::test]
async fn invalid_and_unknown_subagents_are_errors() {
    let disk = disk();
    for (agent, kind) in [
        ("zz", ErrorKind::SessionNotFound),
        ("", ErrorKind::Config),
        ("../a1", ErrorKind::Config),
        ("a1.jsonl", ErrorKind::Config),
    ] {
        let error = disk
            .sessions()
            .subagent_messages(ID, agent)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{agent:?}: {error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_below_a_session_are_not_followed() {
    let disk = disk();
    let dir = disk.session_dir(ID).join("subagents");
    std::os::unix::fs::symlink(&dir, dir.join("loop")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    write_agent(elsewhere.path(), "c3", None);
    let link = dir.join("agent-c3.jsonl");
    std::os::unix::fs::symlink(elsewhere.path().join("agent-c3.jsonl"), link).unwrap();
    assert_eq!(disk.sessions().subagents(ID).await.unwrap().len(), 2);
}
