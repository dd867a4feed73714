use crate::control::PermissionMode;
use inhouse_macros::Open;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A change to the permissions of a session or of a settings file.
///
/// The CLI suggests some with a permission request; an answer that allows the call may carry
/// them back, unchanged or not.
///
/// ```
/// use inhouse_proto::control::{PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination};
///
/// let update = PermissionUpdate::add_rules(
///     [PermissionRule::new("Bash").content("ls:*")],
///     PermissionBehavior::Allow,
///     UpdateDestination::Session,
/// );
/// assert_eq!(
///     serde_json::to_value(update)?,
///     serde_json::json!({
///         "type": "addRules",
///         "rules": [{"toolName": "Bash", "ruleContent": "ls:*"}],
///         "behavior": "allow",
///         "destination": "session",
///     }),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules(RuleUpdate),
    /// Puts rules in the place of all others with the same behavior.
    ReplaceRules(RuleUpdate),
    /// Removes rules.
    RemoveRules(RuleUpdate),
    /// Changes the permission mode.
    SetMode(ModeUpdate),
    /// Adds working directories.
    AddDirectories(DirectoryUpdate),
    /// Removes working directories.
    RemoveDirectories(DirectoryUpdate),
    /// A value that this version cannot type.
    #[serde(untagged)]
    Unknown(Value),
}

/// What a rule says about the calls that it matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PermissionBehavior {
    /// Run them.
    Allow,
    /// Refuse them.
    Deny,
    /// Ask about them.
    Ask,
    /// A value that this version does not know.
    Unknown(String),
}

/// Where a [`PermissionUpdate`] is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum UpdateDestination {
    /// The user's settings file.
    UserSettings,
    /// The project's settings file, which is shared.
    ProjectSettings,
    /// The project's settings file of this machine.
    LocalSettings,
    /// Memory, until the session ends.
    Session,
    /// The layer of the command line.
    CliArg,
    /// A value that this version does not know.
    Unknown(String),
}

/// A tool, or some of the calls to it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionRule {
    /// The tool's name.
    pub tool_name: String,
    /// Which calls are meant; all of them if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl PermissionRule {
    /// All calls to a tool.
    #[must_use]
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
        }
    }

    /// Narrows the rule to some calls, such as `ls:*`.
    #[must_use]
    pub fn content(mut self, content: impl Into<String>) -> Self {
        self.rule_content = Some(content.into());
        self
    }
}

/// Rules to add, replace or remove.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleUpdate {
    /// The rules.
    pub rules: Vec<PermissionRule>,
    /// What the rules say about the calls that they match.
    pub behavior: PermissionBehavior,
    /// Where the change is kept.
    pub destination: UpdateDestination,
}

/// A change of the permission mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModeUpdate {
    /// The new mode.
    pub mode: PermissionMode,
    /// Where the change is kept.
    pub destination: UpdateDestination,
}

/// Working directories to add or remove.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DirectoryUpdate {
    /// The directories.
    pub directories: Vec<String>,
    /// Where the change is kept.
    pub destination: UpdateDestination,
}

impl PermissionUpdate {
    /// Creates an update that adds rules.
    #[must_use]
    pub fn add_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::AddRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that replaces all rules of the same behavior.
    #[must_use]
    pub fn replace_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::ReplaceRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that removes rules.
    #[must_use]
    pub fn remove_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::RemoveRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that changes the permission mode.
    #[must_use]
    pub fn set_mode(mode: PermissionMode, destination: UpdateDestination) -> Self {
        Self::SetMode(ModeUpdate { mode, destination })
    }

    /// Creates an update that adds working directories.
    #[must_use]
    pub fn add_directories<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: UpdateDestination,
    ) -> Self {
        Self::AddDirectories(DirectoryUpdate::new(directories, destination))
    }

    /// Creates an update that removes working directories.
    #[must_use]
    pub fn remove_directories<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: UpdateDestination,
    ) -> Self {
        Self::RemoveDirectories(DirectoryUpdate::new(directories, destination))
    }
}

impl RuleUpdate {
    fn new(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self {
            rules: rules.into_iter().collect(),
            behavior,
            destination,
        }
    }
}

impl DirectoryUpdate {
    fn new<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: UpdateDestination,
    ) -> Self {
        Self {
            directories: directories.into_iter().map(Into::into).collect(),
            destination,
        }
    }
}
