//! What only one event's output can do.

use std::path::Path;

use serde_json::Value;

use super::HookOutput;
use super::members::Members;
use crate::control::PermissionUpdate;
use crate::control::incoming::drop_nulls;
use crate::hook::{
    MessageDisplay, PermissionDenied, PermissionRequest, PostToolUse, PreToolUse, SessionStart,
    UserPromptSubmit, WorktreeCreate,
};

impl HookOutput<PreToolUse> {
    /// Has somebody asked, for a reason that comes with the question, also where nobody would be.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decided("ask", Some(reason.into()))
    }

    /// Ends the turn before the call, which is looked at again when the session is resumed.
    ///
    /// The result has it as `deferred_tool_use`. Of several calls at once only the last is kept.
    #[must_use]
    pub fn defer() -> Self {
        Self::decided("defer", None)
    }
}

impl HookOutput<PermissionRequest> {
    /// Denies the call and ends the turn; the model is not told the reason.
    #[must_use]
    pub fn deny_and_interrupt(reason: impl Into<String>) -> Self {
        let mut output = Self::deny(reason);
        let decision = output.members.decision();
        decision.insert("interrupt".to_owned(), true.into());
        output
    }

    /// Allows the call, unless it is denied, and changes the permissions: with the suggestions of the
    /// event, for "always allow".
    #[must_use]
    pub fn update_permissions(
        mut self,
        updates: impl IntoIterator<Item = PermissionUpdate>,
    ) -> Self {
        let updates: Vec<_> = updates.into_iter().collect();
        let mut updates =
            serde_json::to_value(updates).expect("updates are objects with string keys");
        // A rule with a `null` in it has no effect, and nobody is told.
        drop_nulls(&mut updates);
        let form = <PermissionRequest as super::Decides>::FORM;
        self.members
            .set_allowed(form, "updatedPermissions", updates);
        self
    }
}

impl HookOutput<PostToolUse> {
    /// Replaces what the model sees of the result. It must have the shape of the tool's own output,
    /// as in `tool_response`: any other is ignored by the CLI without a word.
    #[must_use]
    pub fn update_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedToolOutput", output)
    }

    /// Replaces what the model sees of the result of an MCP tool.
    #[must_use]
    pub fn update_mcp_output(self, output: impl Into<Value>) -> Self {
        self.specific("updatedMCPToolOutput", output)
    }

    /// Tells the model that judges tool calls something: 2,000 UTF-16 units over all hooks of a call.
    #[must_use]
    pub fn classifier_context(self, text: impl Into<String>) -> Self {
        self.specific("classifierContext", text.into())
    }
}

impl HookOutput<UserPromptSubmit> {
    /// Gives the session a title.
    #[must_use]
    pub fn session_title(self, title: impl Into<String>) -> Self {
        self.specific("sessionTitle", title.into())
    }
}

impl HookOutput<SessionStart> {
    /// Has the CLI look for skills again.
    #[must_use]
    pub fn reload_skills(self) -> Self {
        self.specific("reloadSkills", true)
    }
}

impl HookOutput<PermissionDenied> {
    /// Lets the model try the call again; only where another model had judged it.
    #[must_use]
    pub fn retry(self) -> Self {
        self.specific("retry", true)
    }
}

impl HookOutput<WorktreeCreate> {
    /// The worktree is here, by an absolute path.
    #[must_use]
    pub fn worktree(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        let mut members = Members::default();
        members.set_specific("worktreePath", path);
        Self::from_members(members)
    }
}

impl HookOutput<MessageDisplay> {
    /// Shows another text: also the host reads it in place of what the model said.
    #[must_use]
    pub fn display(self, text: impl Into<String>) -> Self {
        self.specific("displayContent", text.into())
    }
}
