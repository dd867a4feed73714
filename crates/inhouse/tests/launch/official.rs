//! Compares plans with what the official SDKs send to the CLI for the same options.
//!
//! `official/typescript.json` and `official/python.json` are recordings by
//! `cargo xtask record-official`. `official/differences.md` lists every difference with its reason.
//! A difference that is not listed fails the test, and so does a listed one that no longer occurs.
//!
//! The comparison is byte for byte: the order of flags and members and whitespace count as differences.

mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use inhouse::launch::{HostEnvironment, Plan};
use inhouse::transport::duplex;
use inhouse::{Options, query};
use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// What one SDK sent, by case.
#[derive(Deserialize)]
struct Recording {
    version: String,
    cases: BTreeMap<String, Sent>,
}

/// How the CLI was started, and what it was sent first.
#[derive(Clone, Default, Deserialize)]
struct Sent {
    /// The environment of the host, without paths of the machine.
    host: BTreeMap<String, String>,
    argv: Vec<String>,
    env: Environment,
    /// The lines on stdin, with the ids of requests replaced.
    stdin: Vec<String>,
    /// Flags whose values are in a private file.
    #[serde(skip)]
    private: BTreeSet<String>,
}

#[derive(Clone, Default, Deserialize)]
struct Environment {
    set: BTreeMap<String, String>,
    removed: BTreeSet<String>,
}

#[tokio::test(start_paused = true)]
async fn differences_from_the_official_sdks_are_listed() {
    let mut listed = listed();
    let mut found = BTreeSet::new();
    for (sdk, recording) in [
        ("TypeScript", recording("typescript")),
        ("Python", recording("python")),
    ] {
        let mut names: BTreeSet<&str> = recording.cases.keys().map(String::as_str).collect();
        for (name, options) in cases::all() {
            let theirs = &recording.cases[name];
            names.remove(name);
            let ours = ours(&options, &theirs.host).await;
            for difference in differences(&ours, &normalized(theirs, &recording.version)) {
                found.insert((sdk.to_owned(), name.to_owned(), difference));
            }
        }
        assert!(
            names.is_empty(),
            "{sdk}: no options for the cases {names:?}"
        );
    }
    let mut unlisted = String::new();
    let mut used = BTreeSet::new();
    for (sdk, case, difference) in &found {
        let row = |case: &str| (sdk.clone(), case.to_owned(), difference.clone());
        match [row(case), row("*")]
            .into_iter()
            .find(|row| listed.contains_key(row))
        {
            Some(row) => drop(used.insert(row)),
            None => unlisted.push_str(&format!("| {sdk} | {case} | {difference} |  |\n")),
        }
    }
    assert!(
        unlisted.is_empty(),
        "not listed in differences.md:\n{unlisted}"
    );
    listed.retain(|row, reason| !used.contains(row) || reason.is_empty());
    assert!(
        listed.is_empty(),
        "listed without a reason, or no longer there: {listed:#?}"
    );
}

/// Reads `official/differences.md`: the reason by SDK, case and difference.
fn listed() -> BTreeMap<(String, String, String), String> {
    let text = fs::read_to_string(directory().join("differences.md")).expect("the table exists");
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.filter(|row| !row.starts_with("SDK |"))
        .map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let [sdk, case, difference, reason] = cells[..] else {
                panic!("not four cells: {row}");
            };
            let key = (sdk.to_owned(), case.to_owned(), difference.to_owned());
            (key, reason.trim().to_owned())
        })
        .collect()
}

fn recording(name: &str) -> Recording {
    let path = directory().join(format!("{name}.json"));
    let text = fs::read_to_string(path).expect("the recording exists");
    serde_json::from_str(&text).expect("valid recording")
}

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launch/official")
}

/// Plans and opens a session on a host with this environment.
async fn ours(options: &Options, host: &BTreeMap<String, String>) -> Sent {
    let environment: HostEnvironment = host.iter().collect();
    let plan = Plan::new(options, "claude", &environment).expect("the options are valid");
    let mut sent = Sent {
        host: host.clone(),
        ..Sent::default()
    };
    for argument in &plan.launch.command.args {
        let argument = argument.to_str().expect("Unicode");
        sent.argv.push(match super::golden::private_file(argument) {
            Some((flag, text)) => {
                sent.private.insert(flag.to_owned());
                format!("{flag}={text}")
            }
            None => argument.to_owned(),
        });
    }
    let env = &plan.launch.command.env;
    for (name, value) in &env.set {
        let value = value.to_str().expect("Unicode");
        let value = value.replace(env!("CARGO_PKG_VERSION"), "<version>");
        let name = name.to_str().expect("Unicode").to_owned();
        if host.get(&name) != Some(&value) {
            sent.env.set.insert(name, value);
        }
    }
    let removed = env
        .remove
        .iter()
        .map(|name| name.to_str().expect("Unicode"));
    let removed = removed.filter(|name| host.contains_key(*name));
    sent.env.removed = removed.map(str::to_owned).collect();

    sent.stdin = first_lines(options).await;
    sent
}

