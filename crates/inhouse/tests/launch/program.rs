use inhouse::Options;
use inhouse::error::ErrorKind;
use inhouse::launch::Plan;

/// A path that does not exist.
const NOWHERE: &str = "/nowhere/claude";

#[test]
fn missing_cli_is_an_error() {
    let error = Plan::locate(&Options::new().cli_path(NOWHERE)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
}

#[test]
fn invalid_options_are_reported_before_a_missing_cli() {
    let error = Plan::locate(&Options::new().cli_path(NOWHERE).max_turns(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

/// A wrapped CLI may be in a container.
#[test]
fn wrapped_cli_is_not_searched_for() {
    let wrapped = Options::new().wrap_command(|cli| cli);
    let plan = Plan::locate(&wrapped.clone().cli_path(NOWHERE)).unwrap();
    assert_eq!(plan.launch.command.program, NOWHERE);
    let plan = Plan::locate(&wrapped).unwrap();
    assert_eq!(plan.launch.command.program, "claude");
}

/// The CLI is searched for in the `PATH` that it gets.
#[cfg(unix)]
#[test]
fn path_variable_of_the_options_is_searched() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let cli = directory.path().join("claude");
    std::fs::write(&cli, "").unwrap();
    std::fs::set_permissions(&cli, Permissions::from_mode(0o700)).unwrap();
    let options = Options::new().clean_env().env("PATH", directory.path());
    assert_eq!(
        Plan::locate(&options).unwrap().launch.command.program,
        cli.as_os_str()
    );
}
