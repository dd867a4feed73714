use std::collections::BTreeSet;

use inhouse_proto::hook::*;
use serde_json::{Value, json};

use crate::support::unread;

/// Returns an input with every member that all events share, required or optional.
fn base(name: &str) -> Value {
    json!({
        "session_id": "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11", "transcript_path": "/home/me/t.jsonl",
        "cwd": "/home/me/project", "hook_event_name": name,
        "prompt_id": "11111111-2222-4333-8444-555555555555", "permission_mode": "acceptEdits",
        "agent_id": "a1", "agent_type": "Explore", "effort": {"level": "high"},
    })
}

/// Members that every event requires.
const REQUIRED: [&str; 4] = ["session_id", "transcript_path", "cwd", "hook_event_name"];

/// Event with every documented member, and the names of those members that are optional.
struct Row {
    name: &'static str,
    own: Value,
    optional: &'static [&'static str],
    /// Decodes an input and renders the event with `Debug`.
    decode: fn(&str) -> Result<String, String>,
}

macro_rules! row {
    ($event:ident, $own:tt, $optional:expr) => {
        Row {
            name: stringify!($event),
            own: json!($own),
            optional: &$optional,
            decode: |input| {
                assert_eq!(<$event as HookEvent>::NAME, stringify!($event));
                let event = $event::decode(input).map_err(|mismatch| mismatch.to_string())?;
                assert_eq!(event.common(), &event.common);
                Ok(format!("{event:?}"))
            },
        }
    };
}

/// Returns one row for each event, grouped by topic.
fn rows() -> Vec<Row> {
    let mut rows = tool_events();
    rows.extend(conversation_events());
    rows.extend(permission_and_task_events());
    rows.extend(environment_events());
    rows
}

