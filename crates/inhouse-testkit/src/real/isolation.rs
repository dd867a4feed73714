use std::{
    collections::BTreeMap,
    ffi::OsString,
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
#[derive(Debug)]
pub struct Isolation {
    program: PathBuf,
    home: PathBuf,
    config_dir: PathBuf,
    cwd: PathBuf,
    env: BTreeMap<String, OsString>,
    _root: TempDir,
}

impl Isolation {
    pub(super) fn new(program: &Path, base_url: &str) -> io::Result<Self> {
        let root = TempDir::with_prefix("inhouse-")?;
        // The CLI reports resolved paths; tests compare them with these.
        let path = root.path().canonicalize()?;
        let [home, config_dir, cwd, temp] =
            ["home", "config", "project", "tmp"].map(|name| path.join(name));
        for directory in [&home, &config_dir, &cwd, &temp] {
            fs::create_dir(directory)?;
        }
        let env = environment(base_url, &home, &config_dir, &temp);
        Ok(Self {
            program: program.to_owned(),
            home,
            config_dir,
            cwd,
            env,
            _root: root,
        })
    }

    /// Returns the path of the CLI.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
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
        Options::new()
            .cli_path(self.program())
            .clean_env()
            .envs(self.env())
            .cwd(self.cwd())
    }
}

fn environment(
    base_url: &str,
    home: &Path,
    config_dir: &Path,
    temp: &Path,
) -> BTreeMap<String, OsString> {
    let mut env = BTreeMap::from(
        [
            ("ANTHROPIC_API_KEY", OsString::from("dummy")),
            ("ANTHROPIC_BASE_URL", base_url.into()),
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
        let root = isolation.home().parent().unwrap().to_owned();
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
}
