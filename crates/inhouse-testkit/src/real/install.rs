//! Installs a CLI from npm.

use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{
    InstallError, cache, platform,
    release::{BINARY, Release},
};
use crate::npm::Npm;

/// A CLI that is installed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Installed {
    /// The path of the binary.
    pub program: PathBuf,
    /// The version of the CLI.
    pub version: String,
    /// The package that contains it, with its version.
    pub package: String,
    /// The hash that the package was compared with; `None` if it was installed by an earlier call, and this crate has no hash for it.
    pub integrity: Option<String>,
    /// Whether the hash is that of this crate, and not one that the registry named.
    pub is_pinned: bool,
    /// Whether this call has downloaded it.
    pub is_new: bool,
}

/// Installs a version of the CLI, and returns where it is.
///
/// `None` is the pinned version. The package of the pinned version must have the hash that this crate has, and any other one the hash
/// that the registry names. The binary is put in the directory `to`, where it replaces an earlier one, or else in the cache that
/// [`RealCli`](super::RealCli) uses. Blocks until the download is complete.
///
/// # Errors
///
/// If there is no such version, if npm cannot be used, or if the hash differs.
pub fn install(
    version: Option<&str>,
    to: Option<&Path>,
    npm: &Npm,
) -> Result<Installed, InstallError> {
    let platform = platform::suffix().ok_or(InstallError::NoPackage)?;
    let source = match version {
        None => Source::of_release(&Release::PINNED, &platform)?,
        Some(version) if version == Release::PINNED.version => {
            Source::of_release(&Release::PINNED, &platform)?
        }
        Some(version) => Source {
            version: version.to_owned(),
            package: format!("{}-{platform}@{version}", Release::OLDEST.package_name()),
            pinned: None,
        },
    };
    match to {
        Some(directory) => install_to(&source, directory, npm),
        None => {
            let cache = cache::directory(&|name| env::var_os(name)).ok_or(InstallError::NoCache)?;
            install_in_cache(&source, &cache, npm)
        }
    }
}

/// A package that contains a CLI.
#[derive(Clone, Debug)]
pub(super) struct Source {
    version: String,
    package: String,
    /// The hash that this crate has for the package; `None` to use that of the registry.
    pinned: Option<String>,
}

impl Source {
    pub(super) fn of_release(release: &Release, platform: &str) -> Result<Self, InstallError> {
        let (package, integrity) = release.package(platform).ok_or(InstallError::NoPackage)?;
        Ok(Self {
            version: release.version.to_owned(),
            package,
            pinned: Some(integrity.to_owned()),
        })
    }
}

/// Installs a CLI into the cache, unless it is there already.
///
/// Of several processes that install the same version, one downloads and the others wait for its file lock, which the system releases
/// if its holder is killed.
pub(super) fn install_in_cache(
    source: &Source,
    cache: &Path,
    npm: &Npm,
) -> Result<Installed, InstallError> {
    let program = cache.join(&source.version).join(BINARY);
    fs::create_dir_all(cache).map_err(failed("creating", cache))?;
    let path = cache.join(format!("{}.lock", source.version));
    let lock = File::create(&path).map_err(failed("creating", &path))?;
    lock.lock().map_err(failed("locking", &path))?;
    // Another process may have installed it while this one waited for the lock.
    if program.is_file() {
        return Ok(installed(source, program, source.pinned.clone(), false));
    }
    let integrity = fetch(source, &program, cache, npm)?;
    Ok(installed(source, program, Some(integrity), true))
}

/// Installs a CLI into a directory, where it replaces an earlier one.
fn install_to(source: &Source, directory: &Path, npm: &Npm) -> Result<Installed, InstallError> {
    fs::create_dir_all(directory).map_err(failed("creating", directory))?;
    // An absolute path can be given to `Options::cli_path` in any working directory.
    let directory = std::path::absolute(directory).map_err(failed("resolving", directory))?;
    let program = directory.join(BINARY);
    let integrity = fetch(source, &program, &directory, npm)?;
    Ok(installed(source, program, Some(integrity), true))
}

