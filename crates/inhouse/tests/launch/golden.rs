use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use inhouse::launch::Plan;
use inhouse_proto::control::encode;
use serde_json::Value;

use super::cases::{self, Case};

/// Compares every case with its file in `golden/`; `UPDATE_GOLDEN=1` writes the files instead.
#[test]
fn every_case_matches_its_golden_file() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for case in cases::all() {
        let path = directory().join(format!("{}.txt", case.name));
        let actual = render(&case);
        if update {
            fs::write(&path, actual).expect("the golden directory is writable");
        } else if fs::read_to_string(&path).ok().as_deref() != Some(actual.as_str()) {
            wrong.push(format!("{}:\n{actual}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "differs from the golden file; run with UPDATE_GOLDEN=1 and review the diff\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_golden_file_has_a_case() {
    let mut names: Vec<_> = cases::all().iter().map(|case| case.name).collect();
    names.sort_unstable();
    let mut files: Vec<String> = fs::read_dir(directory())
        .expect("the golden directory exists")
        .map(|entry| entry.expect("readable").path())
        .map(|path| {
            path.file_stem()
                .expect("the file has a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort_unstable();
    assert_eq!(files, names);
}

/// Fails for a new option without a golden case.
#[test]
fn every_option_occurs_in_a_case() {
    let used = include_str!("cases.rs");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/options");
    let mut options = 0;
    for entry in fs::read_dir(sources).expect("the sources exist") {
        let path = entry.expect("readable").path();
        if !path.is_file() {
            continue;
        }
        for option in methods_of_options(&fs::read_to_string(&path).expect("readable")) {
            options += 1;
            let call = [format!(".{option}("), format!(".{option}::<")];
            assert!(
                call.iter().any(|call| used.contains(call)),
                "`Options::{option}` occurs in no golden case"
            );
        }
    }
    assert!(
        options > 70,
        "only {options} options were found in the sources"
    );
}

fn methods_of_options(source: &str) -> Vec<String> {
    let blocks = source.split("\nimpl Options {\n").skip(1);
    let bodies = blocks.map(|block| block.split("\n}\n").next().expect("split yields one"));
    bodies
        .flat_map(|body| body.split("    pub fn ").skip(1))
        .map(|method| {
            method
                .split(['(', '<'])
                .next()
                .expect("split yields one")
                .to_owned()
        })
        .filter(|name| name != "new")
        .collect()
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launch/golden")
}

/// Returns the flag and the contents of the private file that an argument names.
pub(crate) fn private_file(argument: &str) -> Option<(&str, String)> {
    let (flag, path) = argument.split_once('=')?;
    let name = Path::new(path).file_name()?.to_str()?;
    let private = name.starts_with("inhouse-");
    private.then(|| (flag, fs::read_to_string(path).expect("the file exists")))
}

fn render(case: &Case) -> String {
    let plan = Plan::new(&case.options, case.program, &case.host)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let mut out = String::new();
    let command = &plan.launch.command;
    writeln!(out, "program {}", command.program.display()).expect("writing to a string");
    if let Some(cwd) = &command.cwd {
        writeln!(out, "cwd {}", cwd.display()).expect("writing to a string");
    }
    if let Some(user) = plan.launch.user {
        writeln!(out, "user {}:{}", user.uid, user.gid).expect("writing to a string");
    }
    out.push_str("\narguments\n");
    for argument in &command.args {
        let argument = argument.to_str().expect("Unicode");
        match private_file(argument) {
            Some((flag, text)) => writeln!(out, "  {flag}=<private file>\n    {text}"),
            None => writeln!(out, "  {argument}"),
        }
        .expect("writing to a string");
    }
    out.push_str("\nenvironment\n");
    if command.env.clear {
        out.push_str("  clear\n");
    }
    for name in &command.env.remove {
        writeln!(out, "  - {}", name.display()).expect("writing to a string");
    }
    for (name, value) in &command.env.set {
        let value = value.to_str().expect("Unicode");
        let value = value.replace(env!("CARGO_PKG_VERSION"), "<version>");
        writeln!(out, "  + {}={value}", name.display()).expect("writing to a string");
    }
    let request = encode(&plan.initialize).expect("the request is JSON");
    let request: Value = serde_json::from_str(&request).expect("the request is JSON");
    writeln!(out, "\ninitialize\n{request:#}").expect("writing to a string");
    let host = format!(
        "\nhost\n  verbatim prompts {}\n  managed settings required {}\n  longest line {}\n  \
         backlog {:?}\n  connect {:?}, control {:?}, background {:?}, grace {:?}, term {:?}\n",
        plan.verbatim_prompts,
        plan.requires_managed_settings,
        plan.max_line_bytes,
        plan.backlog.limit(),
        plan.connect_timeout,
        plan.control_timeout,
        plan.background_ceiling,
        plan.shutdown.grace,
        plan.shutdown.term,
    );
    out.push_str(&host);
    out
}
