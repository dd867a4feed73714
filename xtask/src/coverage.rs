//! `cargo xtask coverage`: measures how many lines of the MCP and protocol parts the fast tests run.
//!
//! The fast tests are those of the rings `pure` and `behaviour`. Both tools write the lcov format: `SF:<file>`, then
//! `DA:<line>,<count>` for each line of code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::{MetadataCommand, TargetKind};

use crate::command::{install, output, run as run_command};
use crate::test::Ring;
use crate::workspace::{TextFile, Workspace};

/// The directories that are measured. Each has to reach the goal.
const PARTS: [&str; 3] = [
    "crates/inhouse/src/mcp",
    "crates/inhouse/src/tool",
    "crates/inhouse-proto/src",
];

/// The required share of covered lines, in percent.
const GOAL: usize = 90;

/// The packages whose tests run.
pub(crate) const PACKAGES: [&str; 2] = ["inhouse", "inhouse-proto"];

/// Measures the parts and prints a table; returns whether each reaches the goal.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    let directory = root.join("target/coverage");
    fs::create_dir_all(&directory)?;
    let mut command = if has_llvm_tools()? {
        let mut command = Command::new(install(root, "cargo-llvm-cov", "0.9.1", &[])?);
        command
            .args(["llvm-cov", "--lcov", "--output-path"])
            .arg(directory.join("lcov.info"));
        command
    } else {
        println!("the component llvm-tools is not installed: measuring with tarpaulin");
        // Without default features it cannot upload reports.
        let program = install(
            root,
            "cargo-tarpaulin",
            "0.37.5",
            &["--no-default-features"],
        )?;
        let mut command = Command::new(program);
        // The other engine, ptrace, misses lines that run on several threads.
        command.args([
            "tarpaulin",
            "--engine=llvm",
            "--out=Lcov",
            "--skip-clean",
            "--timeout=600",
        ]);
        command
            .args(["--target-dir=target/coverage/build", "--output-dir"])
            .arg(&directory);
        command
    };
    command.args(["--all-features", "--lib"]).current_dir(root);
    for package in PACKAGES {
        command.arg(format!("--package={package}"));
    }
    for test in fast_tests(root)? {
        command.arg(format!("--test={test}"));
    }
    run_command(&mut command)?;
    let report = fs::read_to_string(directory.join("lcov.info")).context("lcov.info")?;
    let coverage = Coverage::read(&report, root, &workspace.text_files()?)?;
    print!("{}", coverage.render());
    Ok(coverage.reaches_goal())
}

/// Returns whether the toolchain has the component `llvm-tools`, which cargo-llvm-cov needs.
fn has_llvm_tools() -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let directory = output(Command::new(rustc).args(["--print", "target-libdir"]))?;
    let tools = Path::new(directory.trim()).with_file_name("bin");
    let name = format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX);
    Ok(tools.join(name).exists())
}

/// Returns the test targets of [`PACKAGES`] that belong to the fast rings.
pub(crate) fn fast_tests(root: &Path) -> Result<Vec<String>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let mut tests = Vec::new();
    for package in metadata
        .packages
        .iter()
        .filter(|package| PACKAGES.contains(&package.name.as_str()))
    {
        let targets = package
            .targets
            .iter()
            .filter(|target| target.kind.contains(&TargetKind::Test));
        // The tests in `ui` compile programs and run no code of the library.
        let fast = targets.filter(|target| {
            let ring = Ring::of(&package.name, &target.name);
            target.name != "ui" && matches!(ring, Ring::Pure | Ring::Behaviour)
        });
        tests.extend(fast.map(|target| target.name.clone()));
    }
    Ok(tests)
}

/// The lines of code outside tests in each measured file, and whether they were run.
#[derive(Default)]
struct Coverage {
    files: BTreeMap<String, BTreeMap<usize, bool>>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    covered: usize,
    lines: usize,
}

impl Coverage {
    fn read(report: &str, root: &Path, sources: &[TextFile]) -> Result<Self> {
        let mut coverage = Self::default();
        let mut current = None;
        for line in report.lines() {
            if let Some(path) = line.strip_prefix("SF:") {
                current = sources.iter().find(|file| {
                    let is_measured = part_of(&file.path).is_some() && !file.is_test();
                    is_measured && Path::new(path) == root.join(&file.path)
                });
            } else if let (Some(file), Some(counted)) = (current, line.strip_prefix("DA:")) {
                coverage.count(&file.path, counted);
            }
        }
        for file in sources {
            if let Some(lines) = coverage.files.get_mut(&file.path) {
                let first_test_line = file.parse()?.first_test_line();
                lines.retain(|line, _| *line < first_test_line);
            }
        }
        Ok(coverage)
    }

