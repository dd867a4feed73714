//! Translation of `Options` into arguments, environment and `initialize`.

mod cases;

mod config_file;
mod environment;
mod golden;
mod invalid;
mod large;
mod official;
mod official_names;
mod program;
mod rules;
mod secrets;
mod values;

use inhouse::Options;
use inhouse::error::{Error, ErrorKind};
use inhouse::launch::{HostEnvironment, Plan};

/// Returns the plan for a CLI called `claude`, on a host without environment variables.
fn plan(options: &Options) -> Plan {
    plan_on(options, &HostEnvironment::default())
}

fn plan_on(options: &Options, host: &HostEnvironment) -> Plan {
    Plan::new(options, "claude", host).expect("valid options")
}

/// Returns the error for invalid options.
fn refusal(options: &Options) -> Error {
    let error =
        Plan::new(options, "claude", &HostEnvironment::default()).expect_err("invalid options");
    assert_eq!(error.kind(), ErrorKind::Config);
    error
}

/// Returns the arguments as text.
fn arguments(plan: &Plan) -> Vec<String> {
    let args = plan.launch.command.args.iter();
    args.map(|argument| argument.to_str().expect("Unicode").to_owned())
        .collect()
}
