use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use super::{
    InstallError, Isolation, RealCliUnavailable, cache,
    install::{self, Source},
    platform,
    release::{BINARY, Release},
    unavailable::Reason,
};
use crate::{model::ScriptedModel, npm::Npm};

/// A real CLI of a known version.
///
/// The [module](super) lists where it is searched. The first call on a machine downloads it; later calls use the cache.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use inhouse_testkit::{model::ScriptedModel, real::RealCli};
///
/// let model = ScriptedModel::start().await?;
/// let isolation = RealCli::pinned()?.isolated(&model)?;
/// let version = isolation.command().arg("--version").output().await?;
/// assert!(version.status.success());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct RealCli {
    program: PathBuf,
}

impl RealCli {
    /// Finds or installs the version that this kit is tested with: 2.1.325.
    ///
    /// # Errors
    ///
    /// If it is neither found nor can be installed; the error says why and what to do.
    pub fn pinned() -> Result<Self, RealCliUnavailable> {
        Self::of(&Release::PINNED)
    }

    /// Finds or installs the oldest supported version: 2.1.197.
    ///
    /// # Errors
    ///
    /// As for [`pinned`](RealCli::pinned).
    pub fn oldest() -> Result<Self, RealCliUnavailable> {
        Self::of(&Release::OLDEST)
    }

    /// Uses the CLI at this path, whatever its version.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use inhouse_testkit::RealCli;
    ///
    /// assert_eq!(RealCli::at("/opt/claude").program(), Path::new("/opt/claude"));
    /// ```
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
        }
    }

    /// Returns the path of the binary.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Creates the directories and the environment for a run of the CLI with this model.
    ///
    /// # Errors
    ///
    /// If the temporary directories cannot be created.
    pub fn isolated(&self, model: &ScriptedModel) -> io::Result<Isolation> {
        self.isolated_at(&model.base_url())
    }

    /// Creates the directories and the environment for a run of the CLI with the model at this address.
    ///
    /// For a model in another process, such as that of a test whose hosts are processes. A host that shares the directories of the
    /// test uses [`Isolation::from_env`] instead.
    ///
    /// ```no_run
    /// use inhouse_testkit::RealCli;
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let isolation = RealCli::pinned()?.isolated_at("http://127.0.0.1:8080")?;
    /// assert_eq!(isolation.env()["ANTHROPIC_BASE_URL"], "http://127.0.0.1:8080");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// If the temporary directories cannot be created.
    pub fn isolated_at(&self, base_url: &str) -> io::Result<Isolation> {
        Isolation::new(&self.program, base_url)
    }

    fn of(release: &Release) -> Result<Self, RealCliUnavailable> {
        let program = locate(release, &|name| env::var_os(name), &Npm::in_path());
        let program = program.map_err(|reason| {
            RealCliUnavailable::new(release.version, release.override_variable, reason)
        })?;
        Ok(Self { program })
    }
}

fn locate(
    release: &Release,
    env: &dyn Fn(&str) -> Option<OsString>,
    npm: &Npm,
) -> Result<PathBuf, Reason> {
    if let Some(program) = env(release.override_variable).filter(|path| !path.is_empty()) {
        let program = PathBuf::from(program);
        return if program.is_file() {
            Ok(program)
        } else {
            Err(Reason::OverrideMissing(program))
        };
    }
    let cache = cache::directory(env).ok_or(InstallError::NoCache)?;
    let cached = cache.join(release.version).join(BINARY);
    if cached.is_file() {
        return Ok(cached);
    }
    let platform = platform::suffix().ok_or(InstallError::NoPackage)?;
    let source = Source::of_release(release, &platform)?;
    Ok(install::install_in_cache(&source, &cache, npm)?.program)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::npm::NpmError;

    #[test]
    fn environment_precedes_cache_and_cache_precedes_npm() {
        let directory = tempfile::tempdir().unwrap();
        let given = directory.path().join("given");
        let cached = directory.path().join(Release::PINNED.version).join(BINARY);
        fs::write(&given, "").unwrap();
        fs::create_dir_all(cached.parent().unwrap()).unwrap();
        fs::write(&cached, "").unwrap();
        let no_npm = Npm::at("no-such-npm");
        let locate = |given: Option<&Path>, release: &Release| {
            let env = |name: &str| match name {
                "INHOUSE_REAL_CLI" => given.map(OsString::from),
                "INHOUSE_TESTKIT_CACHE" => Some(directory.path().into()),
                _ => None,
            };
            locate(release, &env, &no_npm)
        };
        assert_eq!(locate(Some(&given), &Release::PINNED).unwrap(), given);
        assert_eq!(locate(None, &Release::PINNED).unwrap(), cached);
        let oldest = locate(None, &Release::OLDEST);
        assert!(
            matches!(
                oldest,
                Err(Reason::Install(InstallError::Npm(
                    NpmError::CommandMissing { .. }
                )))
            ),
            "{oldest:?}"
        );
        let wrong = locate(Some(Path::new("/no/such/file")), &Release::PINNED);
        assert!(
            matches!(wrong, Err(Reason::OverrideMissing(_))),
            "{wrong:?}"
        );
    }
}
