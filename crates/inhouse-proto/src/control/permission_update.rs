use crate::control::PermissionMode;
use crate::open::{Extra, open_enum, open_struct, open_union};

open_union! {
    /// A change to the permissions of a session or of a settings file.
    ///
    /// The CLI suggests some with a permission request; an answer that allows the call may carry
    /// them back, unchanged or not.
    ///
    /// ```
    /// use inhouse_proto::control::{AddRules, PermissionBehavior, PermissionRule, PermissionUpdate, UpdateDestination};
    ///
    /// let update = PermissionUpdate::from(AddRules::new(
    ///     [PermissionRule::new("Bash").content("ls:*")],
    ///     PermissionBehavior::Allow,
    ///     UpdateDestination::Session,
    /// ));
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
    pub enum PermissionUpdate by "type" {
        /// Adds rules.
        AddRules(AddRules) = "addRules",
        /// Puts rules in the place of all others with the same behavior.
        ReplaceRules(ReplaceRules) = "replaceRules",
        /// Removes rules.
        RemoveRules(RemoveRules) = "removeRules",
        /// Changes the permission mode.
        SetMode(SetMode) = "setMode",
        /// Adds working directories.
        AddDirectories(AddDirectories) = "addDirectories",
        /// Removes working directories.
        RemoveDirectories(RemoveDirectories) = "removeDirectories",
    }
}

open_enum! {
    /// What a rule says about the calls that it matches.
    pub enum PermissionBehavior {
        /// Run them.
        Allow = "allow",
        /// Refuse them.
        Deny = "deny",
        /// Ask about them.
        Ask = "ask",
    }
}

open_enum! {
    /// Where a [`PermissionUpdate`] is kept.
    pub enum UpdateDestination {
        /// The user's settings file.
        UserSettings = "userSettings",
        /// The project's settings file, which is shared.
        ProjectSettings = "projectSettings",
        /// The project's settings file of this machine.
        LocalSettings = "localSettings",
        /// Memory, until the session ends.
        Session = "session",
        /// The layer of the command line.
        CliArg = "cliArg",
    }
}

open_struct! {
    /// A tool, or some of the calls to it.
    pub struct PermissionRule {
        /// The tool's name.
        pub tool_name as "toolName": String,
        /// Which calls are meant; all of them if there is none.
        pub rule_content as "ruleContent": Option<String>,
    }
}

impl PermissionRule {
    /// All calls to a tool.
    #[must_use]
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
            extra: Extra::default(),
        }
    }

    /// Narrows the rule to some calls, such as `ls:*`.
    #[must_use]
    pub fn content(mut self, content: impl Into<String>) -> Self {
        self.rule_content = Some(content.into());
        self
    }
}

macro_rules! rule_update {
    ($(#[$doc:meta])* $name:ident = $tag:literal) => {
        open_struct! {
            $(#[$doc])*
            pub struct $name ["type" = $tag] {
                /// The rules.
                pub rules: Vec<PermissionRule>,
                /// What they say.
                pub behavior: PermissionBehavior,
                /// Where the change is kept.
                pub destination: UpdateDestination,
            }
        }

        impl $name {
            /// An update of these rules.
            #[must_use]
            pub fn new(
                rules: impl IntoIterator<Item = PermissionRule>,
                behavior: PermissionBehavior,
                destination: UpdateDestination,
            ) -> Self {
                Self {
                    rules: rules.into_iter().collect(),
                    behavior,
                    destination,
                    extra: Extra::default(),
                }
            }
        }
    };
}

rule_update! {
    /// Adds rules to those that are there.
    AddRules = "addRules"
}

rule_update! {
    /// Puts rules in the place of all others with the same behavior.
    ReplaceRules = "replaceRules"
}

rule_update! {
    /// Removes rules.
    RemoveRules = "removeRules"
}

open_struct! {
    /// Changes the permission mode.
    pub struct SetMode ["type" = "setMode"] {
        /// The new mode.
        pub mode: PermissionMode,
        /// Where the change is kept.
        pub destination: UpdateDestination,
    }
}

impl SetMode {
    /// An update to this mode.
    #[must_use]
    pub fn new(mode: PermissionMode, destination: UpdateDestination) -> Self {
        Self {
            mode,
            destination,
            extra: Extra::default(),
        }
    }
}

macro_rules! directory_update {
    ($(#[$doc:meta])* $name:ident = $tag:literal) => {
        open_struct! {
            $(#[$doc])*
            pub struct $name ["type" = $tag] {
                /// The directories.
                pub directories: Vec<String>,
                /// Where the change is kept.
                pub destination: UpdateDestination,
            }
        }

        impl $name {
            /// An update of these directories.
            #[must_use]
            pub fn new<D: Into<String>>(
                directories: impl IntoIterator<Item = D>,
                destination: UpdateDestination,
            ) -> Self {
                Self {
                    directories: directories.into_iter().map(Into::into).collect(),
                    destination,
                    extra: Extra::default(),
                }
            }
        }
    };
}

directory_update! {
    /// Adds directories to those that tools may work in.
    AddDirectories = "addDirectories"
}

directory_update! {
    /// Removes directories from those that tools may work in.
    RemoveDirectories = "removeDirectories"
}
