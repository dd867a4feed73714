use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Options;
use super::hidden::Hidden;

#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsOptions {
    pub(crate) settings: Option<Settings>,
    pub(crate) managed: Option<Hidden<Value>>,
    pub(crate) sources: Option<Vec<SettingSource>>,
    pub(crate) project_config_root: Option<PathBuf>,
}

/// Settings.
impl Options {
    /// Settings for this session, above those of the files.
    ///
    /// ```
    /// use inhouse::options::{Options, Settings};
    /// use serde_json::json;
    ///
    /// let from_value = Options::new().settings(json!({"permissions": {"deny": ["WebFetch"]}}));
    /// let from_file = Options::new().settings(Settings::file("agent-settings.json"));
    /// # let _ = (from_value, from_file);
    /// ```
    #[must_use]
    pub fn settings(mut self, settings: impl Into<Settings>) -> Self {
        self.settings.settings = Some(settings.into());
        self
    }

    /// Settings of the policy tier, which nothing in the session can loosen.
    ///
    /// The CLI takes only those that restrict, and may ignore them where an administrator has set
    /// a policy. Those above 100 KiB, or with a secret such as `env`, travel in the first request,
    /// which a CLI that is too old for it, such as 2.1.197, refuses; connecting fails unless the CLI
    /// confirms them.
    #[must_use]
    pub fn managed_settings(mut self, settings: impl Into<Value>) -> Self {
        self.settings.managed = Some(Hidden(settings.into()));
        self
    }

    /// Which settings files are loaded.
    ///
    /// **Unset, all of them are**; an empty list isolates the session from the machine.
    /// [`SettingSource::Project`] also brings the `CLAUDE.md` of the project.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.settings.sources = Some(sources.into_iter().collect());
        self
    }

    /// The trusted checkout from which the project's configuration is taken; an absolute path.
    ///
    /// A CLI that is too old for it, such as 2.1.197, refuses to start.
    #[must_use]
    pub fn project_config_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.settings.project_config_root = Some(root.into());
        self
    }
}

/// Settings, as a value, as JSON text or in a file.
///
/// A string that starts with `{` and ends with `}` is JSON text; any other names a file.
#[derive(Clone)]
pub struct Settings(pub(crate) SettingsForm);

#[derive(Clone)]
pub(crate) enum SettingsForm {
    File(PathBuf),
    Json(String),
    Value(Value),
}

impl Settings {
    /// The settings in this file; a relative path counts from the CLI's working directory.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(SettingsForm::File(path.into()))
    }

    /// The settings in this JSON text.
    #[must_use]
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

/// Shows the path of a file, and nothing of the settings themselves: they may hold secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SettingsForm::File(path) => f.debug_tuple("File").field(path).finish(),
            SettingsForm::Json(text) => f.debug_tuple("Json").field(&Hidden(text)).finish(),
            SettingsForm::Value(value) => f.debug_tuple("Value").field(&Hidden(value)).finish(),
        }
    }
}

/// A place from which settings are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SettingSource {
    /// The user's own.
    User,
    /// Those that the project shares, with its `CLAUDE.md`.
    Project,
    /// The user's own for the project.
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
