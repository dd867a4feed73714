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
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    ///
    /// let output = HookOutput::ask("This deletes files.");
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["permissionDecision"], "ask");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decided("ask", Some(reason.into()))
    }

    /// Creates an output that ends the turn before the call. The call is evaluated again when the session is resumed.
    ///
    /// The result message holds the call in `deferred_tool_use`. If several parallel calls are deferred, only the last
    /// one is kept.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    ///
    /// let output = HookOutput::defer();
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["permissionDecision"], "defer");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn defer() -> Self {
        Self::decided("defer", None)
    }
}

impl HookOutput<PermissionRequest> {
    /// Creates an output that denies the call and ends the turn. The model does not receive the reason.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PermissionRequest};
    ///
    /// let output = HookOutput::deny_and_interrupt("not on Fridays");
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["decision"]["interrupt"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PermissionRequest};
    ///
    /// fn always_allow(event: PermissionRequest) -> HookOutput<PermissionRequest> {
    ///     let suggestions = event.permission_suggestions.unwrap_or_default();
    ///     HookOutput::allow().update_permissions(suggestions)
    /// }
    /// # let event = serde_json::from_value(serde_json::json!({
    /// #     "session_id": "s", "transcript_path": "/t", "cwd": "/", "tool_name": "Bash", "tool_input": {},
    /// #     "permission_suggestions": [
    /// #         {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    /// #     ],
    /// # }))?;
    /// # let output = serde_json::to_value(always_allow(event))?;
    /// # let decision = &output["hookSpecificOutput"]["decision"];
    /// # assert_eq!(decision["updatedPermissions"][0]["mode"], "acceptEdits");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    /// use serde_json::json;
    ///
    /// let output = HookOutput::<PostToolUse>::pass().update_output(json!({"stdout": "***"}));
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["updatedToolOutput"]["stdout"], "***");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn update_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedToolOutput", output)
    }

    /// Replaces the result of an MCP tool that the model receives.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::pass().update_mcp_output("***");
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["updatedMCPToolOutput"], "***");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn update_mcp_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedMCPToolOutput", output)
    }

    /// Adds context for the classifier model that evaluates tool calls.
    ///
    /// The CLI limits the context to 2,000 UTF-16 code units in total over all hooks of a call.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::pass().classifier_context("The file is generated.");
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["classifierContext"], "The file is generated.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn classifier_context(self, text: impl Into<String>) -> Self {
        self.specific("classifierContext", text.into())
    }
}

impl HookOutput<UserPromptSubmit> {
    /// Sets the title of the session.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, UserPromptSubmit};
    ///
    /// let output = HookOutput::<UserPromptSubmit>::pass().session_title("Release notes");
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["sessionTitle"], "Release notes");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn session_title(self, title: impl Into<String>) -> Self {
        self.specific("sessionTitle", title.into())
    }
}

impl HookOutput<SessionStart> {
    /// Makes the CLI reload the skills.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, SessionStart};
    ///
    /// let output = HookOutput::<SessionStart>::pass().reload_skills();
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["reloadSkills"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn reload_skills(self) -> Self {
        self.specific("reloadSkills", true)
    }
}

impl HookOutput<PermissionDenied> {
    /// Lets the model retry the call. The CLI ignores this unless a classifier model denied the call.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PermissionDenied};
    ///
    /// let output = HookOutput::<PermissionDenied>::pass().retry();
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["retry"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn retry(self) -> Self {
        self.specific("retry", true)
    }
}

impl HookOutput<WorktreeCreate> {
    /// Creates an output with the path of the new worktree, which must be absolute.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, WorktreeCreate};
    ///
    /// let output = HookOutput::worktree("/srv/worktrees/a");
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["worktreePath"], "/srv/worktrees/a");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, MessageDisplay};
    ///
    /// let output = HookOutput::<MessageDisplay>::pass().display("***");
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["displayContent"], "***");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn display(self, text: impl Into<String>) -> Self {
        self.specific("displayContent", text.into())
    }
}
