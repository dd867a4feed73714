//! Methods of [`HookOutput`] that are available for one event only.

use std::path::Path;

use serde_json::Value;

use super::HookOutput;
use super::members::Members;
use crate::control::PermissionUpdate;
use crate::control::incoming::drop_nulls;
use crate::hook::capability::Decides;
use crate::hook::{
    MessageDisplay, PermissionDenied, PermissionRequest, PostToolUse, PreToolUse, SessionStart,
    UserPromptSubmit, WorktreeCreate,
};

impl HookOutput<PreToolUse> {
    /// Creates an output that requires a permission request with this reason, even for a call that otherwise needs
    /// none.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decided("ask", Some(reason.into()))
    }

    /// Creates an output that ends the turn before the call. The call is evaluated again when the session is resumed.
    ///
    /// The result message holds the call in `deferred_tool_use`. If several parallel calls are deferred, only the last
    /// one is kept.
    #[must_use]
    pub fn defer() -> Self {
        Self::decided("defer", None)
    }
}

impl HookOutput<PermissionRequest> {
    /// Creates an output that denies the call and ends the turn. The model does not receive the reason.
    #[must_use]
    pub fn deny_and_interrupt(reason: impl Into<String>) -> Self {
        let mut output = Self::deny(reason);
        let decision = output.members.decision();
        decision.insert("interrupt".to_owned(), true.into());
        output
    }

    /// Changes the permissions, and allows the call unless the output denies it.
    ///
    /// Pass the [suggestions](PermissionRequest::permission_suggestions) of the event for "always allow".
    #[must_use]
    pub fn update_permissions(
        mut self,
        updates: impl IntoIterator<Item = PermissionUpdate>,
    ) -> Self {
        let updates: Vec<_> = updates.into_iter().collect();
        let mut updates =
            serde_json::to_value(updates).expect("permission updates are objects with string keys");
        // The CLI ignores a rule with a `null` member without an error.
        drop_nulls(&mut updates);
        let form = <PermissionRequest as Decides>::FORM;
        self.members
            .set_allowed(form, "updatedPermissions", updates);
        self
    }
}

impl HookOutput<PostToolUse> {
    /// Replaces the result that the model receives.
    ///
    /// The value must have the format of the tool's own output, as in `tool_response`. The CLI ignores any other format
    /// without an error.
    #[must_use]
    pub fn update_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedToolOutput", output)
    }

    /// Replaces the result of an MCP tool that the model receives.
    #[must_use]
    pub fn update_mcp_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedMCPToolOutput", output)
    }

    /// Adds context for the classifier model that evaluates tool calls.
    ///
    /// The CLI limits the context to 2,000 UTF-16 code units in total over all hooks of a call.
    #[must_use]
    pub fn classifier_context(self, text: impl Into<String>) -> Self {
        self.specific("classifierContext", text.into())
    }
}

impl HookOutput<UserPromptSubmit> {
    /// Sets the title of the session.
    #[must_use]
    pub fn session_title(self, title: impl Into<String>) -> Self {
        self.specific("sessionTitle", title.into())
    }
}

impl HookOutput<SessionStart> {
    /// Makes the CLI reload the skills.
    #[must_use]
    pub fn reload_skills(self) -> Self {
        self.specific("reloadSkills", true)
    }
}

impl HookOutput<PermissionDenied> {
    /// Lets the model retry the call. The CLI ignores this unless a classifier model denied the call.
    #[must_use]
    pub fn retry(self) -> Self {
        self.specific("retry", true)
    }
}

impl HookOutput<WorktreeCreate> {
    /// Creates an output with the path of the new worktree, which must be absolute.
    #[must_use]
    pub fn worktree(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        let mut members = Members::default();
        members.set_specific("worktreePath", path);
        Self::from_members(members)
    }
}

impl HookOutput<MessageDisplay> {
    /// Replaces the text that is shown to the user. The host receives the replacement, too, and not the model's text.
    #[must_use]
    pub fn display(self, text: impl Into<String>) -> Self {
        self.specific("displayContent", text.into())
    }
}