/// Returns the `initialize` line and the line of the first prompt, with their ids replaced.
async fn first_lines(options: &Options) -> Vec<String> {
    let (host_reader, mut cli_writer) = tokio::io::duplex(1 << 16);
    let (cli_reader, host_writer) = tokio::io::duplex(1 << 16);
    let host = async {
        let messages = query("Hello")
            .options(options.clone())
            .transport(duplex(host_reader, host_writer));
        messages.await.expect("the CLI accepts").text().await
    };
    let cli = async move {
        let mut lines = BufReader::new(cli_reader).lines();
        let mut next = async || lines.next_line().await.expect("readable").expect("a line");
        let mut send = async |line: Value| {
            let line = format!("{line}\n");
            cli_writer.write_all(line.as_bytes()).await.expect("open");
        };
        let initialize = next().await;
        let id = object(&initialize)["request_id"].clone();
        send(json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": {}}})).await;
        let prompt = next().await;
        let uuid = object(&prompt)["uuid"].clone();
        send(json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "Done.", "duration_ms": 1,
            "duration_api_ms": 1, "num_turns": 1, "session_id": "s", "total_cost_usd": 0.0, "usage": {}, "uuid": "r"
        }))
        .await;
        let replaced = |line: String, id: Value| line.replace(&id.to_string(), "\"<id>\"");
        vec![replaced(initialize, id), replaced(prompt, uuid)]
    };
    let (answer, lines) = tokio::join!(host, cli);
    answer.expect("the CLI answers");
    lines
}

fn normalized(theirs: &Sent, version: &str) -> Sent {
    let mut theirs = theirs.clone();
    for value in theirs.env.set.values_mut() {
        *value = value.replace(version, "<version>");
    }
    theirs
}

fn differences(ours: &Sent, theirs: &Sent) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    compare_arguments(ours, theirs, &mut found);
    let removed = |sent: &Sent, name: &String| match sent.env.removed.contains(name) {
        true => Some("removed".to_owned()),
        false => sent.env.set.get(name).map(|value| format!("`{value}`")),
    };
    let names = |sent: &Sent| {
        let set = sent.env.set.keys().cloned();
        set.chain(sent.env.removed.clone()).collect::<Vec<_>>()
    };
    for name in names(ours).iter().chain(&names(theirs)) {
        let (ours, theirs) = (removed(ours, name), removed(theirs, name));
        if ours != theirs {
            let [ours, theirs] =
                [ours, theirs].map(|value| value.unwrap_or_else(|| "inherited".to_owned()));
            found.insert(format!("env `{name}`: ours {ours}, theirs {theirs}"));
        }
    }
    for (at, what) in ["initialize", "prompt"].into_iter().enumerate() {
        let [ours, theirs] = [ours, theirs].map(|sent| sent.stdin[at].as_str());
        compare_objects(what, ours, theirs, &mut found);
    }
    found
}

fn object(line: &str) -> Map<String, Value> {
    serde_json::from_str(line).expect("a JSON object")
}

/// Compares the texts of two objects, and of the requests in them.
fn compare_objects(what: &str, ours: &str, theirs: &str, found: &mut BTreeSet<String>) {
    assert_eq!(compact(ours), ours, "no whitespace between tokens");
    if compact(theirs) != theirs {
        found.insert(format!("{what}: theirs has whitespace between tokens"));
    }
    let [ours, theirs] = [ours, theirs].map(|text| members(&compact(text)));
    let shared = |members: &Members, others: &Members| {
        let names = members.iter().map(|(name, _)| name.clone());
        names
            .filter(|name| others.iter().any(|(other, _)| other == name))
            .collect::<Vec<_>>()
    };
    if shared(&ours, &theirs) != shared(&theirs, &ours) {
        found.insert(format!("{what}: order of the members"));
    }
    for (name, _) in ours.iter().chain(&theirs) {
        let [ours, theirs] = [&ours, &theirs].map(|members| {
            let member = members.iter().find(|(other, _)| other == name);
            member.map(|(_, text)| text.as_str())
        });
        match (ours, theirs) {
            (Some(ours), Some(theirs)) if ours == theirs => {}
            (Some(ours), Some(theirs)) if name == "request" => {
                compare_objects(what, ours, theirs, found);
            }
            (Some(ours), Some(theirs)) if value(ours) == value(theirs) => {
                found.insert(format!("{what} `{name}`: order of the members"));
            }
            _ => {
                let [ours, theirs] = [ours, theirs].map(|text| match text {
                    Some(text) => format!("`{text}`"),
                    None => "absent".to_owned(),
                });
                found.insert(format!("{what} `{name}`: ours {ours}, theirs {theirs}"));
            }
        }
    }
}

