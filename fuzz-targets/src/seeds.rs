//! The inputs that mutation begins with: recordings of the real CLI, and texts that the tests of the workspace use.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::targets::SEPARATOR;

/// Largest part of a recording that is one seed, in bytes: mutants of short inputs are tried more often.
const MAX_PART: usize = 8 * 1024;

/// Number of lines of a generated transcript.
const TRANSCRIPT_LINES: usize = 24;

/// Returns seeds for the target `engine`: parts of the output of CLIs, with portions and a limit.
#[must_use]
pub fn engine() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, path) in paths(".jsonl").iter().enumerate() {
        let text = read(path);
        let mut part = String::new();
        for line in text.lines() {
            if !part.is_empty() && part.len() + line.len() > MAX_PART {
                break;
            }
            part.push_str(line);
            part.push('\n');
        }
        let number = u8::try_from(number % 251).unwrap_or_default();
        seeds.push([&[number, number], part.as_bytes()].concat());
    }
    seeds
}

/// Returns seeds for the target `message`: one line for each tag in the output of CLIs.
#[must_use]
pub fn message() -> Vec<Vec<u8>> {
    let mut seen = Vec::new();
    let mut seeds = Vec::new();
    for line in lines_of_clis() {
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        let tag = format!("{}{}", value["type"], value["subtype"]);
        // Messages of a conversation have many shapes.
        let is_first = !seen.contains(&tag);
        if is_first || (line.len() < 1_000 && seeds.len() < 400) {
            seen.push(tag);
            seeds.push(line.into_bytes());
        }
    }
    seeds
}

/// Returns seeds for the target `recordings`: the three files of short recordings, a written one, and one of a session.
#[must_use]
pub fn recordings() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        recording().into_bytes(),
        [
            "{}\nnot JSON\n\nlast",
            "{}\n",
            "in\nout\nin end\nout\nout\nout\nout end\n",
        ]
        .join(SEPARATOR)
        .into_bytes(),
    ];
    for order in paths(".order") {
        let base = order.with_extension("");
        let file = |end: &str| read(Path::new(&format!("{}{end}", base.display())));
        let files = [file(".out.jsonl"), file(".in.jsonl"), file(".order")];
        let seed = files.join(SEPARATOR);
        if seed.len() <= 2 * MAX_PART {
            seeds.push(seed.into_bytes());
        }
    }
    seeds
}

/// Returns seeds for the target `requests`: the requests of CLIs, and those of the target `rpc` to its server.
#[must_use]
pub fn requests() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for line in lines_of_clis() {
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        if value["type"] == "control_request" && line.len() <= MAX_PART {
            seeds.push(value["request"].to_string().into_bytes());
        }
    }
    for messages in rpc() {
        let messages = String::from_utf8_lossy(&messages).into_owned();
        let wrapped = messages.lines().map(|message| {
            format!(r#"{{"subtype":"mcp_message","server_name":"calc","message":{message}}}"#)
        });
        seeds.push(wrapped.collect::<Vec<_>>().join("\n").into_bytes());
    }
    seeds
}

/// Returns seeds for the target `rpc`: messages of CLIs to in-process servers, and calls of its tools.
#[must_use]
pub fn rpc() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for line in lines_of_clis() {
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        let message = &value["request"]["message"];
        if value["request"]["subtype"] == "mcp_message" && message.is_object() {
            seeds.push(message.to_string().into_bytes());
        }
    }
    let request = |id: Value, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 1}});
        request(json!("a"), "tools/call", params)
    };
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let texts = [
        call("now", json!({})),
        call("divide", json!({"a": 84, "b": 2})),
        call("divide", json!({"a": 1.5, "b": 0, "note": "n"})),
        call("greet", json!({"name": "Ann"})),
        call("greet", json!({"name": 7})),
        call("absent", json!(null)),
        request(json!(1), "tools/list", json!({})),
        request(json!(2), "ping", json!(null)),
        request(json!(3), "logging/setLevel", json!({"level": "debug"})),
        request(json!(-4), "resources/list", json!({"cursor": "x"})),
        cancel.to_string(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string(),
        json!({"jsonrpc": "2.0", "id": "b", "error": {"code": -32800, "message": "no"}})
            .to_string(),
    ];
    seeds.push(texts.join("\n").into_bytes());
    seeds.extend(texts.map(String::into_bytes));
    seeds
}

/// Returns seeds for the target `rules`: rules of each form, and updates as JSON.
#[must_use]
pub fn rules() -> Vec<Vec<u8>> {
    [
        "Bash",
        "Bash()",
        "Bash(*)",
        "Bash(npm test)",
        "Bash(git log *)",
        "Bash(git log:*)",
        r"Bash(echo :\))",
        r"Bash(printf \\(x\))",
        "Bash(a (b) c)",
        "Read(src/**)",
        "Edit(~/notes/*.md)",
        "WebFetch(domain:docs.rs)",
        "mcp__calc",
        "mcp__calc__*",
        "mcp__calc__add",
        "mcp__calc__add(x)",
        "bash",
        " Bash ",
        "Bash(",
        "Bash)",
        "Bash(x) y",
        r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls:*"}],"behavior":"allow","destination":"session"}"#,
        r#"{"type":"setMode","mode":"plan","destination":"localSettings"}"#,
        r#"{"type":"addDirectories","directories":["/app"],"destination":"later"}"#,
        r#"{"type":"later","x":[1,2.5]}"#,
    ]
    .map(|rule| rule.as_bytes().to_vec())
    .into()
}

