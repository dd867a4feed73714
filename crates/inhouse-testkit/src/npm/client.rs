use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{NpmError, integrity};

/// The npm client, which knows the registry, the proxy and the credentials of the user.
#[derive(Clone, Debug)]
pub struct Npm {
    program: OsString,
}

/// Error codes of npm for a registry that cannot be reached.
const NETWORK_CODES: [&str; 9] = [
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENETWORK",
    "ENOTFOUND",
    "ERR_SOCKET_TIMEOUT",
    "ETIMEDOUT",
];

impl Npm {
    /// Uses the npm client in the search path.
    #[must_use]
    pub fn in_path() -> Self {
        Self::at(if cfg!(windows) { "npm.cmd" } else { "npm" })
    }

    /// Uses the npm client at a path.
    pub fn at(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
        }
    }

    /// Returns the newest version of a package: that of the tag `latest`.
    ///
    /// # Errors
    ///
    /// If npm cannot be started or fails.
    pub fn newest(&self, package: &str) -> Result<String, NpmError> {
        self.view(package, "version")
    }

    /// Returns the hash that the registry has for a package, such as `name@1.2.3`.
    ///
    /// # Errors
    ///
    /// If npm cannot be started or fails.
    pub fn integrity(&self, package: &str) -> Result<String, NpmError> {
        self.view(package, "dist.integrity")
    }

    /// Downloads a package such as `name@1.2.3` into an empty directory, checks its hash, and unpacks it.
    ///
    /// Returns the directory with the files of the package. Blocks until the download is complete. A caller that has no hash uses
    /// that of [`integrity`](Self::integrity).
    ///
    /// # Errors
    ///
    /// If npm or tar cannot be started or fail, or if the downloaded file does not have the hash `expected`.
    pub fn download(
        &self,
        package: &str,
        expected: &str,
        directory: &Path,
    ) -> Result<PathBuf, NpmError> {
        // In the empty directory and not in a project, whose package.json and .npmrc would change the result.
        self.run(&["pack", "--loglevel=error", package], directory)?;
        let tarball = tarball_in(directory)
            .map_err(failed("reading", directory))?
            .ok_or_else(|| NpmError::UnexpectedOutput {
                arguments: format!("pack {package}"),
                output: "no file".to_owned(),
            })?;
        let found = integrity::of_file(&tarball).map_err(failed("reading", &tarball))?;
        if found != expected {
            fs::remove_file(&tarball).map_err(failed("removing", &tarball))?;
            return Err(NpmError::WrongHash {
                package: package.to_owned(),
                expected: expected.to_owned(),
                found,
            });
        }
        let mut unpack = Command::new("tar");
        unpack.arg("-xzf").arg(&tarball).current_dir(directory);
        run("tar", unpack)?;
        fs::remove_file(&tarball).map_err(failed("removing", &tarball))?;
        Ok(directory.join("package"))
    }

    fn view(&self, package: &str, field: &str) -> Result<String, NpmError> {
        let arguments = ["view", "--loglevel=error", package, field];
        let output = self.run(&arguments, &std::env::temp_dir())?;
        let value = output.trim();
        if value.is_empty() || value.contains(char::is_whitespace) {
            return Err(NpmError::UnexpectedOutput {
                arguments: arguments.join(" "),
                output,
            });
        }
        Ok(value.to_owned())
    }

    /// Runs npm in a directory and returns what it printed.
    fn run(&self, arguments: &[&str], directory: &Path) -> Result<String, NpmError> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(directory);
        run("npm", command).map_err(|error| match error {
            NpmError::CommandFailed { stderr, .. } if code(&stderr).is_some_and(is_missing) => {
                let package = arguments.iter().find(|argument| argument.contains('@'));
                NpmError::NoSuchVersion {
                    package: package.copied().unwrap_or_default().to_owned(),
                }
            }
            NpmError::CommandFailed { stderr, .. }
                if code(&stderr).is_some_and(|code| NETWORK_CODES.contains(&code)) =>
            {
                NpmError::NoNetwork {
                    code: code(&stderr).unwrap_or_default().to_owned(),
                }
            }
            other => other,
        })
    }
}

/// Returns the code of an error of npm, which is in its line `npm error code <code>`.
fn code(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| {
        let mut words = line.split_whitespace().rev();
        let code = words.next()?;
        (words.next() == Some("code")).then_some(code)
    })
}

fn is_missing(code: &str) -> bool {
    matches!(code, "E404" | "ETARGET")
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

/// Runs a command to completion and returns what it printed.
fn run(name: &'static str, mut command: Command) -> Result<String, NpmError> {
    let output =
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|source| NpmError::CommandMissing {
                command: name,
                source,
            })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(NpmError::CommandFailed {
        command: name,
        status: output.status.to_string(),
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> NpmError + use<> {
    let path = path.to_owned();
    move |source| NpmError::Io {
        doing,
        path,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_read_from_both_forms_of_npm() {
        assert_eq!(code("npm error code E404\nnpm error 404"), Some("E404"));
        assert_eq!(code("npm ERR! code ENOTFOUND"), Some("ENOTFOUND"));
        assert_eq!(code("something else"), None);
    }
}