/// The members of an object in their order, with the texts of their values.
type Members = Vec<(String, String)>;

fn members(object: &str) -> Members {
    struct InOrder;
    impl<'de> Visitor<'de> for InOrder {
        type Value = Members;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
            let mut members = Members::new();
            while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                members.push((name, value.get().to_owned()));
            }
            Ok(members)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(object);
    reader.deserialize_map(InOrder).expect("a JSON object")
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("valid JSON")
}

/// Removes the whitespace between the tokens of a JSON text.
fn compact(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    text.chars()
        .filter(|&letter| {
            let keep = in_string || !letter.is_ascii_whitespace();
            in_string ^= letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            keep
        })
        .collect()
}

fn compare_arguments(ours: &Sent, theirs: &Sent, found: &mut BTreeSet<String>) {
    let (our_flags, our_values_apart) = flags(&ours.argv);
    let (their_flags, their_values_apart) = flags(&theirs.argv);
    assert!(!our_values_apart, "{:?}", ours.argv);
    if their_values_apart {
        found.insert("argv: theirs has values in separate arguments".to_owned());
    }
    let names: BTreeSet<&String> = our_flags
        .iter()
        .chain(&their_flags)
        .map(|(flag, _)| flag)
        .collect();
    for flag in names {
        let [our_values, their_values] = [&our_flags, &their_flags].map(|flags| {
            let values = flags.iter().filter(|(other, _)| other == flag);
            values
                .map(|(_, value)| value.as_deref())
                .collect::<Vec<_>>()
        });
        match (&our_values[..], &their_values[..]) {
            (ours, theirs) if ours == theirs => {}
            ([Some(ours)], [Some(theirs)]) if is_same_object(ours, theirs) => {
                compare_objects(&format!("argv `{flag}`"), ours, theirs, found);
            }
            (ours, theirs) => {
                let [ours, theirs] = [ours, theirs].map(show);
                found.insert(format!("argv `{flag}`: ours {ours}, theirs {theirs}"));
                continue;
            }
        }
        if ours.private.contains(flag) {
            found.insert(format!("argv `{flag}`: ours in a private file"));
        }
    }
    let order = |flags: &Flags, others: &Flags| {
        let names = flags.iter().map(|(flag, _)| flag.clone());
        let mut shared: Vec<String> = names
            .filter(|flag| others.iter().any(|(other, _)| other == flag))
            .collect();
        shared.dedup();
        shared
    };
    if order(&our_flags, &their_flags) != order(&their_flags, &our_flags) {
        found.insert("argv: order of the flags".to_owned());
    }
}

fn is_same_object(ours: &str, theirs: &str) -> bool {
    let [ours, theirs] = [ours, theirs].map(serde_json::from_str::<Map<String, Value>>);
    matches!((ours, theirs), (Ok(ours), Ok(theirs)) if ours == theirs)
}

fn show(values: &[Option<&str>]) -> String {
    if values.is_empty() {
        return "absent".to_owned();
    }
    let shown = values.iter().map(|value| match value {
        None => "set".to_owned(),
        Some(text) => format!("`{text}`"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// The flags of a command line in their order. A switch has no value.
type Flags = Vec<(String, Option<String>)>;

/// Splits arguments into flags and values, and returns whether a value is a separate argument.
fn flags(argv: &[String]) -> (Flags, bool) {
    let mut flags = Flags::new();
    let mut apart = false;
    for argument in argv {
        match argument.strip_prefix("--") {
            Some(_) => flags.push(match argument.split_once('=') {
                Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
                None => (argument.clone(), None),
            }),
            None => {
                apart = true;
                flags.last_mut().expect("a flag comes first").1 = Some(argument.clone());
            }
        }
    }
    (flags, apart)
}
