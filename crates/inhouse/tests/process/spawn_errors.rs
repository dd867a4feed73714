use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use inhouse::launch::CommandLine;
use inhouse::{Client, ErrorKind, Options};
use tempfile::TempDir;
use tokio::runtime::Builder;

use crate::support::{open, shell};

async fn refused(command: CommandLine) -> (ErrorKind, String) {
    let error = open(command)
        .await
        .err()
        .expect("the CLI cannot be started");
    (error.kind(), error.to_string())
}

fn file(directory: &TempDir, content: &str, mode: u32) -> PathBuf {
    let path = directory.path().join("claude");
    fs::write(&path, content).unwrap();
    File::open(&path)
        .unwrap()
        .set_permissions(fs::Permissions::from_mode(mode))
        .unwrap();
    path
}

#[tokio::test]
async fn missing_program_is_not_found() {
    let (kind, text) = refused(CommandLine::new("/nowhere/claude")).await;
    assert_eq!(kind, ErrorKind::CliNotFound);
    assert!(text.contains("/nowhere/claude does not exist"), "{text}");
    assert!(text.contains("@anthropic-ai/claude-code"), "{text}");

    let (kind, text) = refused(CommandLine::new("no-such-program-anywhere")).await;
    assert_eq!(kind, ErrorKind::CliNotFound);
    assert!(text.contains("on the PATH"), "{text}");
}

#[tokio::test]
async fn missing_working_directory_is_not_a_missing_program() {
    let mut command = shell("true");
    command.cwd = Some("/nowhere/at/all".into());
    let (kind, text) = refused(command).await;
    assert_eq!(kind, ErrorKind::Config);
    assert!(
        text.contains("working directory /nowhere/at/all does not exist"),
        "{text}"
    );

    let mut command = shell("true");
    command.cwd = Some("/bin/sh".into());
    let (kind, text) = refused(command).await;
    assert_eq!(kind, ErrorKind::Config);
    assert!(text.contains("/bin/sh is not a directory"), "{text}");
}

#[tokio::test]
async fn file_without_execute_permission_is_not_missing() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "#!/bin/sh\n", 0o644);
    let (kind, text) = refused(CommandLine::new(path)).await;
    assert_eq!(kind, ErrorKind::Spawn);
    assert!(text.contains("must be executable"), "{text}");
}

#[tokio::test]
async fn missing_interpreter_is_not_a_missing_file() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "#!/nowhere/node\n", 0o755);
    let (kind, text) = refused(CommandLine::new(path)).await;
    assert_eq!(kind, ErrorKind::Spawn);
    assert!(
        text.contains("exists but the system could not start it"),
        "{text}"
    );
    assert!(text.contains("C library"), "{text}");
}

#[tokio::test]
async fn file_of_another_platform_is_reported_by_its_format() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "\u{1}\u{2}not a program", 0o755);
    let (kind, text) = refused(CommandLine::new(path)).await;
    assert_eq!(kind, ErrorKind::Spawn);
    assert!(text.contains("wrong architecture"), "{text}");
}

#[tokio::test]
async fn too_long_argument_is_reported() {
    let command = shell("true").args(["x".repeat(4 * 1024 * 1024)]);
    let (kind, text) = refused(command).await;
    assert_eq!(kind, ErrorKind::Spawn);
    assert!(text.contains("longer than the system allows"), "{text}");
}

#[tokio::test]
async fn source_of_a_spawn_error_is_the_io_error() {
    let error = open(CommandLine::new("/nowhere/claude"))
        .await
        .err()
        .unwrap();
    let source = std::error::Error::source(&error).unwrap();
    let source = source.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
}

/// Options whose CLI writes a file when it is started.
fn creating_file(file: &Path) -> Options {
    let command = shell(&format!("touch {}; exec cat", file.display()));
    Options::new().wrap_command(move |_| command.clone())
}

#[test]
fn runtime_without_io_is_refused_before_anything_is_started() {
    let directory = TempDir::new().unwrap();
    let trace = directory.path().join("started");
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let connected = runtime.block_on(Client::connect(creating_file(&trace)));
    let error = connected.expect_err("there is no I/O");
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("`enable_all`"), "{error}");
    assert!(!trace.exists());
}

#[test]
fn runtime_without_time_is_refused_before_anything_is_started() {
    let directory = TempDir::new().unwrap();
    let trace = directory.path().join("started");
    let runtime = Builder::new_current_thread().enable_io().build().unwrap();
    let connected = runtime.block_on(Client::connect(creating_file(&trace)));
    let error = connected.expect_err("there are no timers");
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("`enable_all`"), "{error}");
    assert!(!trace.exists());
}

#[test]
fn connecting_outside_of_a_runtime_is_a_config_error() {
    let mut connecting = pin!(Client::connect(creating_file(Path::new("/nowhere"))));
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(Err(error)) = connecting.as_mut().poll(&mut context) else {
        panic!("connecting does not fail at once");
    };
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("tokio runtime"), "{error}");
}
