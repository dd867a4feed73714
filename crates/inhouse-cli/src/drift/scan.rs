//! Finds flags and environment variables in programs and in the output of `--help`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem;

/// Finds the flags in a script: strings that begin with `--`.
pub(super) fn flags(script: &str) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for quote in ["\"--", "'--", "`--"] {
        for (position, _) in script.match_indices(quote) {
            let name = word(&script[position + quote.len()..], |c| {
                c.is_ascii_alphanumeric() || c == '-'
            });
            if name.starts_with(|c: char| c.is_ascii_lowercase()) {
                flags.insert(format!("--{}", name.trim_end_matches('-')));
            }
        }
    }
    flags
}

/// Finds the flags in the output of `--help`: each is the first thing in its line.
pub(super) fn help_flags(help: &str) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for line in help.lines() {
        if !line.trim_start().starts_with('-') {
            continue;
        }
        // `-p, --print` and `--allowedTools, --allowed-tools <tools...>`
        for part in line
            .trim_start()
            .split("  ")
            .next()
            .unwrap_or_default()
            .split(", ")
        {
            if let Some(name) = part.strip_prefix("--") {
                let name = word(name, |c| c.is_ascii_alphanumeric() || c == '-');
                flags.insert(format!("--{name}"));
            }
        }
    }
    flags
}

/// Prefixes of variables that configure the CLI, and not its terminal or its host.
const PREFIXES: [&str; 5] = ["ANTHROPIC_", "CLAUDE_", "DISABLE_", "ENABLE_", "MCP_"];

/// Finds the names of environment variables in a program: words in capital letters with one of the prefixes.
///
/// The CLI reads variables in too many ways to find only those that it reads: `process.env.A`, `env["A"]`, `{A: b} = env`, and others. Its
/// bytecode has names that run into the bytes behind them, such as `A4`; each of these occurs once, so that names count from the second time.
pub(super) fn variables(program: &Path) -> io::Result<BTreeSet<String>> {
    variables_in(File::open(program)?, 1 << 24)
}

/// Finds the names of variables in a file that is read in parts of this size.
fn variables_in(mut file: impl Read, part: u64) -> io::Result<BTreeSet<String>> {
    const LONGEST: usize = 256;

    let finders = PREFIXES.map(memmem::Finder::new);
    let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    let mut before_buffer = None;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    loop {
        let read = file.by_ref().take(part).read_to_end(&mut buffer)?;
        // A name near the end may continue in the next part: it is searched with that.
        let end = match read {
            0 => buffer.len(),
            _ => buffer.len().saturating_sub(LONGEST),
        };
        for finder in &finders {
            let found = finder.find_iter(&buffer).take_while(|start| *start < end);
            for start in found {
                let before = match start.checked_sub(1) {
                    Some(before) => Some(buffer[before]),
                    None => before_buffer,
                };
                let name: Vec<u8> = buffer[start..]
                    .iter()
                    .copied()
                    .take_while(is_part)
                    .collect();
                let is_name = !before.is_some_and(|byte| is_part(&byte))
                    && !name.iter().any(u8::is_ascii_lowercase)
                    && !name.ends_with(b"_");
                if is_name {
                    *counts.entry(name).or_default() += 1;
                }
            }
        }
        if read == 0 {
            let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
            let names = repeated.map(|(name, _)| String::from_utf8_lossy(&name).into_owned());
            return Ok(names.collect());
        }
        before_buffer = end
            .checked_sub(1)
            .map(|last| buffer[last])
            .or(before_buffer);
        buffer.drain(..end);
    }
}

fn word(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_found_in_strings_and_in_help() {
        let found = flags("a.push(\"--model\",b);c.push(`--max-turns=${d}`);e('--');f=\"--x-\"");
        assert_eq!(
            found,
            ["--max-turns", "--model", "--x"].map(str::to_owned).into()
        );
        let help = "Usage: claude [options]\n\nOptions:\n  -p, --print     Print --all\n  --allowedTools, --allowed-tools <tools...>  Tools\n     more --text\n";
        let found = help_flags(help);
        let expected = ["--allowed-tools", "--allowedTools", "--print"];
        assert_eq!(found, expected.map(str::to_owned).into());
    }

    #[test]
    fn variables_are_found_at_every_place_and_count_from_the_second_time() {
        let text = " env.CLAUDE_CODE_A;XCLAUDE_B,MCP_Cd,{MCP_D:e}=f,`ENABLE_${g}`,\"DISABLE_E\"";
        let expected = ["CLAUDE_CODE_A", "DISABLE_E", "MCP_D"];
        for padding in 0..80 {
            let program = format!("{}{text}{text} MCP_D4", " ".repeat(padding));
            let found = variables_in(program.as_bytes(), 40).unwrap();
            assert_eq!(found, expected.map(str::to_owned).into(), "{padding}");
            let once = " ".repeat(padding + 200) + text;
            let found = variables_in(once.as_bytes(), 40).unwrap();
            assert_eq!(found, BTreeSet::new(), "{padding}");
        }
    }
}
