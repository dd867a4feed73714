use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::directory::private_file;
use crate::error::{Error, ErrorKind, Result};
use crate::launch::{HostEnvironment, child_variable};
use crate::options::Options;

/// The files that the CLI would use without a store, as far as they hold settings or the login.
pub(super) struct ConfigHome {
    /// The configuration directory.
    directory: Option<PathBuf>,
    /// The directory with `.claude.json`: the same one, or the home directory.
    state: Option<PathBuf>,
}

/// Members of settings that name plugins, which are installed in the configuration directory.
const PLUGIN_SETTINGS: [&str; 3] = [
    "enabledPlugins",
    "extraKnownMarketplaces",
    "additionalMarketplaces",
];

impl ConfigHome {
    /// Finds the directories that the CLI would use with these options.
    pub(super) fn find(options: &Options, host: &HostEnvironment) -> Self {
        let variable = |name| child_variable(options, host, name).filter(|value| !value.is_empty());
        if let Some(directory) = variable("CLAUDE_CONFIG_DIR").map(PathBuf::from) {
            return Self {
                directory: Some(directory.clone()),
                state: Some(directory),
            };
        }
        let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let home = home.map(PathBuf::from);
        Self {
            directory: home.as_ref().map(|home| home.join(".claude")),
            state: home,
        }
    }

    /// Copies the files to the configuration directory of a session. Files that do not exist are skipped.
    ///
    /// # Errors
    /// `Store` if a file cannot be written, or the login cannot be read.
    pub(super) fn copy_to(&self, target: &Path) -> Result<()> {
        let files: [(&Option<PathBuf>, &str, Edit); 5] = [
            (&self.directory, ".credentials.json", without_refresh_token),
            (&self.state, ".claude.json", |_| ()),
            (&self.directory, ".config.json", |_| ()),
            (&self.directory, "settings.json", without_plugins),
            (&self.directory, "cowork_settings.json", without_plugins),
        ];
        for (source, name, edit) in files {
            let Some(source) = source else { continue };
            let content = match fs::read(source.join(name)) {
                Ok(content) => content,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if name == ".credentials.json" => return Err(failed(name, error)),
                Err(error) => {
                    tracing::warn!(name, %error, "settings are not copied to the session");
                    continue;
                }
            };
            let file = private_file().create_new(true).open(target.join(name));
            file.and_then(|mut file| file.write_all(&edited(content, edit)))
                .map_err(|error| failed(name, error))?;
        }
        Ok(())
    }
}

/// A change of the content of a file.
type Edit = fn(&mut Value);

/// Changes the content of a file; one that is not JSON stays as it is.
fn edited(content: Vec<u8>, edit: Edit) -> Vec<u8> {
    let text = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else {
        return content;
    };
    let before = value.clone();
    edit(&mut value);
    match value == before {
        true => content,
        false => value.to_string().into_bytes(),
    }
}

/// Removes the refresh token. A refresh by this CLI would use it up, and the login of the caller would end.
fn without_refresh_token(credentials: &mut Value) {
    if let Some(login) = credentials["claudeAiOauth"].as_object_mut() {
        login.remove("refreshToken");
    }
}

fn without_plugins(settings: &mut Value) {
    let Some(settings) = settings.as_object_mut() else {
        return;
    };
    for name in PLUGIN_SETTINGS {
        settings.remove(name);
    }
    if let Some(env) = settings.get_mut("env").and_then(Value::as_object_mut) {
        env.remove("CLAUDE_CONFIG_DIR");
    }
}

fn failed(name: impl AsRef<OsStr>, error: io::Error) -> Error {
    let name = name.as_ref().display();
    let text = format!("{name} cannot be copied to the directory of the session");
    Error::new(ErrorKind::Store, text).with_source(error)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn login_is_copied_without_its_refresh_token_and_settings_without_plugins() {
        let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let credentials =
            json!({"claudeAiOauth": {"accessToken": "a", "refreshToken": "r"}, "other": 1});
        let settings = json!({"enabledPlugins": {"p": true}, "env": {"CLAUDE_CONFIG_DIR": "/c", "A": "1"}, "model": "opus"});
        let files = [
            (".credentials.json", credentials.to_string()),
            ("settings.json", format!("\u{feff}{settings}")),
            ("cowork_settings.json", "// not JSON".to_owned()),
            (".claude.json", "{\"userID\": 1}".to_owned()),
            ("history.jsonl", "{}".to_owned()),
        ];
        for (name, content) in files {
            fs::write(source.path().join(name), content).unwrap();
        }
        let directory = source.path().to_string_lossy().into_owned();
        let options = Options::new().env("CLAUDE_CONFIG_DIR", directory);
        let home = ConfigHome::find(&options, &HostEnvironment::default());
        home.copy_to(target.path()).unwrap();

        let text = |name| fs::read_to_string(target.path().join(name)).ok();
        let value = |name| serde_json::from_str::<Value>(&text(name).unwrap()).unwrap();
        assert_eq!(
            value(".credentials.json"),
            json!({"claudeAiOauth": {"accessToken": "a"}, "other": 1})
        );
        assert_eq!(
            value("settings.json"),
            json!({"env": {"A": "1"}, "model": "opus"})
        );
        assert_eq!(text("cowork_settings.json").as_deref(), Some("// not JSON"));
        assert_eq!(text(".claude.json").as_deref(), Some("{\"userID\": 1}"));
        assert_eq!(text("history.jsonl"), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = fs::metadata(target.path().join(".credentials.json")).unwrap();
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn state_of_the_cli_is_in_the_home_directory_by_default() {
        let (home, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(home.path().join(".claude")).unwrap();
        fs::write(home.path().join(".claude.json"), "{}").unwrap();
        fs::write(home.path().join(".claude/settings.json"), "{}").unwrap();
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let host = HostEnvironment::from_iter([(name, home.path())]);
        let found = ConfigHome::find(&Options::new(), &host);
        found.copy_to(target.path()).unwrap();
        assert!(target.path().join(".claude.json").exists());
        assert!(target.path().join("settings.json").exists());
    }
}
