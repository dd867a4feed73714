//! `cargo xtask coverage`: how many lines of the MCP and protocol parts the fast tests run.
//!
//! The fast tests are those of the rings `pure` and `behaviour`. Both tools write the lcov format: lines
//! `SF:<file>`, then `DA:<line>,<count>` for each line of code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::cargo;
use crate::lint::RustSource;
use crate::test::Ring;
use crate::workspace::{TextFile, Workspace};

/// The directories that are measured. Each has to reach the goal.
const PARTS: [&str; 3] = [
    "crates/inhouse/src/mcp",
    "crates/inhouse/src/tool",
    "crates/inhouse-proto/src",
];

/// The share of lines that has to be covered, in percent.
const GOAL: usize = 90;

/// The packages whose tests run.
const PACKAGES: [&str; 2] = ["inhouse", "inhouse-proto"];

/// Measures the parts and prints a table; whether all of them reach the goal.
pub(crate) fn run(workspace: &Workspace) -> Result<bool, String> {
    let root = workspace.root();
    let output = root.join("target/coverage");
    fs::create_dir_all(&output).map_err(|cause| format!("{}: {cause}", output.display()))?;
    let tool = if has_llvm_tools(root)? {
        &LLVM_COV
    } else {
        println!("the LLVM tools of the toolchain are not installed: measuring with tarpaulin");
        &TARPAULIN
    };
    let report = tool.measure(root, &output)?;
    let text =
        fs::read_to_string(&report).map_err(|cause| format!("{}: {cause}", report.display()))?;
    let coverage = Coverage::read(&text, root, &workspace.text_files()?);
    print!("{}", coverage.render());
    Ok(coverage.reaches_goal())
}

/// Whether the toolchain has the component `llvm-tools`, without which cargo-llvm-cov cannot work.
fn has_llvm_tools(root: &Path) -> Result<bool, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--print", "target-libdir"])
        .current_dir(root)
        .output()
        .map_err(|cause| format!("rustc: {cause}"))?;
    let directory = String::from_utf8_lossy(&asked.stdout);
    let tools = Path::new(directory.trim()).with_file_name("bin");
    let name = format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX);
    Ok(tools.join(name).exists())
}

/// A subcommand of cargo that measures coverage.
struct Tool {
    name: &'static str,
    version: &'static str,
    install: &'static [&'static str],
    /// The subcommand and its options.
    arguments: &'static [&'static str],
    /// The option that names the report, relative to `target/coverage`.
    report: (&'static str, &'static str),
}

const LLVM_COV: Tool = Tool {
    name: "cargo-llvm-cov",
    version: "0.9.1",
    install: &[],
    arguments: &["llvm-cov", "--lcov"],
    report: ("--output-path", "lcov.info"),
};

const TARPAULIN: Tool = Tool {
    name: "cargo-tarpaulin",
    version: "0.37.5",
    // Without the upload to a service.
    install: &["--no-default-features"],
    arguments: &[
        "tarpaulin",
        // The other engine, ptrace, misses lines that run on several threads.
        "--engine=llvm",
        "--out=Lcov",
        "--skip-clean",
        "--target-dir=target/coverage/build",
        "--timeout=600",
    ],
    report: ("--output-dir", ""),
};

impl Tool {
    /// Runs the tests; returns the path of the report.
    fn measure(&self, root: &Path, output: &Path) -> Result<PathBuf, String> {
        let program = self.install(root)?;
        let (option, name) = self.report;
        let mut command = Command::new(program);
        command
            .args(self.arguments)
            .arg(format!("{option}={}", output.join(name).display()))
            .args(["--all-features", "--lib"])
            .current_dir(root);
        for package in PACKAGES {
            command.arg(format!("--package={package}"));
            for test in fast_tests(root, package)? {
                command.arg(format!("--test={test}"));
            }
        }
        succeed(&mut command, self.name)?;
        Ok(output.join("lcov.info"))
    }

