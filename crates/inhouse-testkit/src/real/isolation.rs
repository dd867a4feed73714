use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tokio::process::Command;

/// The world of one run of the CLI: directories of its own, an environment made from nothing, a scripted model.
///
/// Made by [`RealCli::isolated`](super::RealCli::isolated). The directories are removed when this value is dropped, so keep
/// it for as long as the CLI runs. Two runs that share one (to resume a session, say) see the same files.
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
        // The CLI reports resolved paths, and a test that compares with them should not stumble over a symbolic link.
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

    /// The path of the CLI.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The home directory, empty at first.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Where the CLI keeps its settings and transcripts, empty at first.
    #[must_use]
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// The project that the CLI runs in, empty at first and not a git repository.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The complete environment, to be used with a cleared one.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, OsString> {
        &self.env
    }

    /// A command for the CLI in this world, without arguments, killed when its child is dropped.
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
            // Without it, sockets and scratch files land in the machine's own temporary directory.
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
