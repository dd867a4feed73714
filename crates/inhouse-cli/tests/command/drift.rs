#![cfg(unix)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::npm::PlantedNpm;
use super::{inhouse, printed, refused};

const SDK: &str = "@anthropic-ai/claude-agent-sdk";

/// Declarations with one thing of each kind.
const DECLARATIONS: &str = "
export declare const BUILTIN_TOOL_NAMES: readonly ['Bake', 'Edit'];
export declare const HOOK_EVENTS: readonly ['Rise'];
declare type StdoutMessage = Cake | Oven | Envelope;
declare type Cake = { type: 'cake'; layers: Layer[]; icing?: 'sugar' | 'lemon'; };
declare type Layer = { height: number; filling: string | null; };
declare type Oven = { type: 'system'; subtype: 'oven'; degrees: number; };
declare type Envelope = { type: 'control_request'; request: SDKControlRequestInner; };
declare type SDKControlRequestInner = SDKControlPreheatRequest;
declare type SDKControlPreheatRequest = { subtype: 'preheat'; degrees: number; };
declare type SDKControlPreheatResponse = { minutes: number; };
declare type PermissionResult = { behavior: 'allow'; } | { behavior: 'deny'; message: string; };
declare type HookInput = RiseHookInput;
declare type RiseHookInput = { hook_event_name: 'Rise'; hours: number; };
declare type SyncHookJSONOutput = { continue?: boolean; hookSpecificOutput?: { hookEventName: 'Rise'; warm?: boolean; }; };
export declare type Options = { recipe?: string; onSmoke?: (smell: string) => void; };
";

const TOOLS: &str = "
export interface BakeInput { minutes: number; tins?: [string] | [string, string]; mode?: 'fan' | 'grill'; }
export interface FileEditInput { file_path: string; }
";

fn files<'a>(declarations: &'a str, tools: &'a str) -> [(&'static str, &'a str); 4] {
    [
        ("package.json", r#"{"version": "1.0.0"}"#),
        ("sdk.d.ts", declarations),
        ("sdk-tools.d.ts", tools),
        ("sdk.mjs", "args.push(\"--recipe\", recipe)"),
    ]
}

/// Writes the files of a package.
fn package(directory: &Path, declarations: &str, tools: &str) {
    fs::create_dir(directory).unwrap();
    for (name, text) in files(declarations, tools) {
        fs::write(directory.join(name), text).unwrap();
    }
}

/// Creates a directory with the package `old`, and with its surface in the file `old.json`.
fn with_old_package() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    package(&directory.path().join("old"), DECLARATIONS, TOOLS);
    printed(
        directory.path(),
        &["drift", "--package", "old", "--write-surface", "old.json"],
    );
    directory
}

/// Compares a package with the old one.
fn compare(declarations: &str, tools: &str) -> (bool, Value) {
    let directory = with_old_package();
    package(&directory.path().join("new"), declarations, tools);
    let arguments = [
        "drift",
        "--package",
        "new",
        "--against",
        "old.json",
        "--json",
    ];
    let output = inhouse(directory.path(), &arguments);
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.success(), report)
}

/// Returns the paths of differences with their areas.
fn paths(differences: &Value) -> Vec<String> {
    let differences = differences.as_array().unwrap().iter();
    let line = |it: &Value| {
        let text = |name: &str| it[name].as_str().unwrap().to_owned();
        format!("{} {} {}", text("change"), text("area"), text("path"))
    };
    differences.map(line).collect()
}

#[test]
fn same_package_has_no_difference() {
    let (passed, report) = compare(DECLARATIONS, TOOLS);
    assert!(passed, "{report}");
    assert_eq!(report["breaks"], json!([]));
    assert_eq!(report["news"], json!([]));
    assert_eq!(report["unchecked"], json!(["cli_flag", "variable"]));
}

#[test]
fn additions_are_news_and_no_break() {
    let declarations = DECLARATIONS
        .replace("'Bake', ", "'Bake', 'Frost', ")
        .replace("Cake | Oven", "Cake | Oven | Pie")
        .replace("'sugar' |", "'sugar' | 'cream' |")
        .replace("height: number;", "height: number; width?: number;")
        .replace("hours: number;", "hours: number; flour?: string;")
        .replace("recipe?: string;", "recipe?: string; oven?: string;")
        + "declare type Pie = { type: 'pie'; filling: string; };";
    let tools = TOOLS.replace("minutes: number;", "minutes: number; degrees?: number;");
    let (passed, report) = compare(&declarations, &tools);
    assert!(passed, "{report}");
    assert_eq!(
        paths(&report["news"]),
        [
            "added message cake.icing = 'cream'",
            "added message cake.layers[].width",
            "added message pie",
            "added hook_input Rise.flour",
            "added option oven",
            "added tool Bake.degrees",
            "added tool Frost",
        ]
    );
}