fn tool_events() -> Vec<Row> {
    vec![
        row!(PreToolUse, {
            "tool_name": "mcp__calc__add", "tool_input": {"a": 1}, "tool_use_id": "toolu_1",
            "mcp_server": {"name": "calc", "source": "sdk"},
        }, ["mcp_server"]),
        row!(PostToolUse, {
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"},
            "tool_use_id": "toolu_1", "duration_ms": 116, "mcp_server": {"name": "c", "source": "user"},
        }, ["duration_ms", "mcp_server"]),
        row!(PostToolUseFailure, {
            "tool_name": "Bash", "tool_input": {"command": "exit 3"}, "tool_use_id": "toolu_1",
            "error": "Exit code 3", "is_interrupt": false, "duration_ms": 5,
            "mcp_server": {"name": "c", "source": "plugin"},
        }, ["is_interrupt", "duration_ms", "mcp_server"]),
        row!(PostToolBatch, {
            "tool_calls": [
                {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_1", "tool_response": "hi"},
                {"tool_name": "Agent", "tool_input": {}, "tool_use_id": "toolu_2"},
            ],
        }, []),
    ]
}

fn conversation_events() -> Vec<Row> {
    let tasks = json!([{
        "id": "a1", "type": "subagent", "status": "running", "description": "d", "command": "c",
        "agent_type": "Explore", "server": "s", "tool": "t", "name": "n",
    }]);
    let crons = json!([{"id": "c1", "schedule": "0 9 * * *", "recurring": true, "prompt": "p"}]);
    let switch = json!({
        "from_model": "claude-opus-5-5", "to_model": "claude-sonnet-5-5", "requested_model": "sonnet",
        "source": "sdk", "context_tokens": 15, "prompt_cache_warm": true, "cache_ttl": "5m",
        "estimated_cache_write_usd": 0.0001, "pricing": "catalog",
    });
    vec![
        row!(Notification, {
            "message": "waiting", "title": "Claude", "notification_type": "idle_prompt",
        }, ["title"]),
        row!(UserPromptSubmit, {
            "prompt": "p", "source": "loop_wakeup", "session_title": "t",
        }, ["source", "session_title"]),
        row!(UserPromptExpansion, {
            "expansion_type": "slash_command", "command_name": "hello", "command_args": "world",
            "command_source": "projectSettings", "prompt": "/hello world",
        }, ["command_source"]),
        row!(SessionStart, {
            "source": "resume", "model": "claude-opus-5-5", "session_title": "t",
            "seconds_since_last_response": 12.5, "context_tokens": 100,
            "prompt_cache_likely_expired": true, "estimated_cache_write_usd": 0.5,
        }, [
            "model", "session_title", "seconds_since_last_response", "context_tokens",
            "prompt_cache_likely_expired", "estimated_cache_write_usd",
        ]),
        row!(SessionEnd, {"reason": "prompt_input_exit"}, []),
        row!(Stop, {
            "stop_hook_active": false, "last_assistant_message": "done", "background_tasks": tasks,
            "session_crons": crons,
        }, ["last_assistant_message", "background_tasks", "session_crons"]),
        row!(StopFailure, {
            "error": "authentication_failed", "error_details": "401", "last_assistant_message": "m",
        }, ["error_details", "last_assistant_message"]),
        row!(SubagentStart, {"agent_id": "a2", "agent_type": "Plan"}, ["agent_id", "agent_type"]),
        row!(SubagentStop, {
            "agent_id": "a2", "agent_type": "Plan", "stop_hook_active": true,
            "agent_transcript_path": "/home/me/a.jsonl", "last_assistant_message": "done",
            "background_tasks": tasks, "session_crons": crons,
        }, ["agent_id", "agent_type", "last_assistant_message", "background_tasks", "session_crons"]),
        row!(PreCompact, {"trigger": "manual", "custom_instructions": null}, []),
        row!(PostCompact, {"trigger": "auto", "compact_summary": "s"}, []),
        row!(PreModelSwitch, switch, []),
        row!(PostModelSwitch, switch, []),
    ]
}

fn permission_and_task_events() -> Vec<Row> {
    vec![
        row!(PermissionRequest, {
            "tool_name": "Bash", "tool_input": {"command": "touch a"},
            "permission_suggestions": [
                {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            ],
            "mcp_server": {"name": "c", "source": "sdk"},
        }, ["permission_suggestions", "mcp_server"]),
        row!(PermissionDenied, {
            "tool_name": "Bash", "tool_input": {"command": "rm a"}, "tool_use_id": "toolu_1",
            "reason": "risky", "mcp_server": {"name": "c", "source": "sdk"},
        }, ["mcp_server"]),
        row!(Setup, {"trigger": "maintenance"}, []),
        row!(TeammateIdle, {"teammate_name": "ada", "team_name": "t"}, ["team_name"]),
        row!(TaskCreated, {
            "task_id": "1", "task_subject": "s", "task_description": "d", "teammate_name": "ada",
            "team_name": "t",
        }, ["task_description", "teammate_name", "team_name"]),
        row!(TaskCompleted, {
            "task_id": "1", "task_subject": "s", "task_description": "d", "teammate_name": "ada",
            "team_name": "t",
        }, ["task_description", "teammate_name", "team_name"]),
    ]
}

fn environment_events() -> Vec<Row> {
    vec![
        row!(Elicitation, {
            "mcp_server_name": "crm", "message": "Which region?", "mode": "form",
            "url": "https://example.com", "elicitation_id": "e1",
            "requested_schema": {"type": "object"},
        }, ["mode", "url", "elicitation_id", "requested_schema"]),
        row!(ElicitationResult, {
            "mcp_server_name": "crm", "elicitation_id": "e1", "mode": "url", "action": "accept",
            "content": {"region": "north"},
        }, ["elicitation_id", "mode", "content"]),
        row!(ConfigChange, {
            "source": "project_settings", "file_path": "/home/me/settings.json",
        }, ["file_path"]),
        row!(WorktreeCreate, {"name": "fix"}, []),
        row!(WorktreeRemove, {"worktree_path": "/home/me/fix"}, []),
        row!(InstructionsLoaded, {
            "file_path": "/home/me/CLAUDE.md", "memory_type": "Project", "load_reason": "include",
            "globs": ["*.rs"], "trigger_file_path": "/home/me/a.rs", "parent_file_path": "/home/me/b.md",
        }, ["globs", "trigger_file_path", "parent_file_path"]),
        row!(CwdChanged, {"old_cwd": "/home/me/src", "new_cwd": "/home/me/project"}, []),
        row!(FileChanged, {"file_path": "/home/me/a.rs", "event": "unlink"}, []),
        row!(DirectoryAdded, {"directory": "/home/me/lib", "source": "register_repo_root"}, []),
        row!(MessageDisplay, {
            "turn_id": "t1", "message_id": "m1", "index": 0, "final": true, "delta": "hi",
        }, []),
    ]
}

/// Returns the input of a row with every documented member.
fn full(row: &Row) -> Value {
    let mut input = base(row.name);
    let own = row.own.as_object().expect("rows are objects").clone();
    input
        .as_object_mut()
        .expect("the base is an object")
        .extend(own);
    input
}

#[test]
fn all_33_events_have_a_row() {
    let names: BTreeSet<&str> = rows().iter().map(|row| row.name).collect();
    assert_eq!(names.len(), 33);
    for name in names {
        let known = inhouse_proto::message::HookEventName::from(name);
        assert!(
            !matches!(known, inhouse_proto::message::HookEventName::Unknown(_)),
            "{name}"
        );
    }
}

#[test]
fn every_documented_member_is_decoded() {
    for row in rows() {
        let shown = |input: &Value| {
            (row.decode)(&input.to_string()).unwrap_or_else(|error| format!("error: {error}"))
        };
        let input = full(&row);
        let whole = shown(&input);
        assert!(!whole.starts_with("error: "), "{}: {whole}", row.name);
        assert!(!whole.contains("Unknown("), "{whole}");
        let mut unread = unread(&input, &shown);
        unread.remove("hook_event_name");
        assert_eq!(unread, BTreeSet::new(), "{}", row.name);
    }
}

#[test]
fn optional_members_may_be_absent() {
    for row in rows() {
        let mut input = full(&row);
        let members = input.as_object_mut().expect("an input is an object");
        let own = row.own.as_object().expect("rows are objects");
        members.retain(|name, _| {
            let name = name.as_str();
            let required = own.contains_key(name) && !row.optional.contains(&name);
            required || REQUIRED.contains(&name)
        });
        (row.decode)(&input.to_string()).expect(row.name);
    }
}

#[test]
fn members_of_a_newer_cli_are_ignored() {
    for row in rows() {
        let mut input = full(&row);
        let shown = (row.decode)(&input.to_string()).expect(row.name);
        input["a_newer_member"] = json!([null, {"ignored": 1.5}]);
        assert_eq!((row.decode)(&input.to_string()).expect(row.name), shown);
    }
}

/// A hook must not decide on an input of which a member was dropped silently.
#[test]
fn malformed_optional_member_is_an_error() {
    for row in rows() {
        for (member, value) in [("effort", json!("loud")), ("agent_id", json!(7))] {
            let mut input = full(&row);
            input[member] = value;
            assert!(
                (row.decode)(&input.to_string()).is_err(),
                "{} {member}",
                row.name
            );
        }
    }
}

#[test]
fn missing_required_member_is_named_in_the_error() {
    for row in rows() {
        let own = row.own.as_object().expect("rows are objects");
        let own = own.keys().map(String::as_str);
        let nullable = |name: &&str| *name == "custom_instructions" || *name == "requested_model";
        let required: Vec<&str> = own
            .filter(|name| !row.optional.contains(name) && !nullable(name))
            .chain(
                REQUIRED
                    .into_iter()
                    .filter(|name| *name != "hook_event_name"),
            )
            .collect();
        for name in required {
            let mut input = full(&row);
            input
                .as_object_mut()
                .expect("an input is an object")
                .remove(name);
            let reason = (row.decode)(&input.to_string()).err();
            let reason = reason.unwrap_or_else(|| panic!("{} without {name}", row.name));
            assert!(reason.contains(name), "{}: {reason}", row.name);
        }
    }
}
