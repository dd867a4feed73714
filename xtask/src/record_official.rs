//! Records what the official SDKs send to the CLI, for the comparison in the launch tests of `inhouse`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::workspace::Workspace;

const TYPESCRIPT_VERSION: &str = "0.3.325";
const PYTHON_VERSION: &str = "0.2.182";
const NODE_VERSION: &str = "22";

/// The scripts that record, and the recordings.
const OFFICIAL: &str = "crates/inhouse/tests/launch/official";

/// The environment of the recording SDK: complete, and with nothing of the machine.
const HOST: [(&str, &str); 3] = [
    ("HOME", "/srv/home"),
    ("LC_ALL", "C.UTF-8"),
    ("PATH", "/usr/bin:/bin"),
];

/// What a script writes for one case.
#[derive(Deserialize)]
struct Record {
    base: BTreeMap<String, String>,
    argv: Vec<String>,
    env: BTreeMap<String, String>,
    stdin: Vec<String>,
}

/// Installs both SDKs below `target/official` and records them.
pub(crate) fn run(workspace: &Workspace) -> Result<bool, String> {
    let official = workspace.root().join(OFFICIAL);
    let home = workspace.root().join("target/official");
    fs::create_dir_all(&home).map_err(|cause| format!("{}: {cause}", home.display()))?;
    let stand_in = stand_in(&official, &home)?;

    let script = official.join("record.py");
    let records = record(&python(&home)?, &script, &stand_in)?;
    write(&official.join("python.json"), PYTHON_VERSION, records)?;

    let sdk = home.join(format!("typescript-{TYPESCRIPT_VERSION}"));
    let node = typescript(&sdk)?;
    // Node looks for packages beside the script.
    let script = sdk.join("record.mjs");
    copy(&official.join("record.mjs"), &script)?;
    let records = record(&node, &script, &stand_in)?;
    write(
        &official.join("typescript.json"),
        TYPESCRIPT_VERSION,
        records,
    )?;
    Ok(true)
}

/// Makes a program of the script that stands in for the CLI.
fn stand_in(official: &Path, home: &Path) -> Result<PathBuf, String> {
    let mut python = Command::new("python3");
    let interpreter = output(python.args(["-c", "import sys; print(sys.executable)"]))?;
    let source = official.join("stand_in.py");
    let text =
        fs::read_to_string(&source).map_err(|cause| format!("{}: {cause}", source.display()))?;
    let program = home.join("claude");
    fs::write(&program, format!("#!{}\n{text}", interpreter.trim()))
        .map_err(|cause| format!("{}: {cause}", program.display()))?;
    output(Command::new("chmod").arg("+x").arg(&program))?;
    Ok(program)
}

/// Installs the TypeScript SDK and returns the path of Node.
fn typescript(home: &Path) -> Result<PathBuf, String> {
    let node = home.join("node_modules/.bin/node");
    if !node.exists() {
        let sdk = format!("@anthropic-ai/claude-agent-sdk@{TYPESCRIPT_VERSION}");
        let mut npm = Command::new("npm");
        // The optional packages are the CLI itself, for which a script stands in.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .args([sdk, format!("node@{NODE_VERSION}")])
            .arg("--prefix")
            .arg(home);
        output(&mut npm)?;
    }
    Ok(node)
}

/// Installs the Python SDK and returns the path of its interpreter.
fn python(home: &Path) -> Result<PathBuf, String> {
    let venv = home.join(format!("python-{PYTHON_VERSION}"));
    let interpreter = venv.join("bin/python");
    if !interpreter.exists() {
        output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let sdk = format!("claude-agent-sdk=={PYTHON_VERSION}");
    output(Command::new(&interpreter).args(["-m", "pip", "install", "--quiet", &sdk]))?;
    Ok(interpreter)
}

fn record(
    interpreter: &Path,
    script: &Path,
    stand_in: &Path,
) -> Result<BTreeMap<String, Record>, String> {
    let recorded = stand_in.with_file_name("recorded.json");
    let mut command = Command::new(interpreter);
    command
        .arg(script)
        .args([stand_in, &recorded])
        .env_clear()
        .envs(HOST);
    output(&mut command)?;
    let text = fs::read_to_string(&recorded).map_err(|cause| cause.to_string())?;
    serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", recorded.display()))
}

/// Writes a recording, with changes to the environment in place of the environment itself.
fn write(path: &Path, version: &str, records: BTreeMap<String, Record>) -> Result<(), String> {
    let cases: BTreeMap<String, Value> = records
        .into_iter()
        .map(|(name, record)| (name, normalised(record)))
        .collect();
    let recording = json!({"version": version, "cases": cases});
    fs::write(path, format!("{recording:#}\n"))
        .map_err(|cause| format!("{}: {cause}", path.display()))
}

fn normalised(record: Record) -> Value {
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

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map_err(|cause| format!("{}: {cause}", from.display()))?;
    Ok(())
}

fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| format!("{program}: {cause}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = complaint.lines().next_back().unwrap_or_default();
        return Err(format!("{program} ended with {}: {last}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|cause| format!("{program}: {cause}"))
}
