//! Recordings of the real CLI and of the official SDKs, which tests compare with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::command::{cargo, output, run};
use crate::workspace::Workspace;

/// The fixtures of inhouse-proto, one directory for each version of the CLI.
const FIXTURES: &str = "crates/inhouse-proto/fixtures";

const TYPESCRIPT_VERSION: &str = "0.3.325";
const PYTHON_VERSION: &str = "0.2.182";
const NODE_VERSION: &str = "22";

/// The scripts that record the official SDKs, and their recordings.
const OFFICIAL: &str = "crates/inhouse/tests/launch/official";

/// The complete environment of a recorded SDK.
const HOST: [(&str, &str); 3] = [
    ("HOME", "/srv/home"),
    ("LC_ALL", "C.UTF-8"),
    ("PATH", "/usr/bin:/bin"),
];

/// Records the fixtures of these scenarios, or of all.
pub(crate) fn fixtures(workspace: &Workspace, scenarios: &[String]) -> Result<bool> {
    let mut command = cargo(
        workspace.root(),
        ["run", "--quiet", "--package=inhouse-testkit"],
    );
    run(command
        .args(["--bin=record", "--", FIXTURES])
        .args(scenarios))?;
    Ok(true)
}

/// Installs both official SDKs below `target/official` and records them.
pub(crate) fn official_sdks(workspace: &Workspace) -> Result<bool> {
    let official = workspace.root().join(OFFICIAL);
    let home = workspace.root().join("target/official");
    fs::create_dir_all(&home)?;
    let cli = fake_cli(&official, &home)?;

    let records = record(&python(&home)?, &official.join("record.py"), &cli)?;
    write(&official.join("python.json"), PYTHON_VERSION, records)?;

    let sdk = home.join(format!("typescript-{TYPESCRIPT_VERSION}"));
    let node = typescript(&sdk)?;
    // Node looks for packages beside the script.
    let script = sdk.join("record.mjs");
    fs::copy(official.join("record.mjs"), &script).context("record.mjs")?;
    let records = record(&node, &script, &cli)?;
    write(
        &official.join("typescript.json"),
        TYPESCRIPT_VERSION,
        records,
    )?;
    Ok(true)
}

/// The record of one case, as a script writes it.
#[derive(Deserialize)]
struct Record {
    base: BTreeMap<String, String>,
    argv: Vec<String>,
    env: BTreeMap<String, String>,
    stdin: Vec<String>,
}

/// Writes the script that replaces the CLI as an executable file.
fn fake_cli(official: &Path, home: &Path) -> Result<PathBuf> {
    let mut python = Command::new("python3");
    let interpreter = output(python.args(["-c", "import sys; print(sys.executable)"]))?;
    let text = fs::read_to_string(official.join("stand_in.py")).context("stand_in.py")?;
    let program = home.join("claude");
    fs::write(&program, format!("#!{}\n{text}", interpreter.trim()))?;
    output(Command::new("chmod").arg("+x").arg(&program))?;
    Ok(program)
}

/// Installs the TypeScript SDK and returns the path of Node.
fn typescript(home: &Path) -> Result<PathBuf> {
    let node = home.join("node_modules/.bin/node");
    if !node.exists() {
        let sdk = format!("@anthropic-ai/claude-agent-sdk@{TYPESCRIPT_VERSION}");
        let mut npm = Command::new("npm");
        // The optional packages are the CLI, which a script replaces.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .args([sdk, format!("node@{NODE_VERSION}")])
            .arg("--prefix")
            .arg(home);
        output(&mut npm)?;
    }
    Ok(node)
}

/// Installs the Python SDK and returns the path of its interpreter.
fn python(home: &Path) -> Result<PathBuf> {
    let venv = home.join(format!("python-{PYTHON_VERSION}"));
    let interpreter = venv.join("bin/python");
    if !interpreter.exists() {
        output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let sdk = format!("claude-agent-sdk=={PYTHON_VERSION}");
    output(Command::new(&interpreter).args(["-m", "pip", "install", "--quiet", &sdk]))?;
    Ok(interpreter)
}

fn record(interpreter: &Path, script: &Path, cli: &Path) -> Result<BTreeMap<String, Record>> {
    let recorded = cli.with_file_name("recorded.json");
    let mut command = Command::new(interpreter);
    command
        .arg(script)
        .args([cli, &recorded])
        .env_clear()
        .envs(HOST);
    output(&mut command)?;
    Ok(serde_json::from_str(&fs::read_to_string(&recorded)?)?)
}

/// Writes a recording, with changes to the environment instead of the whole environment.
fn write(path: &Path, version: &str, records: BTreeMap<String, Record>) -> Result<()> {
    let cases: BTreeMap<String, Value> = records
        .into_iter()
        .map(|(name, record)| (name, normalized(&record)))
        .collect();
    let recording = json!({"version": version, "cases": cases});
    fs::write(path, format!("{recording:#}\n")).with_context(|| path.display().to_string())
}

fn normalized(record: &Record) -> Value {
    let Record {
        base,
        argv,
        env,
        stdin,
    } = record;
    let set: BTreeMap<&String, &String> = env
        .iter()
        .filter(|(name, value)| base.get(*name) != Some(value))
        .collect();
    let removed: Vec<&String> = base
        .keys()
        .filter(|name| !env.contains_key(*name))
        .collect();
    let stdin: Vec<String> = stdin.iter().take(2).map(|line| without_id(line)).collect();
    json!({
        "host": base,
        "argv": argv,
        "env": {"set": set, "removed": removed},
        "stdin": stdin,
    })
}

/// Replaces the id of a request, which is random.
fn without_id(line: &str) -> String {
    let message: Value = serde_json::from_str(line).unwrap_or_default();
    match message["request_id"].as_str() {
        Some(id) => line.replace(id, "<id>"),
        None => line.to_owned(),
    }
}
