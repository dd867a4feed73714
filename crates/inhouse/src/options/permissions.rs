use std::path::PathBuf;

use super::{Options, PermissionMode, SandboxSettings};

#[derive(Clone, Debug, Default)]
pub(crate) struct PermissionOptions {
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) allow_dangerously_skip: bool,
    pub(crate) prompt_tool: Option<String>,
    pub(crate) prompts: Option<PermissionPrompts>,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) sandbox: Option<SandboxSettings>,
    pub(crate) per_task_stop: Option<bool>,
}

/// Permissions, and what the session may reach.
impl Options {
    /// The permission mode to start in.
    ///
    /// Unset, settings decide, else the CLI. [`PermissionMode::BypassPermissions`] needs
    /// [`allow_dangerously_skip_permissions`](Self::allow_dangerously_skip_permissions).
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permissions.mode = Some(mode);
        self
    }

    /// Lets the session enter [`PermissionMode::BypassPermissions`], in which nothing is asked, at
    /// the start or later.
    ///
    /// For sandboxes without anything to lose. The CLI refuses it to the superuser.
    #[must_use]
    pub fn allow_dangerously_skip_permissions(mut self, allow: bool) -> Self {
        self.permissions.allow_dangerously_skip = allow;
        self
    }

    /// The MCP tool that answers permission questions, such as `mcp__guard__ask`.
    #[must_use]
    pub fn permission_prompt_tool(mut self, tool: impl Into<String>) -> Self {
        self.permissions.prompt_tool = Some(tool.into());
        self
    }

    /// Whether there is anybody to answer permission questions.
    ///
    /// A CLI that is too old for it, such as 2.1.197, refuses to start.
    #[must_use]
    pub fn permission_prompts(mut self, prompts: PermissionPrompts) -> Self {
        self.permissions.prompts = Some(prompts);
        self
    }

    /// A further directory, besides the working directory, that tools may work in.
    #[must_use]
    pub fn add_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.permissions.directories.push(directory.into());
        self
    }

    /// Runs commands in a sandbox of the operating system.
    ///
    /// Merged over the `sandbox` block of [`settings`](Self::settings); with settings in a file,
    /// the file is read at launch and what it says is passed on.
    #[must_use]
    pub fn sandbox(mut self, sandbox: SandboxSettings) -> Self {
        self.permissions.sandbox = Some(sandbox);
        self
    }

    /// Tells the CLI that the host can stop single tasks, so that an interrupt ends the turn and
    /// spares what runs in the background.
    #[must_use]
    pub fn per_task_stop(mut self, offered: bool) -> Self {
        self.permissions.per_task_stop = Some(offered);
        self
    }
}

/// Whether there is anybody to answer permission questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The host, or the tool that it names.
    Host,
    /// Nobody: what would be asked is denied.
    None,
}

impl PermissionPrompts {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::None => "none",
        }
    }
}
