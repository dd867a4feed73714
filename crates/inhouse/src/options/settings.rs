use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Options;
use super::redacted::Redacted;
use crate::error::{Error, Result};

#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsOptions {
    pub(crate) settings: Option<Settings>,
    pub(crate) managed: Option<Redacted<Value>>,
    pub(crate) sources: Option<Vec<SettingSource>>,
    pub(crate) project_config_root: Option<PathBuf>,
}

/// Options for settings and their files.
impl Options {
    /// Sets settings for this session, with precedence over the user, project and local settings.
    ///
    /// Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    /// use serde_json::json;
    ///
    /// let cli = launch(Options::new().settings(json!({"permissions": {"deny": ["WebFetch"]}})));
    /// assert!(cli.has_arg(r#"--settings={"permissions":{"deny":["WebFetch"]}}"#));
    ///
    /// let cli = launch(Options::new().settings("agent-settings.json"));
    /// assert!(cli.has_arg("--settings=agent-settings.json"));
    /// ```
    pub fn settings(mut self, settings: impl Into<Settings>) -> Self {
        self.settings.settings = Some(settings.into());
        self
    }

    /// Sets settings of the policy tier, which no other settings of the session can loosen.
    ///
    /// The CLI applies only settings that restrict the session, and may ignore all of them on a
    /// machine with a policy of an administrator. Settings above 100 KiB, or with a secret such as
    /// `env`, are sent in `initialize`: connecting then fails unless the CLI confirms them, and CLI
    /// versions without support, such as 2.1.197, refuse to start. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    /// use serde_json::json;
    ///
    /// let policy = json!({"permissions": {"deny": ["Bash"]}});
    /// let cli = launch(Options::new().managed_settings(policy));
    /// assert!(cli.has_arg(r#"--managed-settings={"permissions":{"deny":["Bash"]}}"#));
    /// ```
    pub fn managed_settings(mut self, settings: impl Into<Value>) -> Self {
        self.settings.managed = Some(Redacted(settings.into()));
        self
    }

    /// Sets which settings files the CLI loads.
    ///
    /// **Default: all of them.** An empty list isolates the session from the settings of the machine.
    /// [`SettingSource::Project`] also loads the `CLAUDE.md` of the project.
    ///
    /// ```
    /// use inhouse::options::{Options, SettingSource};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().setting_sources([SettingSource::User]));
    /// assert!(cli.has_arg("--setting-sources=user"));
    /// assert!(launch(Options::new().setting_sources([])).has_arg("--setting-sources="));
    /// ```
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.settings.sources = Some(sources.into_iter().collect());
        self
    }

    /// Sets the trusted checkout from which the CLI reads the configuration of the project.
    ///
    /// The path must be absolute. CLI 2.1.197 does not support it and refuses to start. Default:
    /// none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// # if cfg!(unix) {
    /// let cli = launch(Options::new().project_config_root("/srv/checkout"));
    /// assert!(cli.has_arg("--project-config-root=/srv/checkout"));
    /// # }
    /// ```
    pub fn project_config_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.settings.project_config_root = Some(root.into());
        self
    }
}

/// Settings as a JSON value, as JSON text or as the path of a file.
///
/// A string that starts with `{` and ends with `}` is JSON text; any other string is a path.
///
/// ```
/// use inhouse::options::{Options, Settings};
/// use inhouse_testkit::fake::launch;
///
/// let cli = launch(Options::new().settings(Settings::file("{odd}.json")));
/// assert!(cli.has_arg("--settings={odd}.json"));
/// let cli = launch(Options::new().settings(Settings::json(r#"{"model": "opus"}"#)));
/// assert!(cli.has_arg(r#"--settings={"model":"opus"}"#));
/// ```
#[derive(Clone)]
#[must_use = "set it with `Options::settings`"]
pub struct Settings(pub(crate) SettingsForm);

#[derive(Clone)]
pub(crate) enum SettingsForm {
    File(PathBuf),
    Json(String),
    Value(Value),
}

impl Settings {
    /// Uses the settings of a file.
    ///
    /// A relative path is resolved against the CLI's working directory.
    ///
    /// ```
    /// use inhouse::options::{Options, Settings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().settings(Settings::file("agent.json")));
    /// assert!(cli.has_arg("--settings=agent.json"));
    /// ```
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(SettingsForm::File(path.into()))
    }

    /// Uses the settings in a JSON text.
    ///
    /// ```
    /// use inhouse::options::{Options, Settings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let settings = Settings::json(r#"{"model": "opus"}"#);
    /// let cli = launch(Options::new().settings(settings));
    /// assert!(cli.has_arg(r#"--settings={"model":"opus"}"#));
    /// ```
    pub fn json(text: impl Into<String>) -> Self {
        Self(SettingsForm::Json(text.into()))
    }
}

impl From<Value> for Settings {
    fn from(value: Value) -> Self {
        Self(SettingsForm::Value(value))
    }
}

impl From<&str> for Settings {
    fn from(text: &str) -> Self {
        let trimmed = text.trim();
        if trimmed.starts_with('{') && trimmed.ends_with('}') {
            Self::json(trimmed)
        } else {
            Self::file(text)
        }
    }
}

impl From<String> for Settings {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<PathBuf> for Settings {
    fn from(path: PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<&Path> for Settings {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

/// Shows the path of a file, and not the settings, which may contain secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SettingsForm::File(path) => f.debug_tuple("File").field(path).finish(),
            SettingsForm::Json(text) => f.debug_tuple("Json").field(&Redacted(text)).finish(),
            SettingsForm::Value(value) => f.debug_tuple("Value").field(&Redacted(value)).finish(),
        }
    }
}

/// A settings file that the CLI loads.
///
/// Text and JSON have the names of the CLI's flag `--setting-sources`, for hosts with a configuration
/// file:
///
/// ```
/// use inhouse::options::SettingSource;
///
/// let sources: Vec<SettingSource> = serde_json::from_str(r#"["user", "project"]"#)?;
/// assert_eq!(sources, [SettingSource::User, SettingSource::Project]);
///
/// assert_eq!("local".parse::<SettingSource>()?, SettingSource::Local);
/// let error = "global".parse::<SettingSource>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown setting source `global`; use `user`, `project` or `local`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SettingSource {
    /// The settings of the user.
    User,
    /// The shared settings of the project, with its `CLAUDE.md`.
    Project,
    /// The settings of the user for the project.
    Local,
}

impl SettingSource {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl FromStr for SettingSource {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::User, Self::Project, Self::Local]
            .into_iter()
            .find(|source| source.as_str() == name)
            .ok_or_else(|| {
                Error::config(format!(
                    "unknown setting source `{name}`; use `user`, `project` or `local`"
                ))
            })
    }
}
