//! Compares plans with what the official SDKs send to the CLI for the same options.
//!
//! `official/typescript.json` and `official/python.json` are recordings by
//! `cargo xtask record-official`. `official/differences.md` lists every difference with its reason.
//! A difference that is not listed fails the test, and so does a listed one that no longer occurs.
//!
//! JSON is compared as a value, without the order of members and whitespace.

mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use inhouse::launch::{HostEnvironment, Plan};
use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use serde::Deserialize;
use serde_json::{Map, Value};

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
            for difference in differences(&ours, &normalised(theirs, &recording.version)) {
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

    let (transport, mut cli) = FakeCli::new();
    let session = async {
        let messages = query("Hello").options(options.clone()).transport(transport);
        messages.await.expect("the fake accepts").text().await
    };
    let part = async move {
        let initialize = cli.accept().await;
        let prompt = cli.expect_prompt().await;
        let mut line = prompt.line().clone();
        line["uuid"] = "<id>".into();
        cli.turn("Done.").await;
        [
            serde_json::json!({"request": initialize}).to_string(),
            line.to_string(),
        ]
    };
    let (answer, lines) = tokio::join!(session, part);
    answer.expect("the fake answers");
    sent.stdin = lines.into();
    sent
}

fn normalised(theirs: &Sent, version: &str) -> Sent {
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
    let [our_first, their_first] = [ours, theirs].map(|sent| member(&sent.stdin[0], "request"));
    compare_members("initialize", &our_first, &their_first, &mut found);
    let [ours, theirs] = [ours, theirs].map(|sent| object(&sent.stdin[1]));
    compare_members("prompt", &ours, &theirs, &mut found);
    found
}

fn object(line: &str) -> Map<String, Value> {
    serde_json::from_str(line).expect("a JSON object")
}

fn member(line: &str, name: &str) -> Map<String, Value> {
    let mut line = object(line);
    let member = line.remove(name).expect("the member exists");
    serde_json::from_value(member).expect("a JSON object")
}

fn compare_members(
    what: &str,
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    found: &mut BTreeSet<String>,
) {
    for name in ours.keys().chain(theirs.keys()) {
        if ours.get(name) != theirs.get(name) {
            let [ours, theirs] = [ours, theirs].map(|members| match members.get(name) {
                Some(value) => format!("`{value}`"),
                None => "absent".to_owned(),
            });
            found.insert(format!("{what} `{name}`: ours {ours}, theirs {theirs}"));
        }
    }
}

fn compare_arguments(ours: &Sent, theirs: &Sent, found: &mut BTreeSet<String>) {
    let (our_flags, our_values_apart) = flags(&ours.argv);
    let (their_flags, their_values_apart) = flags(&theirs.argv);
    assert!(!our_values_apart, "{:?}", ours.argv);
    if their_values_apart {
        found.insert("argv: theirs has values in separate arguments".to_owned());
    }
    for (flag, values) in by_flag(&our_flags).iter().chain(&by_flag(&their_flags)) {
        let empty = Vec::new();
        let (our_values, their_values) = (by_flag(&our_flags), by_flag(&their_flags));
        let our_values = our_values.get(flag).unwrap_or(&empty);
        let their_values = their_values.get(flag).unwrap_or(&empty);
        if our_values != their_values {
            let [ours, theirs] = [our_values, their_values].map(|values| show(values));
            found.insert(format!("argv `{flag}`: ours {ours}, theirs {theirs}"));
        } else if ours.private.contains(flag) && !values.is_empty() {
            found.insert(format!("argv `{flag}`: ours in a private file"));
        }
    }
    let order = |flags: &[(String, Value)], others: &[(String, Value)]| {
        let names = flags.iter().map(|(flag, _)| flag.clone());
        names
            .filter(|flag| others.iter().any(|(other, _)| other == flag))
            .collect::<Vec<_>>()
    };
    let [mut our_order, mut their_order] = [
        order(&our_flags, &their_flags),
        order(&their_flags, &our_flags),
    ];
    our_order.dedup();
    their_order.dedup();
    if our_order != their_order {
        found.insert("argv: order of the flags".to_owned());
    }
}

fn show(values: &[Value]) -> String {
    if values.is_empty() {
        return "absent".to_owned();
    }
    let shown = values.iter().map(|value| match value {
        Value::Null => "set".to_owned(),
        Value::String(text) => format!("`{text}`"),
        value => format!("`{value}`"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn by_flag(flags: &[(String, Value)]) -> BTreeMap<String, Vec<Value>> {
    let mut grouped: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (flag, value) in flags {
        grouped.entry(flag.clone()).or_default().push(value.clone());
    }
    grouped
}

/// Splits arguments into flags and values, and returns whether a value is a separate argument.
///
/// A switch has the value null, and the text of a JSON object is that object.
fn flags(argv: &[String]) -> (Vec<(String, Value)>, bool) {
    let mut flags: Vec<(String, Value)> = Vec::new();
    let mut apart = false;
    for argument in argv {
        match argument.strip_prefix("--") {
            Some(_) => match argument.split_once('=') {
                Some((flag, value)) => flags.push((flag.to_owned(), parse(value))),
                None => flags.push((argument.clone(), Value::Null)),
            },
            None => {
                apart = true;
                flags.last_mut().expect("a flag comes first").1 = parse(argument);
            }
        }
    }
    (flags, apart)
}

fn parse(value: &str) -> Value {
    match serde_json::from_str(value) {
        Ok(object @ Value::Object(_)) => object,
        _ => Value::String(value.to_owned()),
    }
}
