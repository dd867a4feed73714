use crate::control::PermissionMode;
use inhouse_macros::Open;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A change to the permissions of a session or of a settings file.
///
/// A permission request of the CLI suggests updates. An answer that allows the call may return them, changed or
/// unchanged, for "always allow".
///
/// ```
/// # mod inhouse { pub use inhouse_proto::control as permission; }
/// use inhouse::permission::{
///     PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination,
/// };
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
    /// Adds the rules to those of the destination.
    AddRules(RuleUpdate),
    /// Replaces all rules of the destination that have the same behavior.
    ReplaceRules(RuleUpdate),
    /// Removes the rules from those of the destination.
    RemoveRules(RuleUpdate),
    /// Changes the permission mode of the destination.
    SetMode(ModeUpdate),
    /// Adds directories to the working directories.
    AddDirectories(DirectoryUpdate),
    /// Removes directories from the working directories.
    RemoveDirectories(DirectoryUpdate),
    /// An update of an unknown type or shape, as the CLI wrote it.
    #[serde(untagged)]
    Unknown(Value),
}

/// The effect of a permission rule on the calls that it matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PermissionBehavior {
    /// Matching calls run without a permission request.
    Allow,
    /// Matching calls are refused.
    Deny,
    /// The CLI asks for permission before a matching call runs.
    Ask,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// The place where the CLI stores a [`PermissionUpdate`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum UpdateDestination {
    /// The user's settings file, `userSettings`.
    UserSettings,
    /// The project's settings file that is shared with others, `projectSettings`.
    ProjectSettings,
    /// The project's settings file for this machine only, `localSettings`.
    LocalSettings,
    /// The memory of the CLI, until the session ends.
    Session,
    /// The layer of settings that come from the command line.
    CliArg,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// A permission rule: a tool, or some of the calls to it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionRule {
    /// The name of the tool, such as `Bash`.
    pub tool_name: String,
    /// The pattern of the calls that match, such as `ls:*`. `None` matches all calls to the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl PermissionRule {
    /// Creates a rule that matches all calls to a tool.
    #[must_use]
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
        }
    }

    /// Restricts the rule to the calls that match a pattern, such as `ls:*`.
    #[must_use]
    pub fn content(mut self, content: impl Into<String>) -> Self {
        self.rule_content = Some(content.into());
        self
    }
}

/// The permission rules that an update adds, replaces or removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleUpdate {
    /// The rules that the update is about.
    pub rules: Vec<PermissionRule>,
    /// The effect of the rules on the calls that they match.
    pub behavior: PermissionBehavior,
    /// The place where the CLI stores the change.
    pub destination: UpdateDestination,
}

/// A change of the permission mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModeUpdate {
    /// The permission mode to change to.
    pub mode: PermissionMode,
    /// The place where the CLI stores the change.
    pub destination: UpdateDestination,
}

/// The working directories that an update adds or removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DirectoryUpdate {
    /// Paths of the directories.
    pub directories: Vec<String>,
    /// The place where the CLI stores the change.
    pub destination: UpdateDestination,
}

impl PermissionUpdate {
    /// Creates an update that adds rules.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::add_rules(
    ///     [PermissionRule::new("Bash").content("cargo test:*")],
    ///     PermissionBehavior::Allow,
    ///     UpdateDestination::Session,
    /// );
    /// assert_eq!(serde_json::to_value(&update)?["type"], "addRules");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn add_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::AddRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that replaces all rules of the same behavior.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::replace_rules(
    ///     [PermissionRule::new("WebFetch")],
    ///     PermissionBehavior::Ask,
    ///     UpdateDestination::Session,
    /// );
    /// assert_eq!(serde_json::to_value(&update)?["type"], "replaceRules");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn replace_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::ReplaceRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that removes rules.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::remove_rules(
    ///     [PermissionRule::new("Bash")],
    ///     PermissionBehavior::Allow,
    ///     UpdateDestination::LocalSettings,
    /// );
    /// assert_eq!(serde_json::to_value(&update)?["type"], "removeRules");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn remove_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: UpdateDestination,
    ) -> Self {
        Self::RemoveRules(RuleUpdate::new(rules, behavior, destination))
    }

    /// Creates an update that changes the permission mode.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionMode, PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::set_mode(PermissionMode::AcceptEdits, UpdateDestination::Session);
    /// assert_eq!(serde_json::to_value(&update)?["mode"], "acceptEdits");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn set_mode(mode: PermissionMode, destination: UpdateDestination) -> Self {
        Self::SetMode(ModeUpdate { mode, destination })
    }

    /// Creates an update that adds working directories.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::add_directories(["/srv/shared"], UpdateDestination::Session);
    /// assert_eq!(serde_json::to_value(&update)?["directories"][0], "/srv/shared");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn add_directories<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: UpdateDestination,
    ) -> Self {
        Self::AddDirectories(DirectoryUpdate::new(directories, destination))
    }

    /// Creates an update that removes working directories.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionUpdate, UpdateDestination};
    /// let update = PermissionUpdate::remove_directories(["/srv/shared"], UpdateDestination::Session);
    /// assert_eq!(serde_json::to_value(&update)?["type"], "removeDirectories");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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
