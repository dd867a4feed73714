use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use inhouse::Options;
use tempfile::TempDir;
use tokio::process::Command;

/// The directories and the environment for a run of the CLI, connected to a scripted model.
///
/// Created by [`RealCli::isolated`](super::RealCli::isolated). Dropping it removes the directories, so keep it while the
/// CLI runs. Several runs can share one, for example to resume a session.
///
/// # Several processes
///
/// A test that kills its host runs the host in another process. [`host_env`](Self::host_env) is the environment for it, and
/// [`from_env`](Self::from_env) returns the same isolation there. Only the value of the test removes the directories.
#[derive(Debug)]
pub struct Isolation {
    program: PathBuf,
    root: PathBuf,
    home: PathBuf,
    config_dir: PathBuf,
    cwd: PathBuf,
    env: BTreeMap<String, OsString>,
    /// `None` in a process that did not create the directories.
    _owned: Option<TempDir>,
}

/// The variable of [`Isolation::host_env`] with the directory of everything.
const ROOT: &str = "INHOUSE_ISOLATION";

/// The variable of [`Isolation::host_env`] with the path of the CLI.
const PROGRAM: &str = "INHOUSE_ISOLATION_CLI";

/// The variable by which the CLI finds its model.
const BASE_URL: &str = "ANTHROPIC_BASE_URL";

impl Isolation {
    pub(super) fn new(program: &Path, base_url: &str) -> io::Result<Self> {
        let owned = TempDir::with_prefix("inhouse-")?;
        // The CLI reports resolved paths; tests compare them with these.
        let root = owned.path().canonicalize()?;
        let isolation = Self::below(root, program.to_owned(), base_url.as_ref(), Some(owned));
        for directory in ["home", "config", "project", "tmp"] {
            fs::create_dir(isolation.root.join(directory))?;
        }
        Ok(isolation)
    }

    /// Returns the isolation of the process that started this one with [`host_env`](Self::host_env); `None` in any other process.
    ///
    /// A test executable that starts itself can so decide whether it is the test or the host.
    ///
    /// ```
    /// use inhouse_testkit::Isolation;
    ///
    /// assert!(Isolation::from_env().is_none()); // this process is not a host of a test
    /// ```
    #[must_use]
    pub fn from_env() -> Option<Self> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let root = variable(ROOT)?.into();
        let program = variable(PROGRAM)?.into();
        Some(Self::below(root, program, &variable(BASE_URL)?, None))
    }

    fn below(root: PathBuf, program: PathBuf, base_url: &OsStr, owned: Option<TempDir>) -> Self {
        let [home, config_dir, cwd, temp] =
            ["home", "config", "project", "tmp"].map(|name| root.join(name));
        let env = environment(base_url, &home, &config_dir, &temp);
        Self {
            program,
            root,
            home,
            config_dir,
            cwd,
            env,
            _owned: owned,
        }
    }

    /// Returns the complete environment for a host process that uses this isolation: [`env`](Self::env), and the variables that
    /// [`from_env`](Self::from_env) reads.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use inhouse_testkit::{RealCli, ScriptedModel};
    ///
    /// let model = ScriptedModel::start().await?;
    /// let isolation = RealCli::pinned()?.isolated(&model)?;
    /// let mut host = std::process::Command::new("target/debug/agent");
    /// host.env_clear().envs(isolation.host_env());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn host_env(&self) -> BTreeMap<String, OsString> {
        let mut env = self.env.clone();
        env.insert(ROOT.to_owned(), self.root.clone().into());
        env.insert(PROGRAM.to_owned(), self.program.clone().into());
        env
    }

    /// Returns the path of the CLI.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the directory that has all others of this isolation.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the home directory, which is empty at first.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the directory for settings and transcripts (`CLAUDE_CONFIG_DIR`), which is empty at first.
    #[must_use]
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// Returns the working directory, which is empty at first and not a git repository.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the complete environment; nothing else must be inherited.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, OsString> {
        &self.env
    }

    /// Returns a command that runs the CLI here, without arguments; the child is killed on drop.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(&self.env)
            .current_dir(&self.cwd)
            .kill_on_drop(true);
        command
    }

    /// Returns options that run the CLI here; every other option has its default.
    pub fn options(&self) -> Options {
        self.apply(Options::new())
    }

    /// Changes options so that they run the CLI here.
    ///
    /// The path of the CLI, the working directory and the variables of [`env`](Self::env) are replaced; everything else stays.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use inhouse::Options;
    /// use inhouse_testkit::{RealCli, ScriptedModel};
    ///
    /// let model = ScriptedModel::start().await?;
    /// let isolation = RealCli::pinned()?.isolated(&model)?;
    /// let options = isolation.apply(Options::new().allow_tools(["Bash"]));
    /// # let _ = options;
    /// # Ok(()) }
    /// ```
    pub fn apply(&self, options: Options) -> Options {
        options
            .cli_path(self.program())
            .clean_env()
            .envs(self.env())
            .cwd(self.cwd())
    }
}

fn environment(
    base_url: &OsStr,
    home: &Path,
    config_dir: &Path,
    temp: &Path,
) -> BTreeMap<String, OsString> {
    let mut env = BTreeMap::from(
        [
            ("ANTHROPIC_API_KEY", OsString::from("dummy")),
            (BASE_URL, base_url.into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("CLAUDE_CONFIG_DIR", config_dir.into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
            ("HOME", home.into()),
            // Otherwise the CLI creates sockets and temporary files in the machine's temporary directory.
            ("TMPDIR", temp.into()),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    if cfg!(windows) {
        let system_root = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
        env.insert(
            "PATH".to_owned(),
            Path::new(&system_root).join("System32").into(),
        );
        env.insert("SystemRoot".to_owned(), system_root);
        env.insert("USERPROFILE".to_owned(), home.into());
        env.insert("TEMP".to_owned(), temp.into());
        env.insert("TMP".to_owned(), temp.into());
    } else {
        env.insert("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".into());
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolation_uses_one_directory_and_removes_it() {
        let isolation = Isolation::new(Path::new("/bin/claude"), "http://127.0.0.1:1").unwrap();
        let root = isolation.root().to_owned();
        for path in [isolation.home(), isolation.config_dir(), isolation.cwd()] {
            assert!(
                path.is_dir() && path.starts_with(&root),
                "{}",
                path.display()
            );
        }
        assert!(Path::new(&isolation.env()["TMPDIR"]).starts_with(&root));
        drop(isolation);
        assert!(!root.exists());
    }

    #[test]
    fn another_process_uses_the_same_directories_and_does_not_remove_them() {
        let isolation = Isolation::new(Path::new("/bin/claude"), "http://127.0.0.1:1").unwrap();
        let env = isolation.host_env();
        let shared = Isolation::from_variables(|name| env.get(name).cloned()).unwrap();
        assert_eq!(shared.env(), isolation.env());
        assert_eq!(shared.program(), isolation.program());
        assert_eq!(shared.cwd(), isolation.cwd());
        drop(shared);
        assert!(isolation.cwd().is_dir());
        assert!(Isolation::from_variables(|_| None).is_none());
    }
}