#[test]
fn removals_and_changed_types_are_breaks() {
    let declarations = DECLARATIONS
        .replace("'Bake', ", "")
        .replace("filling: string | null;", "filling: number;")
        .replace("| Oven ", "")
        .replace("minutes: number;", "minutes?: number;");
    let (passed, report) = compare(&declarations, TOOLS);
    assert!(!passed, "{report}");
    assert_eq!(
        paths(&report["breaks"]),
        [
            "changed message cake.layers[].filling",
            "gone message system/oven",
            "changed reply preheat.minutes",
            "gone tool Bake",
        ]
    );
    assert_eq!(report["breaks"][0]["was"], "null | string");
    assert_eq!(report["breaks"][0]["is"], "number");
}

#[test]
fn table_names_every_difference() {
    let directory = with_old_package();
    let declarations = DECLARATIONS.replace(
        "degrees: number; };\ndeclare type Envelope",
        "celsius: number; };\ndeclare type Envelope",
    );
    package(&directory.path().join("new"), &declarations, TOOLS);
    let arguments = ["drift", "--package", "new", "--against", "old.json"];
    let output = inhouse(directory.path(), &arguments);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = text.lines().map(words).collect();
    for expected in [
        "BREAK: gone message system/oven.degrees number",
        "new message system/oven.celsius number",
        "not examined: cli_flag, variable",
        "breaks: 1, other differences: 1, known and not modelled: 0",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}\nis not in\n{text}"
        );
    }
}

#[test]
fn newest_packages_are_downloaded_and_compared() {
    let npm = PlantedNpm::new();
    npm.publish(SDK, "1.0.0", &files(DECLARATIONS, TOOLS));
    let cli = format!("{SDK}-{}", inhouse_testkit::real::platform().unwrap());
    npm.publish(
        &cli,
        "1.0.0",
        &[(
            "claude",
            "env.CLAUDE_CODE_ENTRYPOINT env.CLAUDE_CODE_ENTRYPOINT",
        )],
    );
    let output = npm.inhouse(&["drift", "--write-surface", "old.json"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    npm.publish(SDK, "1.1.0", &files(DECLARATIONS, TOOLS));
    npm.publish(
        &cli,
        "1.1.0",
        &[("claude", "env.CLAUDE_MIXER env.CLAUDE_MIXER")],
    );
    let output = npm.inhouse(&["drift", "--against", "old.json", "--json"]);
    assert!(!output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        paths(&report["breaks"]),
        ["gone variable CLAUDE_CODE_ENTRYPOINT"]
    );
    assert_eq!(paths(&report["news"]), ["added variable CLAUDE_MIXER"]);

    let output = npm.inhouse(&["drift", "--version", "9.9.9", "--sdk-only"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("claude-agent-sdk@9.9.9 was not downloaded"),
        "{error}"
    );
    npm.claim_hash(SDK, "1.1.0", "sha512-AAAA");
    let output = npm.inhouse(&["drift", "--sdk-only"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("instead of sha512-AAAA"), "{error}");
}

#[test]
fn inputs_of_tools_are_written_as_rust() {
    let directory = with_old_package();
    let inputs = directory.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    let gone = "// Generated by `inhouse drift --write-tools` from an earlier version\n";
    fs::write(inputs.join("gone.rs"), gone).unwrap();
    fs::write(inputs.join("mine.rs"), "// My own\n").unwrap();
    let arguments = ["drift", "--package", "old", "--write-tools", "inputs"];
    printed(directory.path(), &arguments);
    let bake = fs::read_to_string(inputs.join("bake.rs")).unwrap();
    assert!(bake.contains("pub tins: Option<Vec<String>>,"), "{bake}");
    assert!(bake.contains("pub mode: Option<BakeInputMode>,"), "{bake}");
    let edit = fs::read_to_string(inputs.join("edit.rs")).unwrap();
    assert!(
        edit.contains("const TOOL: &'static str = \"Edit\";"),
        "{edit}"
    );
    assert!(!inputs.join("gone.rs").exists() && inputs.join("mine.rs").exists());
}

#[test]
fn errors_say_what_is_missing() {
    let directory = with_old_package();
    fs::create_dir(directory.path().join("empty")).unwrap();
    for (arguments, expected) in [
        (
            &["drift", "--package", "empty"][..],
            "no package has a file package.json",
        ),
        (
            &["drift", "--package", "old", "--run"],
            "no package has a CLI to run",
        ),
        (
            &["drift", "--package", "old", "--against", "no.json"],
            "cannot read no.json",
        ),
        (
            &["drift", "--package", "old", "--version", "1"],
            "cannot be used with",
        ),
    ] {
        let error = refused(directory.path(), arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    package(&directory.path().join("other"), "export type A = B;", TOOLS);
    let error = refused(directory.path(), &["drift", "--package", "other"]);
    assert!(
        error.contains("sdk.d.ts has no type `StdoutMessage`"),
        "{error}"
    );
}
