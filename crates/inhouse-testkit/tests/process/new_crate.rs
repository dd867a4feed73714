//! The snippet of the README in a crate outside of the workspace.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// Longer than a build of all dependencies on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(1800);

/// Returns the code block of the README in this language.
fn block(language: &str) -> &'static str {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[tokio::test]
async fn snippet_of_the_readme_is_a_test_of_a_new_crate() {
    let directory = tempfile::tempdir().unwrap();
    let package = directory.path();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let dependencies = block("toml").lines().map(|line| {
        let git = r#"git = "https://github.com/inhouse-rs/inhouse""#;
        let name = line.split_whitespace().next().unwrap_or_default();
        line.replace(git, &format!("path = {:?}", crates.join(name))) + "\n"
    });
    let manifest = "[package]\nname = \"my-agent\"\nedition = \"2024\"\n\n".to_owned()
        + &dependencies.collect::<String>();
    assert_eq!(manifest.matches("path = ").count(), 2, "{manifest}");
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The versions of the workspace, which are on this machine.
    fs::copy(crates.join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    for (file, text) in [("src/lib.rs", ""), ("tests/agent.rs", block("rust"))] {
        fs::create_dir_all(package.join(file).parent().unwrap()).unwrap();
        fs::write(package.join(file), text).unwrap();
    }

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "--offline", "--test", "agent"])
        // Like the workspace, whose build of other crates is used then.
        .args(["--config", "profile.dev.debug='line-tables-only'"])
        .args(["--config", "profile.dev.package.'*'.debug=false"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(DEADLINE, cargo.output()).await;
    let output = output.expect("the build ends").unwrap();
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(
        stdout.contains("agent_looks_at_the_clock ... ok"),
        "{stdout}"
    );
}
