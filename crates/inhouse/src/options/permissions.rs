use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use super::{Options, PermissionMode};
use crate::ask::Asked;
use crate::dialog::{DialogAnswer, DialogRequest};
use crate::elicitation::{ElicitationAnswer, ElicitationRequest};
use crate::error::HandlerError;
use crate::permission::PermissionHandler;
use crate::plan::{PlanDecision, PlanRequest};
use crate::question::{Answers, QuestionRequest};
use crate::user_code::Callback;

#[derive(Clone, Debug, Default)]
pub(crate) struct PermissionOptions {
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) allow_dangerously_skip: bool,
    pub(crate) prompt_tool: Option<String>,
    pub(crate) prompts: Option<PermissionPrompts>,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) per_task_stop: Option<bool>,
}

/// Options for permissions and directories.
impl Options {
    /// Sets the permission mode in which the session starts.
    ///
    /// [`PermissionMode::BypassPermissions`] needs
    /// [`allow_dangerously_skip_permissions`](Self::allow_dangerously_skip_permissions). Default: the
    /// mode of the settings, else the default of the CLI.
    ///
    /// ```
    /// use inhouse::options::{Options, PermissionMode};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().permission_mode(PermissionMode::Plan));
    /// assert!(cli.has_arg("--permission-mode=plan"));
    /// ```
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permissions.mode = Some(mode);
        self
    }

    /// Sets whether the session may enter [`PermissionMode::BypassPermissions`], in which every call
    /// is allowed without a permission request.
    ///
    /// For sandboxes without valuable data. The CLI refuses this mode to the superuser. Default:
    /// `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().allow_dangerously_skip_permissions(true));
    /// assert!(cli.has_arg("--allow-dangerously-skip-permissions"));
    /// ```
    pub fn allow_dangerously_skip_permissions(mut self, allow: bool) -> Self {
        self.permissions.allow_dangerously_skip = allow;
        self
    }

    /// Sets the MCP tool that answers permission requests, such as `mcp__guard__ask`.
    ///
    /// Excludes [`permissions`](Self::permissions), [`on_question`](Self::on_question) and
    /// [`on_plan`](Self::on_plan). Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().permission_prompt_tool("mcp__guard__ask"));
    /// assert!(cli.has_arg("--permission-prompt-tool=mcp__guard__ask"));
    /// ```
    pub fn permission_prompt_tool(mut self, tool: impl Into<String>) -> Self {
        self.permissions.prompt_tool = Some(tool.into());
        self
    }

    /// Sets whether permission requests can be answered.
    ///
    /// CLI 2.1.197 does not support it and refuses to start. Default: the CLI decides.
    ///
    /// ```
    /// use inhouse::options::{Options, PermissionPrompts};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().permission_prompts(PermissionPrompts::None));
    /// assert!(cli.has_arg("--permission-prompts=none"));
    /// ```
    pub fn permission_prompts(mut self, prompts: PermissionPrompts) -> Self {
        self.permissions.prompts = Some(prompts);
        self
    }

    /// Adds a directory that tools may access, in addition to the working directory.
    ///
    /// Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().add_dir("/srv/data"));
    /// assert!(cli.has_arg("--add-dir=/srv/data"));
    /// ```
    pub fn add_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.permissions.directories.push(directory.into());
        self
    }

    /// Sets whether the host offers to stop single tasks, so that an interrupt ends only the turn and
    /// not the background tasks.
    ///
    /// Default: `false`, with which an interrupt also ends the background tasks.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().per_task_stop(true));
    /// assert_eq!(cli.initialize()["perTaskStopAffordance"], true);
    /// ```
    pub fn per_task_stop(mut self, offered: bool) -> Self {
        self.permissions.per_task_stop = Some(offered);
        self
    }
}

/// Options for handlers of permission requests, questions, plans, elicitations and dialogs.
///
/// Handlers are async functions or closures. Each request runs in its own task, so a slow handler
/// blocks nothing else. A handler is dropped if the CLI cancels its request.
impl Options {
    /// Sets the handler, or the [`Policy`](crate::permission::Policy) of rules, that decides whether
    /// Claude may run a tool.
    ///
    /// The CLI requests permission for calls that no rule and no mode decides; see the
    /// [guide](crate::guide::permissions). A handler that fails, panics or exceeds
    /// [`permission_timeout`](Self::permission_timeout) denies the call. Default: the CLI denies such
    /// calls.
    ///
    /// ```
    /// use inhouse::{Asked, Options};
    /// use inhouse::permission::{CanUseTool, Decision};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("read only").interrupt()));
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let decision = cli.can_use_tool("Bash", json!({"command": "make"})).await;
    /// assert_eq!(decision["behavior"], "deny");
    /// # }));
    /// ```
    pub fn permissions(mut self, handler: impl PermissionHandler) -> Self {
        self.ask.policy = Some(handler.into_policy());
        self
    }

