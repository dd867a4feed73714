//! From npm into the cache.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use super::{
    release::{BINARY, Release},
    turnstile::Turnstile,
    unavailable::Reason,
};

/// Brings the release into the cache, unless somebody else does so first, and returns the path of the binary.
///
/// Blocks for as long as the download takes.
pub(super) fn install(
    release: &Release,
    platform: &str,
    cache: &Path,
    npm: &OsStr,
) -> Result<PathBuf, Reason> {
    let installed = cache.join(release.version).join(BINARY);
    fs::create_dir_all(cache).map_err(failed("creating", cache))?;
    let lock = cache.join(format!("{}.lock", release.version));
    let turnstile = loop {
        if installed.is_file() {
            return Ok(installed);
        }
        match Turnstile::try_pass(&lock).map_err(failed("locking", &lock))? {
            Some(turnstile) => break turnstile,
            None => thread::sleep(Turnstile::BEAT),
        }
    };
    // Somebody may have finished between the look and the passage.
    if !installed.is_file() {
        fetch(
            &release.npm_spec(platform),
            &installed,
            cache,
            npm,
            &turnstile,
        )?;
    }
    Ok(installed)
}

fn fetch(
    package: &str,
    installed: &Path,
    cache: &Path,
    npm: &OsStr,
    turnstile: &Turnstile,
) -> Result<(), Reason> {
    let workshop = tempfile::Builder::new()
        .prefix(".installing-")
        .tempdir_in(cache)
        .map_err(failed("creating a directory in", cache))?;
    let workshop = workshop.path();

    let mut pack = Command::new(npm);
    // Away from the project under test, whose package.json and .npmrc would have a say.
    pack.args(["pack", "--loglevel=error", package])
        .current_dir(workshop);
    run("npm", pack, workshop, turnstile)?;

    let not_in_package = || Reason::NotInPackage {
        package: package.to_owned(),
    };
    let tarball = tarball_in(workshop)
        .map_err(failed("reading", workshop))?
        .ok_or_else(not_in_package)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(tarball).current_dir(workshop);
    run("tar", unpack, workshop, turnstile)?;

    let unpacked = workshop.join("package").join(BINARY);
    if !unpacked.is_file() {
        return Err(not_in_package());
    }
    let home = installed
        .parent()
        .expect("the binary lies in the directory of its version");
    fs::create_dir_all(home).map_err(failed("creating", home))?;
    match fs::rename(&unpacked, installed) {
        // Windows does not replace a binary that runs; then somebody else's is there and good.
        Err(_) if installed.is_file() => Ok(()),
        renamed => renamed.map_err(failed("installing", installed)),
    }
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

/// Runs a command to its end, with the turnstile kept beating meanwhile.
fn run(
    name: &'static str,
    mut command: Command,
    workshop: &Path,
    turnstile: &Turnstile,
) -> Result<(), Reason> {
    // A file, not a pipe: a pipe that nobody reads while we wait could fill up.
    let log = workshop.join(format!("{name}.stderr"));
    let stderr = File::create(&log).map_err(failed("creating", &log))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(|source| Reason::CommandMissing {
            command: name,
            source,
        })?;
    let status = loop {
        match child
            .try_wait()
            .map_err(failed("waiting for", Path::new(name)))?
        {
            Some(status) => break status,
            None => {
                turnstile.beat();
                thread::sleep(Turnstile::BEAT);
            }
        }
    };
    if status.success() {
        return Ok(());
    }
    let stderr = fs::read(&log).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
    Err(Reason::CommandFailed {
        command: name,
        status: status.to_string(),
        stderr,
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
    use std::io::Write as _;

    use super::*;

    /// A stand-in for npm that packs a package of its own making and counts how often it is asked.
    fn fake_npm(directory: &Path, action: &str) -> PathBuf {
        let path = directory.join("npm");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> '{}/calls'\n{action}\n",
            directory.display()
        );
        // By another process: a file that this one has open for writing may be passed on to a child
        // that another test starts at that moment, and cannot be run until that child lets go of it.
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

    const PACKS_A_CLI: &str = "mkdir package && echo the-cli > package/claude && tar -czf it.tgz package && rm -r package";

    fn calls(directory: &Path) -> Vec<String> {
        let calls = fs::read_to_string(directory.join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_the_packed_cli_is_in_the_cache() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let npm = fake_npm(tools.path(), PACKS_A_CLI);
        let path = install(&Release::PINNED, "linux-x64", cache.path(), npm.as_os_str()).unwrap();
        assert_eq!(path, cache.path().join("2.1.325/claude"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "the-cli\n");
        let expected = "pack --loglevel=error @anthropic-ai/claude-agent-sdk-linux-x64@0.3.325";
        assert_eq!(calls(tools.path()), [expected]);
        assert_eq!(
            fs::read_dir(cache.path()).unwrap().count(),
            1,
            "lock and workshop are gone"
        );
    }

    #[test]
    fn concurrent_installers_download_once() {
        let tools = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let npm = fake_npm(tools.path(), PACKS_A_CLI);
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
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
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
        let empty = fake_npm(tools.path(), "mkdir package && tar -czf it.tgz package");
        assert!(matches!(install(&empty), Err(Reason::NotInPackage { .. })));
    }
}
