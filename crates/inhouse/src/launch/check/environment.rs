use std::ffi::OsStr;

use super::Problems;
use crate::options::Options;

/// The process and the names in its environment.
pub(super) fn check(options: &Options, problems: &mut Problems) {
    let environment = &options.environment;
    for name in environment.set.keys().chain(&environment.removed) {
        let bytes = name.as_encoded_bytes();
        let flaw = if bytes.is_empty() {
            "is empty"
        } else if bytes.contains(&b'=') {
            "contains `=`"
        } else if bytes.contains(&0) {
            "contains a NUL"
        } else {
            continue;
        };
        problems.add(format!(
            "the name of the variable {name:?} {flaw}; correct it"
        ));
    }
    let process = &options.process;
    let given = [
        ("cwd", process.cwd.as_deref().map(AsRef::<OsStr>::as_ref)),
        ("cli_path", process.cli_path.as_deref().map(AsRef::as_ref)),
        (
            "debug_file",
            process.debug_file.as_deref().map(AsRef::as_ref),
        ),
        (
            "runtime",
            process
                .runtime
                .as_ref()
                .map(|runtime| runtime.program.as_ref()),
        ),
        ("client_app", process.client_app.as_ref().map(AsRef::as_ref)),
    ];
    for (option, value) in given {
        if let Some(value) = value {
            problems.not_empty(option, value);
        }
    }
    problems.add_if(
        cfg!(not(unix)) && process.user.is_some(),
        "`os_user` on a system without numeric user ids; leave it away",
    );
}