    /// Adds `<line>,<count>`. A line of a generic function may come several times.
    fn count(&mut self, path: &str, counted: &str) {
        let mut numbers = counted.split(',').map(str::parse::<usize>);
        if let (Some(Ok(line)), Some(Ok(count))) = (numbers.next(), numbers.next()) {
            let lines = self.files.entry(path.to_owned()).or_default();
            *lines.entry(line).or_default() |= count > 0;
        }
    }

    fn reaches_goal(&self) -> bool {
        let parts = self.shares(part_of);
        PARTS
            .iter()
            .all(|part| parts.get(part).is_some_and(Share::reaches_goal))
    }

    /// Returns the sums over files for which `group` returns the same.
    fn shares<'a>(&'a self, group: fn(&'a str) -> Option<&'a str>) -> BTreeMap<&'a str, Share> {
        let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
        for (path, lines) in &self.files {
            if let Some(group) = group(path) {
                shares.entry(group).or_default().add(lines);
            }
        }
        shares
    }

    fn render(&self) -> String {
        let mut text = String::new();
        for group in [directory_of, part_of] {
            for (name, share) in self.shares(group) {
                let Share { covered, lines } = share;
                let percent = covered as f64 * 100.0 / lines.max(1) as f64;
                let _ = writeln!(
                    text,
                    "{name:<56} {covered:>6} of {lines:>6}  {percent:>6.1} %"
                );
            }
        }
        for (path, lines) in &self.files {
            let mut share = Share::default();
            share.add(lines);
            if !share.reaches_goal() {
                let missing = lines.iter().filter(|(_, covered)| !**covered);
                let missing: Vec<String> = missing.map(|(line, _)| line.to_string()).collect();
                let _ = writeln!(text, "below {GOAL} %: {path}, lines {}", missing.join(" "));
            }
        }
        text
    }
}

impl Share {
    fn add(&mut self, lines: &BTreeMap<usize, bool>) {
        self.lines += lines.len();
        self.covered += lines.values().filter(|covered| **covered).count();
    }

    fn reaches_goal(&self) -> bool {
        self.covered * 100 >= self.lines * GOAL
    }
}

fn part_of(path: &str) -> Option<&'static str> {
    PARTS.into_iter().find(|part| {
        let rest = path.strip_prefix(part);
        rest.is_some_and(|rest| rest.starts_with('/'))
    })
}

fn directory_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(directory, _)| directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(report: &str, paths: &[&str]) -> Coverage {
        let sources: Vec<TextFile> = paths
            .iter()
            .map(|path| TextFile {
                path: (*path).to_owned(),
                text: "fn a() {}\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n".to_owned(),
            })
            .collect();
        Coverage::read(report, Path::new("/w"), &sources).unwrap()
    }

    const MCP: &str = "crates/inhouse/src/mcp/bridge.rs";
    const TOOL: &str = "crates/inhouse/src/tool/call.rs";
    const PROTO: &str = "crates/inhouse-proto/src/wire/line.rs";

    #[test]
    fn only_lines_outside_tests_of_measured_files_count() {
        let report = "SF:/w/crates/inhouse/src/mcp/bridge.rs\nDA:1,3\nDA:2,0\nDA:4,9\nend_of_record\n\
             SF:/w/crates/inhouse/src/client.rs\nDA:1,1\nend_of_record\n";
        let coverage = coverage(report, &[MCP, "crates/inhouse/src/client.rs"]);
        assert_eq!(coverage.files.len(), 1);
        let share = coverage.shares(part_of)["crates/inhouse/src/mcp"];
        assert_eq!((share.covered, share.lines), (1, 2));
        assert!(coverage.render().contains("bridge.rs, lines 2\n"));
    }

    #[test]
    fn line_is_covered_if_one_record_covers_it() {
        let report = "SF:/w/crates/inhouse/src/mcp/bridge.rs\nDA:1,0\nDA:1,2\nDA:1,0\n";
        let share = coverage(report, &[MCP]).shares(part_of)["crates/inhouse/src/mcp"];
        assert_eq!((share.covered, share.lines), (1, 1));
    }

    #[test]
    fn every_part_has_to_be_measured_and_to_reach_the_goal() {
        let file = |path: &str, count: u32| format!("SF:/w/{path}\nDA:1,{count}\n");
        let all = [MCP, TOOL, PROTO];
        let good = all.map(|path| file(path, 1)).concat();
        assert!(coverage(&good, &all).reaches_goal());
        assert!(!coverage(&good, &all[..2]).reaches_goal());
        let bad = good + &file(PROTO, 0).replace("DA:1", "DA:2");
        assert!(!coverage(&bad, &all).reaches_goal());
    }

    #[test]
    fn fast_tests_are_those_of_the_pure_and_behaviour_rings() {
        let tests = fast_tests(Workspace::locate().root()).unwrap();
        for name in ["mcp", "tools", "engine"] {
            assert!(tests.iter().any(|test| test == name), "{tests:?}");
        }
        for name in ["real", "process", "ui", "support"] {
            assert!(!tests.iter().any(|test| test == name), "{tests:?}");
        }
    }
}
