use inhouse::Options;
use inhouse::error::ErrorKind;
use inhouse::launch::Launch;

/// A path on which there is nothing.
const NOWHERE: &str = "/nowhere/claude";

#[test]
fn a_cli_that_is_not_there_is_an_error() {
    let error = Launch::new(&Options::new().cli_path(NOWHERE)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
}

#[test]
fn a_mistake_in_the_options_is_reported_before_a_missing_cli() {
    let error = Launch::new(&Options::new().cli_path(NOWHERE).max_turns(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

/// The CLI of a container is not on this machine.
#[test]
fn a_wrapped_cli_is_not_looked_for() {
    let wrapped = Options::new().wrap_command(|cli| cli);
    let launch = Launch::new(&wrapped.clone().cli_path(NOWHERE)).unwrap();
    assert_eq!(launch.command.program, NOWHERE);
    let launch = Launch::new(&wrapped).unwrap();
    assert_eq!(launch.command.program, "claude");
}

/// The `PATH` that the CLI gets is also the one it is looked for on.
#[cfg(unix)]
#[test]
fn the_search_path_of_the_options_counts() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let cli = directory.path().join("claude");
    std::fs::write(&cli, "").unwrap();
    std::fs::set_permissions(&cli, Permissions::from_mode(0o700)).unwrap();
    let options = Options::new().clean_env().env("PATH", directory.path());
    assert_eq!(
        Launch::new(&options).unwrap().command.program,
        cli.as_os_str()
    );
}
