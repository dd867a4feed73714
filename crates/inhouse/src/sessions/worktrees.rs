//! The worktrees of a git repository.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// Longest time to wait for git.
const GIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the other worktrees of the repository that a directory belongs to.
///
/// Returns none without a repository, without git, and if git fails or takes longer than five seconds.
pub(super) async fn worktrees(dir: &Path) -> Vec<PathBuf> {
    if !dir.ancestors().any(|dir| dir.join(".git").exists()) {
        return Vec::new();
    }
    // Hooks and monitors of the repository are programs of its author.
    let output = Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor="])
        .args(["worktree", "list", "--porcelain"])
        .current_dir(dir)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    match timeout(GIT_TIMEOUT, output).await {
        Ok(Ok(output)) if output.status.success() => {
            let mut paths = paths(&String::from_utf8_lossy(&output.stdout));
            paths.retain(|path| path != dir);
            paths
        }
        _ => Vec::new(),
    }
}

fn paths(porcelain: &str) -> Vec<PathBuf> {
    porcelain
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "))
        .map(PathBuf::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_the_porcelain_format() {
        let text =
            "worktree /a\nHEAD 1\nbranch refs/heads/main\n\nworktree /b c\nHEAD 2\ndetached\n";
        assert_eq!(paths(text), [Path::new("/a"), Path::new("/b c")]);
    }
}
