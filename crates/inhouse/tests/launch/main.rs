//! What `Options` become: arguments, environment and the first request.

mod cases;
mod conflicts;
mod environment;
mod golden;
mod large;
mod official;
mod official_names;
mod program;
mod rules;
mod secrets;
mod values;

use inhouse::Options;
use inhouse::error::{Error, ErrorKind};
use inhouse::launch::{HostEnvironment, Launch};

/// Plans with a CLI called `claude`, on a host without any environment.
fn plan(options: &Options) -> Launch {
    plan_on(options, &HostEnvironment::default())
}

fn plan_on(options: &Options, host: &HostEnvironment) -> Launch {
    Launch::plan(options, "claude", host).expect("these options can be meant")
}

/// The error of options that cannot be meant.
fn refusal(options: &Options) -> Error {
    let error = Launch::plan(options, "claude", &HostEnvironment::default())
        .expect_err("these options cannot be meant");
    assert_eq!(error.kind(), ErrorKind::Config);
    error
}

/// The arguments as text.
fn arguments(launch: &Launch) -> Vec<String> {
    let text = |argument: &std::ffi::OsString| argument.to_str().expect("Unicode").to_owned();
    launch.command.args.iter().map(text).collect()
}