    /// Installs the tool below `target` unless it is there; returns the path of its program.
    fn install(&self, root: &Path) -> Result<PathBuf, String> {
        let directory = root.join(format!("target/tools/{}-{}", self.name, self.version));
        let file = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        let program = directory.join("bin").join(file);
        if !program.exists() {
            let mut command = cargo(root, ["install", self.name, "--locked", "--version"]);
            command
                .arg(self.version)
                .args(self.install)
                .arg("--root")
                .arg(&directory);
            succeed(&mut command, "cargo install")?;
        }
        Ok(program)
    }
}

fn succeed(command: &mut Command, name: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed: {status}")),
        Err(cause) => Err(format!("{name}: {cause}")),
    }
}

/// The names of a package's test targets that belong to the fast rings.
fn fast_tests(root: &Path, package: &str) -> Result<Vec<String>, String> {
    let directory = root.join("crates").join(package).join("tests");
    let failed = |cause: std::io::Error| format!("{}: {cause}", directory.display());
    let mut tests = Vec::new();
    for entry in fs::read_dir(&directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_target = path.extension().is_some_and(|extension| extension == "rs")
            || path.join("main.rs").exists();
        let name = path.file_stem().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|_| is_target) {
            tests.push(name.to_owned());
        }
    }
    // The tests in `ui` compile programs and run nothing of the library.
    tests.retain(|test| {
        test != "ui" && matches!(Ring::of(package, test), Ring::Pure | Ring::Behaviour)
    });
    tests.sort();
    Ok(tests)
}

/// For each measured file the lines of code outside its tests, and whether they were run.
#[derive(Default)]
struct Coverage {
    files: BTreeMap<String, BTreeMap<usize, bool>>,
}

/// Numbers of lines.
#[derive(Clone, Copy, Default)]
struct Share {
    covered: usize,
    lines: usize,
}

impl Coverage {
    fn read(report: &str, root: &Path, sources: &[TextFile]) -> Self {
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
                let first_test_line = RustSource::parse(&file.text).first_test_line();
                lines.retain(|line, _| *line < first_test_line);
            }
        }
        coverage
    }

    /// Takes note of `<line>,<count>`. A line of a generic function may come several times.
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

    /// The shares of all files together for which `group` returns the same.
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
        let mut row = |name: &str, share: Share| {
            let (covered, lines) = (share.covered, share.lines);
            let percent = share.percent();
            let _ = writeln!(
                text,
                "{name:<56} {covered:>6} of {lines:>6}  {percent:>6.1} %"
            );
        };
        for (directory, share) in self.shares(directory_of) {
            row(directory, share);
        }
        for (part, share) in self.shares(part_of) {
            row(&format!("all of {part}"), share);
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
        let verdict = match self.reaches_goal() {
            true => "every part reaches",
            false => "some part does not reach",
        };
        let _ = writeln!(text, "{verdict} {GOAL} % of its lines");
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

    fn percent(self) -> f64 {
        match self.lines {
            0 => 100.0,
            lines => self.covered as f64 * 100.0 / lines as f64,
        }
    }
}

fn part_of(path: &str) -> Option<&str> {
    let part = PARTS.iter().find(|part| {
        let rest = path.strip_prefix(**part);
        rest.is_some_and(|rest| rest.starts_with('/'))
    });
    part.copied()
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
        Coverage::read(report, Path::new("/w"), &sources)
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
    fn line_counts_as_covered_if_one_record_covers_it() {
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
    fn fast_tests_are_those_of_the_rings_in_memory() {
        let root = Workspace::locate().root().to_owned();
        let tests = fast_tests(&root, "inhouse").unwrap();
        for name in ["behaviour", "mcp", "tools"] {
            assert!(tests.iter().any(|test| test == name), "{tests:?}");
        }
        for name in ["real", "process", "ui"] {
            assert!(!tests.iter().any(|test| test == name), "{tests:?}");
        }
        let tests = fast_tests(&root, "inhouse-proto").unwrap();
        assert!(tests.contains(&"engine".to_owned()), "{tests:?}");
        assert!(!tests.contains(&"support".to_owned()), "{tests:?}");
    }
}