/// Returns seeds for the target `session`: transcripts made from the messages in recordings, and metadata.
#[must_use]
pub fn session() -> Vec<Vec<u8>> {
    let mut seeds = vec![metadata().into_bytes(), branches().into_bytes()];
    for path in paths(".out.jsonl") {
        let mut parent = Value::Null;
        let mut transcript = String::new();
        let text = read(&path);
        let values = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        for mut value in values
            .filter(|value: &Value| value["type"] == "user" || value["type"] == "assistant")
            .take(TRANSCRIPT_LINES)
        {
            value["parentUuid"] = parent;
            parent = value["uuid"].clone();
            value["sessionId"] = value["session_id"].clone();
            value["timestamp"] = "2026-01-02T03:04:05.678Z".into();
            transcript.push_str(&format!("{value}\n"));
        }
        if !transcript.is_empty() && transcript.len() <= 2 * MAX_PART {
            seeds.push(transcript.into_bytes());
        }
    }
    seeds
}

/// Returns a recording of a session with an event of each kind.
fn recording() -> String {
    [
        r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z","redacted":true,"cli":"claude"}"#,
        r#"{"t":1200,"host":{"type":"user"}}"#,
        r#"{"t":1300,"cli":{"type":"result","subtype":"success"}}"#,
        r#"{"t":1400,"cli_text":"not JSON"}"#,
        r#"{"t":1500,"stderr":"a warning"}"#,
        r#"{"t":1600,"end":"host"}"#,
        r#"{"t":1700,"end":"cli"}"#,
        r#"{"t":1800,"exit":{"code":0}}"#,
        r#"{"t":1900,"stopped":"no space"}"#,
        "",
    ]
    .join("\n")
}

/// Returns the entries of a transcript that are not messages.
fn metadata() -> String {
    [
        r#"{"type":"custom-title","customTitle":"Invoices","sessionId":"00000000-0000-0000-0000-000000000007"}"#,
        r#"{"type":"ai-title","aiTitle":"Bills"}"#,
        r#"{"type":"tag","tag":"work","sessionId":"00000000-0000-0000-0000-000000000007"}"#,
        r#"{"type":"last-prompt","lastPrompt":"Hello"}"#,
        r#"{"type":"summary","summary":"A summary","leafUuid":"u1"}"#,
        r#"{"type":"agent_metadata","agentType":"Explore","description":"Find"}"#,
        r#"{"type":"relocated","sessionId":"00000000-0000-0000-0000-000000000007","cwd":"/app"}"#,
        r#"{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}"#,
    ]
    .join("\n")
}

/// Returns a transcript with branches, parallel calls, a compaction, a subagent and a prompt during a turn.
fn branches() -> String {
    [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/app","gitBranch":"main","timestamp":"2026-01-02T03:04:05.678Z","message":{"content":"Hello"}}"#,
        r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m1","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}"#,
        r#"{"type":"assistant","uuid":"u3","parentUuid":"u2","message":{"id":"m1","content":[{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}]}}"#,
        r#"{"type":"user","uuid":"u4","parentUuid":"u2","sourceToolAssistantUUID":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}}"#,
        r#"{"type":"user","uuid":"u5","parentUuid":"u3","sourceToolAssistantUUID":"u3","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"ok"}]}}"#,
        r#"{"type":"progress","uuid":"u6","parentUuid":"u5"}"#,
        r#"{"type":"system","subtype":"compact_boundary","uuid":"u7","parentUuid":null,"logicalParentUuid":"u5","compactMetadata":{"trigger":"auto","preTokens":1,"preservedSegment":{"headUuid":"u4","anchorUuid":"u8","tailUuid":"u5"}}}"#,
        r#"{"type":"user","uuid":"u8","parentUuid":"u7","isCompactSummary":true,"message":{"content":"Summary"}}"#,
        r#"{"type":"attachment","uuid":"u9","parentUuid":"u8","attachment":{"type":"queued_command","prompt":"More","source_uuid":"p1"}}"#,
        r#"{"type":"user","uuid":"u10","parentUuid":"u9","isSidechain":true,"agentId":"a1","message":{"content":"Brief"}}"#,
        r#"{"type":"assistant","uuid":"u11","parentUuid":"u9","message":{"content":[{"type":"text","text":"Bye \ud83d"}]}}"#,
        r#"{"type":"user","uuid":"u12","parentUuid":"u11","isMeta":true,"message":{"content":"<command-name>/clear</command-name>"}}"#,
    ]
    .join("\n")
}

fn lines_of_clis() -> Vec<String> {
    let files = paths(".out.jsonl").into_iter();
    files
        .flat_map(|path| read(&path).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Returns the paths of all recordings in the fixtures of `inhouse-proto` whose names end like this, in order.
fn paths(ending: &str) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/inhouse-proto/fixtures");
    let entries = |directory: PathBuf| {
        fs::read_dir(directory)
            .expect("the directory can be listed")
            .map(|entry| entry.expect("the entry can be read").path())
    };
    let mut files: Vec<_> = entries(fixtures)
        .filter(|path| path.is_dir())
        .flat_map(entries)
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    assert!(!files.is_empty(), "there are no recordings");
    files.sort();
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the recording can be read")
}
