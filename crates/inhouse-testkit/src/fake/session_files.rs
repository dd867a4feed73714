//! Sessions on disk, as the CLI writes them.

use std::fs;

use inhouse::Result;
use inhouse::sessions::Sessions;
use serde_json::{Value, json};

use super::play::run;

/// The session that [`with_session`] writes.
const SESSION: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";

/// Writes a session to a temporary configuration directory and calls a closure with a handle and the id of the session.
///
/// The session is one of the project `/app`. It has the prompt, an answer (`Done.`) and a subagent `helper` with the prompt `Help.`. Blocks
/// like [`run`](super::run).
///
/// # Panics
/// If the closure returns an error.
///
/// ```
/// use inhouse_testkit::fake::with_session;
///
/// with_session("Sum up.", async |sessions, id| {
///     let messages = sessions.messages(id).await?;
///     assert_eq!(messages[0].text(), "Sum up.");
///     assert_eq!(sessions.subagents(id).await?[0].id, "helper");
///     Ok(())
/// });
/// ```
pub fn with_session<F>(prompt: &str, read: F)
where
    F: AsyncFnOnce(Sessions, &'static str) -> Result<()>,
{
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let project = directory.path().join("projects/-app");
    let subagents = project.join(SESSION).join("subagents");
    fs::create_dir_all(&subagents).expect("the directories of a session can be created");
    let entry = |kind: &str, uuid: &str, parent: Value, text: &str| {
        json!({
            "type": kind,
            "uuid": uuid,
            "parentUuid": parent,
            "sessionId": SESSION,
            "cwd": "/app",
            "message": { "role": kind, "content": text },
        })
    };
    let answer = entry("assistant", "a1", json!("u1"), "Done.");
    let lines = format!("{}\n{answer}\n", entry("user", "u1", Value::Null, prompt));
    let mut subagent = entry("user", "s1", Value::Null, "Help.");
    subagent["isSidechain"] = true.into();
    subagent["agentId"] = "helper".into();
    for (path, lines) in [
        (project.join(format!("{SESSION}.jsonl")), lines),
        (
            subagents.join("agent-helper.jsonl"),
            format!("{subagent}\n"),
        ),
    ] {
        fs::write(path, lines).expect("a transcript can be written");
    }
    let sessions = Sessions::new().config_dir(directory.path());
    run(read(sessions, SESSION)).expect("the closure succeeds");
}
