#![cfg(unix)]

use std::fs;
use std::process::Output;

use serde_json::Value;

use super::npm::PlantedNpm;

/// Returns the package of a CLI for this machine.
fn package(npm: &PlantedNpm) -> String {
    // The name depends on the platform; the error about a version that does not exist has it.
    let output = npm.inhouse(&["install", "--version", "0.0.0"]);
    let error = refused(&output);
    let (_, rest) = error.split_once("does not have ").expect(&error);
    rest.split_once("@0.0.0").expect(rest).0.to_owned()
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(error.contains("was not installed"), "{error}");
    error
}

fn report(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn cli_is_installed_once_in_the_cache_and_again_in_a_directory() {
    let npm = PlantedNpm::new();
    npm.publish(&package(&npm), "9.9.9", &[("claude", "the CLI")]);
    let cached = npm.root().join(".cache/inhouse-testkit/9.9.9/claude");
    let install = ["install", "--version", "9.9.9", "--json"];
    let first = report(&npm.inhouse(&install));
    assert_eq!(first["path"], cached.to_str().unwrap());
    assert_eq!(first["downloaded"], true);
    assert_eq!(first["pinned"], false);
    assert!(first["integrity"].as_str().unwrap().starts_with("sha512-"));
    assert_eq!(fs::read_to_string(&cached).unwrap(), "the CLI");
    assert_eq!(report(&npm.inhouse(&install))["downloaded"], false);

    let output = npm.inhouse(&["install", "--version", "9.9.9", "--to", "bin"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let program = npm.root().join("bin/claude");
    assert!(text.starts_with(program.to_str().unwrap()), "{text}");
    assert!(text.contains("the hash that the registry names"), "{text}");
    assert_eq!(fs::read_to_string(&program).unwrap(), "the CLI");
}

#[test]
fn package_with_another_hash_is_not_installed() {
    let npm = PlantedNpm::new();
    let package = package(&npm);
    npm.publish(&package, "9.9.9", &[("claude", "the CLI")]);
    npm.claim_hash(&package, "9.9.9", "sha512-AAAA");
    let error = refused(&npm.inhouse(&["install", "--version", "9.9.9", "--to", "here"]));
    assert!(error.contains("instead of sha512-AAAA"), "{error}");
    assert!(!npm.root().join("here/claude").exists());
}

#[test]
fn pinned_version_must_have_the_pinned_hash() {
    let npm = PlantedNpm::new();
    let sdk = package(&npm).replace("claude-code", "claude-agent-sdk");
    npm.publish(&sdk, "0.3.325", &[("claude", "not the CLI")]);
    let error = refused(&npm.inhouse(&["install", "--to", "here"]));
    assert!(error.contains("instead of sha512-"), "{error}");
    assert!(error.contains("npm cache verify"), "{error}");
    assert!(!npm.root().join("here/claude").exists());
}

#[test]
fn failures_of_npm_say_what_to_do() {
    let npm = PlantedNpm::new();
    let install = ["install"];
    npm.acts("echo 'npm error code ENOTFOUND' >&2; exit 1");
    let error = refused(&npm.inhouse(&install));
    assert!(error.contains("check the network"), "{error}");
    npm.acts("echo 'npm error code ETARGET' >&2; exit 1");
    let error = refused(&npm.inhouse(&install));
    assert!(error.contains("the registry does not have"), "{error}");
    npm.acts("echo 'disk quota exceeded' >&2; exit 9");
    let error = refused(&npm.inhouse(&install));
    assert!(error.contains("disk quota exceeded"), "{error}");
    npm.uninstall();
    let error = refused(&npm.inhouse(&install));
    assert!(error.contains("install Node 18"), "{error}");
}
