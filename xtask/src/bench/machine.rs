//! What the figures were measured on.

use std::collections::BTreeMap;
use std::thread::available_parallelism;

pub(crate) fn describe() -> BTreeMap<String, String> {
    let cores = available_parallelism().map_or(1, usize::from);
    let mut machine = BTreeMap::from([("cores".to_owned(), cores.to_string())]);
    if let Some(model) = line_of("/proc/cpuinfo", "model name") {
        machine.insert("processor".to_owned(), model);
    }
    if let Ok(kernel) = std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        // What follows the version names whoever has built it.
        let version = kernel.split(['-', '+']).next().unwrap_or_default();
        machine.insert("kernel".to_owned(), version.trim().to_owned());
    }
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        let load = load.split_whitespace().next().unwrap_or_default();
        machine.insert("load after the run".to_owned(), load.to_owned());
    }
    machine
}

fn line_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}
