//! Installs a CLI from npm into the cache.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{
    release::{BINARY, Release},
    unavailable::Reason,
};

/// Installs the release into the cache, unless it is there already, and returns the path of the binary.
///
/// Blocks until the download is complete. Of several processes that install the same release, one downloads and the others
/// wait for its file lock, which the system releases if its holder is killed.
pub(super) fn install(
    release: &Release,
    platform: &str,
    cache: &Path,
    npm: &OsStr,
) -> Result<PathBuf, Reason> {
    let installed = cache.join(release.version).join(BINARY);
    fs::create_dir_all(cache).map_err(failed("creating", cache))?;
    let path = cache.join(format!("{}.lock", release.version));
    let lock = File::create(&path).map_err(failed("creating", &path))?;
    lock.lock().map_err(failed("locking", &path))?;
    // Another process may have installed it while this one waited for the lock.
    if !installed.is_file() {
        fetch(&release.npm_spec(platform), &installed, cache, npm)?;
    }
    Ok(installed)
}

fn fetch(package: &str, installed: &Path, cache: &Path, npm: &OsStr) -> Result<(), Reason> {
    let work_dir = tempfile::Builder::new()
        .prefix(".installing-")
        .tempdir_in(cache)
        .map_err(failed("creating a directory in", cache))?;
    let work_dir = work_dir.path();

    // Not in the project under test, whose package.json and .npmrc would change the result.
    let mut pack = Command::new(npm);
    pack.args(["pack", "--loglevel=error", package])
        .current_dir(work_dir);
    run("npm", pack)?;

    let not_in_package = || Reason::NotInPackage {
        package: package.to_owned(),
    };
    let tarball = tarball_in(work_dir)
        .map_err(failed("reading", work_dir))?
        .ok_or_else(not_in_package)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(tarball).current_dir(work_dir);
    run("tar", unpack)?;

    let unpacked = work_dir.join("package").join(BINARY);
    if !unpacked.is_file() {
        return Err(not_in_package());
    }
    let directory = installed
        .parent()
        .expect("the binary is in the directory of its version");
    fs::create_dir_all(directory).map_err(failed("creating", directory))?;
    fs::rename(&unpacked, installed).map_err(failed("installing", installed))
}

fn tarball_in(directory: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("tgz")) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Runs a command to completion.
fn run(name: &'static str, mut command: Command) -> Result<(), Reason> {
    let output =
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Reason::CommandMissing {
                command: name,
                source,
            })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Reason::CommandFailed {
        command: name,
        status: output.status.to_string(),
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Reason + use<> {
    let path = path.to_owned();
    move |source| Reason::Io {
        doing,
        path,
        source,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{io::Write as _, thread};

    use super::*;

    /// Creates a replacement for npm that performs `action` and records its arguments.
    fn fake_npm(directory: &Path, action: &str) -> PathBuf {
        let path = directory.join("npm");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> '{}/calls'\n{action}\n",
            directory.display()
        );
        // Written by another process: a file that this one has open for writing may be inherited by a child
        // of another test, and cannot be executed (ETXTBSY) until that child closes it.
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = writer.stdin.take().unwrap();
        stdin.write_all(script.as_bytes()).unwrap();
        drop(stdin);
        assert!(writer.wait().unwrap().success());
        path
    }

    const PACK_A_CLI: &str = "mkdir package && echo the-cli > package/claude && tar -czf cli.tgz package && rm -r package";

    fn calls(directory: &Path) -> Vec<String> {
        let calls = fs::read_to_string(directory.join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_the_packed_cli_is_in_the_cache() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let npm = fake_npm(tools.path(), PACK_A_CLI);
        let path = install(&Release::PINNED, "linux-x64", cache.path(), npm.as_os_str()).unwrap();
        assert_eq!(path, cache.path().join("2.1.325/claude"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "the-cli\n");
        let expected = "pack --loglevel=error @anthropic-ai/claude-agent-sdk-linux-x64@0.3.325";
        assert_eq!(calls(tools.path()), [expected]);
        let mut entries: Vec<_> = fs::read_dir(cache.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        entries.sort();
        assert_eq!(entries, ["2.1.325", "2.1.325.lock"]);
    }

    #[test]
    fn concurrent_installers_download_once() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let npm = fake_npm(tools.path(), PACK_A_CLI);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    install(&Release::OLDEST, "linux-x64", cache.path(), npm.as_os_str()).unwrap()
                });
            }
        });
        assert_eq!(
            calls(tools.path()),
            ["pack --loglevel=error @anthropic-ai/claude-code-linux-x64@2.1.197"]
        );
    }

    #[test]
    fn failing_npm_is_quoted_and_leaves_no_files() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let npm = fake_npm(tools.path(), "echo no network >&2; exit 3");
        let reason =
            install(&Release::PINNED, "linux-x64", cache.path(), npm.as_os_str()).unwrap_err();
        let Reason::CommandFailed {
            command: "npm",
            stderr,
            ..
        } = reason
        else {
            panic!("{reason:?}");
        };
        assert_eq!(stderr, "no network");
        let left = fs::read_dir(cache.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["2.1.325.lock"]);
    }

    #[test]
    fn missing_npm_and_empty_package_are_different_errors() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let missing = tools.path().join("no-such-npm");
        let install =
            |npm: &Path| install(&Release::PINNED, "linux-x64", cache.path(), npm.as_os_str());
        assert!(matches!(
            install(&missing),
            Err(Reason::CommandMissing { command: "npm", .. })
        ));
        let empty = fake_npm(tools.path(), "mkdir package && tar -czf cli.tgz package");
        assert!(matches!(install(&empty), Err(Reason::NotInPackage { .. })));
    }
}
