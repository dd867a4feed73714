//! `cargo xtask fuzz`: feeds the fuzz targets, and prints a table of executions and findings.
//!
//! libFuzzer runs them where a nightly toolchain and cargo-fuzz are installed; elsewhere the mutating loop of
//! `fuzz-targets` does, on the toolchain that runs this tool.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, cargo_of, output, run as run_command};
use crate::workspace::Workspace;

/// The directories of inputs for libFuzzer and of findings, which git ignores.
const CORPUS: &str = "fuzz/corpus";
const FINDINGS: &str = "fuzz/artifacts";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The time for each target, in seconds
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The seed of the mutating loop; random by default
    #[arg(long)]
    seed: Option<u64>,
    /// Uses the mutating loop even where libFuzzer is available
    #[arg(long)]
    stable: bool,
    /// Checks this input instead of random ones, such as that of a finding (needs the name of the target)
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Option<PathBuf>,
    /// The target to run; all of them by default
    target: Option<String>,
}

/// Runs the targets one after another; returns whether nothing was found.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    let targets = targets(root, arguments.target.as_deref())?;
    let program = build_loop(root)?;
    if let (Some(input), [target]) = (&arguments.input, &*targets) {
        let mut command = Command::new(program);
        command.args(["input", target]).arg(input);
        return Ok(command.status()?.success());
    }
    let has_libfuzzer = !arguments.stable && has_libfuzzer(root);
    let seed = arguments
        .seed
        .unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    match has_libfuzzer {
        true => println!("fuzz: libFuzzer"),
        false => println!("fuzz: the loop on stable, seed {seed}"),
    }
    let mut rows = Vec::new();
    for target in &targets {
        rows.push(match has_libfuzzer {
            true => libfuzzer(root, &program, target, arguments.seconds)?,
            false => fuzz_loop(root, &program, target, arguments.seconds, seed)?,
        });
    }
    print!("\n{}", table(&rows));
    if rows.iter().any(|row| row.findings > 0) {
        println!("reproduce: cargo xtask fuzz --input <file in {FINDINGS}> <target>");
        return Ok(false);
    }
    Ok(true)
}

/// Returns the chosen target, or all targets by their files.
fn targets(root: &Path, chosen: Option<&str>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(
            path.file_stem()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    names.sort();
    match chosen {
        None => Ok(names),
        Some(name) if names.iter().any(|known| known == name) => Ok(vec![name.to_owned()]),
        Some(name) => bail!(
            "there is no fuzz target `{name}`; there are {}",
            names.join(", ")
        ),
    }
}

fn build_loop(root: &Path) -> Result<PathBuf> {
    let arguments = [
        "build",
        "--quiet",
        "--profile=fuzz",
        "--package=inhouse-fuzz-targets",
    ];
    run_command(&mut cargo(root, arguments))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let file = format!("fuzz-loop{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("fuzz").join(file))
}

fn has_libfuzzer(root: &Path) -> bool {
    output(cargo_of(root, "nightly").args(["fuzz", "--version"])).is_ok()
}

fn libfuzzer(root: &Path, program: &Path, target: &str, seconds: u64) -> Result<Row> {
    let corpus = root.join(CORPUS).join(target);
    run_command(Command::new(program).args(["seeds", target]).arg(&corpus))?;
    let cargo_fuzz = |subcommand: &str| {
        let mut command = cargo_of(root, "nightly");
        command.args(["fuzz", subcommand, "--target-dir=target/libfuzzer", target]);
        command
    };
    // Built first, so that the seconds of the table are those of the fuzzer alone.
    run_command(&mut cargo_fuzz("build"))?;
    let mut command = cargo_fuzz("run");
    command.arg(&corpus);
    command.arg("--").arg(format!("-max_total_time={seconds}"));
    command.args(["-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"]);
    let start = Instant::now();
    let mut executions = None;
    let mut fuzz = command
        .stderr(Stdio::piped())
        .spawn()
        .context("cargo fuzz")?;
    let stderr = fuzz.stderr.take().context("stderr is piped")?;
    for line in BufReader::new(stderr).lines() {
        let line = line?;
        // Progress, which is of no use in a log.
        if !line.starts_with('#') {
            eprintln!("{line}");
        }
        executions = executions.or_else(|| executed_units(&line));
    }
    let is_clean = fuzz.wait()?.success();
    if is_clean && executions.is_none() {
        bail!("libFuzzer has not reported its executions");
    }
    Ok(Row {
        target: target.to_owned(),
        seconds: start.elapsed().as_secs(),
        executions: executions.unwrap_or_default(),
        findings: usize::from(!is_clean),
    })
}

/// Reads the number of executions from the final statistics of libFuzzer.
fn executed_units(line: &str) -> Option<u64> {
    let number = line.strip_prefix("stat::number_of_executed_units:")?;
    number.trim().parse().ok()
}

fn fuzz_loop(root: &Path, program: &Path, target: &str, seconds: u64, seed: u64) -> Result<Row> {
    let mut command = Command::new(program);
    command.args(["run", target, &seconds.to_string(), &seed.to_string()]);
    command.arg(root.join(FINDINGS).join(target));
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.context("fuzz-loop")?;
    let stdout = child.stdout.take().context("stdout is piped")?;
    let mut row = None;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        println!("{line}");
        row = row.or_else(|| Row::parse(&line));
    }
    let status = child.wait()?;
    // A stack overflow ends the process before it can write a file.
    row.with_context(|| format!("{target} ended with {status}; the seed {seed} repeats the run"))
}

/// The result of one target.
#[derive(Debug, PartialEq)]
struct Row {
    target: String,
    seconds: u64,
    executions: u64,
    findings: usize,
}

impl Row {
    /// Parses `fuzz: <target> executions=<n> seconds=<n> findings=<n>`; returns `None` for any other line.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("fuzz: ")?.split(' ');
        Some(Self {
            target: words.next()?.to_owned(),
            executions: words.next()?.strip_prefix("executions=")?.parse().ok()?,
            seconds: words.next()?.strip_prefix("seconds=")?.parse().ok()?,
            findings: words.next()?.strip_prefix("findings=")?.parse().ok()?,
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = "| target | seconds | executions | findings |\n|---|--:|--:|--:|\n".to_owned();
    for row in rows {
        let Row {
            target,
            seconds,
            executions,
            findings,
        } = row;
        let _ = writeln!(
            text,
            "| `{target}` | {seconds} | {executions} | {findings} |"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_lines_become_rows() {
        let row = Row::parse("fuzz: rpc executions=12 seconds=3 findings=1").unwrap();
        assert_eq!(
            table(&[row]),
            "| target | seconds | executions | findings |\n|---|--:|--:|--:|\n\
             | `rpc` | 3 | 12 | 1 |\n"
        );
        assert_eq!(Row::parse("fuzz: libFuzzer"), None);
        assert_eq!(Row::parse("rpc: took 6.0 s"), None);
    }

    #[test]
    fn executions_of_libfuzzer_are_read() {
        let line = "stat::number_of_executed_units: 4242";
        assert_eq!(executed_units(line), Some(4242));
        assert_eq!(executed_units("stat::average_exec_per_sec: 7"), None);
    }

    #[test]
    fn targets_are_found_by_their_files() {
        let workspace = Workspace::locate();
        let all = targets(workspace.root(), None).unwrap();
        assert!(all.iter().any(|name| name == "engine"), "{all:?}");
        assert_eq!(targets(workspace.root(), Some("rpc")).unwrap(), ["rpc"]);
        let error = targets(workspace.root(), Some("none")).unwrap_err();
        assert!(error.to_string().contains("engine"), "{error}");
    }
}