fn installed(
    source: &Source,
    program: PathBuf,
    integrity: Option<String>,
    is_new: bool,
) -> Installed {
    Installed {
        program,
        version: source.version.clone(),
        package: source.package.clone(),
        integrity,
        is_pinned: source.pinned.is_some(),
        is_new,
    }
}

/// Downloads a package into a temporary directory of `directory`, and renames its binary to `program`, in the same file system.
///
/// Returns the hash that the package was compared with.
fn fetch(
    source: &Source,
    program: &Path,
    directory: &Path,
    npm: &Npm,
) -> Result<String, InstallError> {
    let package = &source.package;
    let integrity = match &source.pinned {
        Some(integrity) => integrity.clone(),
        None => npm.integrity(package)?,
    };
    let work_dir = tempfile::Builder::new()
        .prefix(".installing-")
        .tempdir_in(directory)
        .map_err(failed("creating a directory in", directory))?;
    let files = npm.download(package, &integrity, work_dir.path())?;
    let unpacked = files.join(BINARY);
    if !unpacked.is_file() {
        return Err(InstallError::NotInPackage {
            package: package.clone(),
        });
    }
    let parent = program.parent().expect("the binary is in a directory");
    fs::create_dir_all(parent).map_err(failed("creating", parent))?;
    fs::rename(&unpacked, program).map_err(failed("installing", program))?;
    Ok(integrity)
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
    let path = path.to_owned();
    move |source| InstallError::Io {
        doing,
        path,
        source,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
        thread,
    };

    use super::*;
    use crate::npm::NpmError;

    /// A replacement for npm in a directory, which records its arguments.
    struct FakeNpm {
        directory: tempfile::TempDir,
    }

    impl FakeNpm {
        /// Creates an npm whose package has a binary `claude`, unless `file` has another name.
        fn with_package(file: &str) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let script = format!(
                "cd '{}' && mkdir package && echo the-cli > package/{file} && tar -czf cli.tgz package && rm -r package",
                directory.path().display()
            );
            assert!(
                Command::new("/bin/sh")
                    .args(["-c", &script])
                    .status()
                    .unwrap()
                    .success()
            );
            let tarball = directory.path().join("cli.tgz");
            let npm = Self { directory };
            npm.acts(&format!(
                "case $1 in pack) cp '{}' . ;; view) cat '{}/integrity' ;; esac",
                tarball.display(),
                npm.directory.path().display()
            ));
            npm
        }

        fn failing(action: &str) -> Self {
            let npm = Self {
                directory: tempfile::tempdir().unwrap(),
            };
            npm.acts(action);
            npm
        }

        fn acts(&self, action: &str) {
            let path = self.directory.path().join("npm");
            let script = format!(
                "#!/bin/sh\necho \"$@\" >> '{}/calls'\n{action}\n",
                self.directory.path().display()
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
        }

        fn client(&self) -> Npm {
            Npm::at(self.directory.path().join("npm"))
        }

        /// Returns a source whose hash is that of the package.
        fn source(&self) -> Source {
            let tarball = self.directory.path().join("cli.tgz");
            Source {
                version: "2.1.325".to_owned(),
                package: "@anthropic-ai/claude-code-linux-x64@2.1.325".to_owned(),
                pinned: Some(crate::npm::integrity(&tarball).unwrap()),
            }
        }

        fn calls(&self) -> Vec<String> {
            let calls = self.directory.path().join("calls");
            let calls = fs::read_to_string(calls).unwrap_or_default();
            calls.lines().map(str::to_owned).collect()
        }
    }

    fn entries(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    const PACK: &str = "pack --loglevel=error @anthropic-ai/claude-code-linux-x64@2.1.325";

    #[test]
    fn only_the_packed_cli_is_in_the_cache() {
        let npm = FakeNpm::with_package("claude");
        let cache = tempfile::tempdir().unwrap();
        let installed = install_in_cache(&npm.source(), cache.path(), &npm.client()).unwrap();
        assert_eq!(installed.program, cache.path().join("2.1.325/claude"));
        assert!(installed.is_new && installed.is_pinned);
        assert_eq!(fs::read_to_string(&installed.program).unwrap(), "the-cli\n");
        assert_eq!(npm.calls(), [PACK]);
        assert_eq!(entries(cache.path()), ["2.1.325", "2.1.325.lock"]);
        let again = install_in_cache(&npm.source(), cache.path(), &npm.client()).unwrap();
        assert!(!again.is_new);
    }

    #[test]
    fn directory_of_the_caller_has_only_the_cli() {
        let npm = FakeNpm::with_package("claude");
        let target = tempfile::tempdir().unwrap();
        let directory = target.path().join("bin");
        for _ in 0..2 {
            let installed = install_to(&npm.source(), &directory, &npm.client()).unwrap();
            assert_eq!(installed.program, directory.join("claude"));
        }
        assert_eq!(entries(&directory), ["claude"]);
    }

    #[test]
    fn concurrent_installers_download_once() {
        let npm = FakeNpm::with_package("claude");
        let cache = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    install_in_cache(&npm.source(), cache.path(), &npm.client()).unwrap()
                });
            }
        });
        assert_eq!(npm.calls(), [PACK]);
    }

    #[test]
    fn package_with_another_hash_is_not_installed() {
        let npm = FakeNpm::with_package("claude");
        let cache = tempfile::tempdir().unwrap();
        let source = Source::of_release(&Release::PINNED, "linux-x64").unwrap();
        let error = install_in_cache(&source, cache.path(), &npm.client()).unwrap_err();
        assert!(
            matches!(&error, InstallError::Npm(NpmError::WrongHash { .. })),
            "{error:?}"
        );
        let expected = Release::PINNED.package("linux-x64").unwrap().1;
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(entries(cache.path()), ["2.1.325.lock"]);
    }

    #[test]
    fn hash_of_an_unpinned_version_comes_from_the_registry() {
        let npm = FakeNpm::with_package("claude");
        let cache = tempfile::tempdir().unwrap();
        let pinned = npm.source();
        let source = Source {
            pinned: None,
            ..pinned.clone()
        };
        let integrity = npm.directory.path().join("integrity");
        fs::write(&integrity, "sha512-other\n").unwrap();
        let error = install_in_cache(&source, cache.path(), &npm.client()).unwrap_err();
        assert!(error.to_string().contains("sha512-other"), "{error}");
        fs::write(&integrity, pinned.pinned.unwrap()).unwrap();
        let installed = install_in_cache(&source, cache.path(), &npm.client()).unwrap();
        assert!(!installed.is_pinned);
    }

    #[test]
    fn failures_of_npm_have_different_errors_and_leave_no_files() {
        let cache = tempfile::tempdir().unwrap();
        let source = FakeNpm::with_package("claude").source();
        for (action, expected) in [
            ("echo out of memory >&2; exit 3", "out of memory"),
            (
                "echo 'npm error code ETARGET' >&2; exit 1",
                "does not have @anthropic-ai/claude-code-linux-x64@2.1.325",
            ),
            (
                "echo 'npm error code ENOTFOUND' >&2; exit 1",
                "cannot reach its registry (ENOTFOUND)",
            ),
            ("true", "no file"),
        ] {
            let npm = FakeNpm::failing(action);
            let error = install_in_cache(&source, cache.path(), &npm.client()).unwrap_err();
            assert!(error.to_string().contains(expected), "{action}: {error}");
        }
        assert_eq!(entries(cache.path()), ["2.1.325.lock"]);
    }

    #[test]
    fn missing_npm_and_empty_package_are_different_errors() {
        let cache = tempfile::tempdir().unwrap();
        let empty = FakeNpm::with_package("readme");
        let missing = Npm::at(cache.path().join("no-such-npm"));
        let error = install_in_cache(&empty.source(), cache.path(), &missing).unwrap_err();
        let InstallError::Npm(NpmError::CommandMissing { command: "npm", .. }) = error else {
            panic!("{error:?}");
        };
        let error = install_in_cache(&empty.source(), cache.path(), &empty.client()).unwrap_err();
        assert!(
            matches!(error, InstallError::NotInPackage { .. }),
            "{error:?}"
        );
    }
}