    /// Sets how long the handlers of [`permissions`](Self::permissions),
    /// [`on_question`](Self::on_question) and [`on_plan`](Self::on_plan) may take before the call is
    /// denied.
    ///
    /// Default: no limit, because a person may need time to decide.
    ///
    /// ```
    /// use std::future::pending;
    /// use std::time::Duration;
    ///
    /// use inhouse::{Asked, Options};
    /// use inhouse::permission::CanUseTool;
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| pending().await)
    ///     .permission_timeout(Duration::from_secs(30));
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let decision = cli.can_use_tool("Bash", json!({"command": "make"})).await;
    /// assert_eq!(decision["behavior"], "deny");
    /// # }));
    /// ```
    pub fn permission_timeout(mut self, timeout: Duration) -> Self {
        self.ask.timeout = Some(timeout);
        self
    }

    /// Sets the handler for [questions](crate::question) of the model to the user.
    ///
    /// A handler that fails, panics or exceeds [`permission_timeout`](Self::permission_timeout)
    /// denies the call. Default: questions go to [`permissions`](Self::permissions), as calls of
    /// `AskUserQuestion`.
    ///
    /// ```
    /// use inhouse::{Asked, Options};
    /// use inhouse::question::{Answers, QuestionRequest};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new().on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()));
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// # let question = json!({"question": "Which colour?", "header": "Colour", "options": [], "multiSelect": false});
    /// let decision = cli.can_use_tool("AskUserQuestion", json!({"questions": [question]})).await;
    /// assert_eq!(decision["behavior"], "allow");
    /// # }));
    /// ```
    pub fn on_question<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<QuestionRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Answers, HandlerError>> + Send + 'static,
    {
        self.ask.question = Some(Callback::new(handler));
        self
    }

    /// Sets the handler that approves or rejects the [plans](crate::plan) of plan mode.
    ///
    /// A handler that fails, panics or exceeds [`permission_timeout`](Self::permission_timeout)
    /// rejects the plan. Default: plans go to [`permissions`](Self::permissions), as calls of
    /// `ExitPlanMode`.
    ///
    /// ```
    /// use inhouse::{Asked, Options};
    /// use inhouse::plan::{PlanDecision, PlanRequest};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new()
    ///     .on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::reject("Add a test.")));
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let decision = cli.can_use_tool("ExitPlanMode", json!({"plan": "Write the code."})).await;
    /// assert_eq!(decision["behavior"], "deny");
    /// # }));
    /// ```
    pub fn on_plan<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<PlanRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<PlanDecision, HandlerError>> + Send + 'static,
    {
        self.ask.plan = Some(Callback::new(handler));
        self
    }

    /// Sets the handler for [elicitations](crate::elicitation), the questions of MCP servers.
    ///
    /// A handler that fails or panics answers with `cancel`. Default: every elicitation is declined.
    ///
    /// ```
    /// use inhouse::{Asked, Options};
    /// use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new().on_elicitation(async |_: Asked<ElicitationRequest>| {
    ///     Ok(ElicitationAnswer::accept(&json!({"region": "north"}))?)
    /// });
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// # let question = json!({"subtype": "elicitation", "mcp_server_name": "crm", "message": "Region?"});
    /// let id = cli.ask(question).await;
    /// assert_eq!(cli.expect_answer(&id).await.payload()["content"]["region"], "north");
    /// # }));
    /// ```
    pub fn on_elicitation<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<ElicitationRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<ElicitationAnswer, HandlerError>> + Send + 'static,
    {
        self.ask.elicitation = Some(Callback::new(handler));
        self
    }

    /// Sets the handler for [dialogs](crate::dialog) of one kind.
    ///
    /// The CLI requests only dialogs of the kinds that have a handler. A handler that fails or panics
    /// cancels the dialog. Default: no dialogs.
    ///
    /// ```
    /// use inhouse::{Asked, Options};
    /// use inhouse::dialog::{DialogAnswer, DialogRequest};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .on_dialog("sign_in", async |_: Asked<DialogRequest>| Ok(DialogAnswer::Cancelled));
    /// assert_eq!(launch(options).initialize()["supportedDialogKinds"][0], "sign_in");
    /// ```
    pub fn on_dialog<H, F>(mut self, kind: impl Into<String>, handler: H) -> Self
    where
        H: FnOnce(Asked<DialogRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<DialogAnswer, HandlerError>> + Send + 'static,
    {
        let handler = Callback::new(handler);
        self.ask.dialogs.insert(kind.into(), handler);
        self
    }
}

/// Whether permission requests can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The host answers, or the tool of [`Options::permission_prompt_tool`].
    Host,
    /// Permission requests cannot be answered: the CLI denies such calls.
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
