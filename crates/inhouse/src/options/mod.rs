//! Options of a session.
//!
//! [`Options`] has one method per option. All options have a default, and the order of calls does not
//! matter. Nothing is started until the options are used: [`Client::connect`](crate::Client::connect)
//! and [`query`](crate::query()) validate them first, and report every contradiction and invalid
//! value in one [`Config`](crate::error::ErrorKind::Config) error.
//!
//! ```
//! use inhouse::options::{Effort, Options, SystemPrompt};
//! use inhouse_testkit::fake::launch;
//!
//! let options = Options::new()
//!     .model("opus")
//!     .effort(Effort::High)
//!     .system_prompt(SystemPrompt::preset().append("Answer in French."))
//!     .allow_tools(["Read", "Grep"])
//!     .max_turns(3);
//! assert!(launch(options).has_arg("--model=opus"));
//! ```
//!
//! Methods that set one element of a list (`mcp_server`, `add_dir`, `beta`) add to the list, and so do
//! `allow_tools`, `disallow_tools`, `agents` and `envs`. All other methods replace the earlier value.
//!
//! # Three surprising defaults
//!
//! - The system prompt is **empty** unless set. [`SystemPrompt::preset`] is the prompt of Claude Code.
//! - **All settings files of the machine are loaded** unless
//!   [`setting_sources`](Options::setting_sources) selects some.
//! - [`allow_tools`](Options::allow_tools) skips permission requests; it removes no tool. Use
//!   [`tools`](Options::tools) to select the tools that exist.
//!
//! # Coming from an official SDK
//!
//! | TypeScript | Python | here |
//! |---|---|---|
//! | `model` | `model` | [`model`](Options::model) |
//! | `fallbackModel` | `fallback_model` | [`fallback_model`](Options::fallback_model) |
//! | `thinking` | `thinking` | [`thinking`](Options::thinking) |
//! | `maxThinkingTokens` | `max_thinking_tokens` | [`Thinking::budget`], or [`Thinking::disabled`] for 0 |
//! | `effort` | `effort` | [`effort`](Options::effort) |
//! | `maxTurns` | `max_turns` | [`max_turns`](Options::max_turns) |
//! | `maxBudgetUsd` | `max_budget_usd` | [`max_budget_usd`](Options::max_budget_usd) |
//! | `taskBudget` | `task_budget` | [`task_budget`](Options::task_budget) |
//! | `betas` | `betas` | [`beta`](Options::beta) |
//! | `outputFormat` | `output_format` | [`output`](Options::output), [`json_schema`](Options::json_schema) |
//! | `systemPrompt` | `system_prompt` | [`system_prompt`](Options::system_prompt) |
//! | `planModeInstructions` | – | [`plan_mode_instructions`](Options::plan_mode_instructions) |
//! | `agent` | – | [`agent`](Options::agent) |
//! | `agents` | `agents` | [`agents`](Options::agents) |
//! | `skills` | `skills` | [`skills`](Options::skills) |
//! | `verbatimPrompts` | `verbatim_prompts` | [`verbatim_prompts`](Options::verbatim_prompts) |
//! | `title` | – | [`title`](Options::title) |
//! | `promptSuggestions` | – | [`prompt_suggestions`](Options::prompt_suggestions) |
//! | `agentProgressSummaries` | – | [`agent_progress_summaries`](Options::agent_progress_summaries) |
//! | `tools` | `tools` | [`tools`](Options::tools) |
//! | `allowedTools` | `allowed_tools` | [`allow_tools`](Options::allow_tools) |
//! | `disallowedTools` | `disallowed_tools` | [`disallow_tools`](Options::disallow_tools) |
//! | `toolAliases` | – | [`tool_alias`](Options::tool_alias) |
//! | `toolConfig` | – | [`question_preview`](Options::question_preview) (its only member) |
//! | `permissionMode` | `permission_mode` | [`permission_mode`](Options::permission_mode) |
//! | `allowDangerouslySkipPermissions` | – | [`allow_dangerously_skip_permissions`](Options::allow_dangerously_skip_permissions) |
//! | `canUseTool` | `can_use_tool` | [`permissions`](Options::permissions), [`on_question`](Options::on_question), [`on_plan`](Options::on_plan) |
//! | `permissionPromptToolName` | `permission_prompt_tool_name` | [`permission_prompt_tool`](Options::permission_prompt_tool) |
//! | `permissionPrompts` | – | [`permission_prompts`](Options::permission_prompts) |
//! | `additionalDirectories` | `add_dirs` | [`add_dir`](Options::add_dir) |
//! | `sandbox` | `sandbox` | [`sandbox`](Options::sandbox) |
//! | `onElicitation` | – | [`on_elicitation`](Options::on_elicitation) |
//! | `onUserDialog` | – | [`on_dialog`](Options::on_dialog) |
//! | `supportedDialogKinds` | – | [`on_dialog`](Options::on_dialog), which declares its kind |
//! | `perTaskStopAffordance` | – | [`per_task_stop`](Options::per_task_stop) |
//! | `mcpServers` | `mcp_servers` | [`mcp_server`](Options::mcp_server), [`mcp_config_file`](Options::mcp_config_file); in process [`tool_server`](Options::tool_server), [`rmcp_server`](Options::rmcp_server) |
//! | `strictMcpConfig` | `strict_mcp_config` | [`strict_mcp_config`](Options::strict_mcp_config) |
//! | `plugins` | `plugins` | [`plugin`](Options::plugin) |
//! | `pluginDelivery` | – | [`plugin_delivery`](Options::plugin_delivery) |
//! | `hooks` | `hooks` | [`hook`](Options::hook), [`raw_hook`](Options::raw_hook) |
//! | `includeHookEvents` | `include_hook_events` | [`include_hook_events`](Options::include_hook_events) |
//! | `continue` | `continue_conversation` | [`continue_latest`](Options::continue_latest) |
//! | `resume` | `resume` | [`resume`](Options::resume) |
//! | `sessionId` | `session_id` | [`session_id`](Options::session_id) |
//! | `forkSession` | `fork_session` | [`fork_session`](Options::fork_session) |
//! | `resumeSessionAt` | `resume_session_at` | [`resume_at`](Options::resume_at) |
//! | `resumeDropsTurn` | `resume_drops_turn` | [`resume_drops_turn`](Options::resume_drops_turn) |
//! | `persistSession` | – | [`persist_session`](Options::persist_session) |
//! | `sessionStore` | `session_store` | [`store`](Options::store) |
//! | `sessionStoreFlush` | `session_store_flush` | [`store_flush`](Options::store_flush) |
//! | `loadTimeoutMs` | `load_timeout_ms` | [`load_timeout`](Options::load_timeout) |
//! | `enableFileCheckpointing` | `enable_file_checkpointing` | [`file_checkpointing`](Options::file_checkpointing) |
//! | `settings` | `settings` | [`settings`](Options::settings) |
//! | `managedSettings` | – | [`managed_settings`](Options::managed_settings) |
//! | `settingSources` | `setting_sources` | [`setting_sources`](Options::setting_sources) |
//! | `projectConfigRoot` | – | [`project_config_root`](Options::project_config_root) |
//! | `includePartialMessages` | `include_partial_messages` | [`include_partial_messages`](Options::include_partial_messages) |
//! | `forwardSubagentText` | `forward_subagent_text` | [`forward_subagent_text`](Options::forward_subagent_text) |
//! | `cwd` | `cwd` | [`cwd`](Options::cwd) |
//! | `env` | `env` | [`env`](Options::env), [`envs`](Options::envs), [`env_remove`](Options::env_remove), [`clean_env`](Options::clean_env) |
//! | `pathToClaudeCodeExecutable` | `cli_path` | [`cli_path`](Options::cli_path) |
//! | `executable` | – | [`runtime`](Options::runtime) |
//! | `executableArgs` | – | [`runtime`](Options::runtime) |
//! | `extraArgs` | `extra_args` | [`extra_arg`](Options::extra_arg) |
//! | `spawnClaudeCodeProcess` | – | [`wrap_command`](Options::wrap_command), or a [`Transport`](crate::transport::Transport) |
//! | `abortController` | – | [`Control::close`](crate::Control::close), from any task; dropping a stream or the client also ends the session |
//! | `stderr` | `stderr` | [`stderr`](Options::stderr) |
//! | `debug` | – | [`debug`](Options::debug) |
//! | `debugFile` | – | [`debug_file`](Options::debug_file) |
//! | – | `debug_stderr` | [`stderr`](Options::stderr); the official SDK does not read `debug_stderr` any more |
//! | – | `max_buffer_size` | [`max_line_bytes`](Options::max_line_bytes) |
//! | – | `user` | [`os_user_named`](Options::os_user_named), [`os_user`](Options::os_user) by numeric ids |
//! | – | `client_app` | [`client_app`](Options::client_app) |
//!
//! Options without an official counterpart:
//! [`replay_user_messages`](Options::replay_user_messages) (a flag of the CLI),
//! [`backlog`](Options::backlog), [`control_timeout`](Options::control_timeout),
//! [`connect_timeout`](Options::connect_timeout),
//! [`permission_timeout`](Options::permission_timeout),
//! [`background_ceiling`](Options::background_ceiling), [`shutdown`](Options::shutdown),
//! [`session_root`](Options::session_root), [`lease_ttl`](Options::lease_ttl), [`session_lease`](Options::session_lease),
//! [`before_result`](Options::before_result), [`record`](Options::record) and
//! [`on_request`](Options::on_request).

// Each of these modules has a counterpart with the same name in `launch`, which validates its options and translates
// them for the CLI.
mod agents;
mod environment;
mod hooks;
mod limits;
mod mcp;
mod model;
mod output;
mod permissions;
mod plugins;
mod process;
mod prompt;
mod record;
mod redacted;
mod requests;
mod sandbox;
mod session;
mod settings;
mod store;
mod stream;
mod timeouts;
mod tools;

#[doc(inline)]
pub use inhouse_proto::control::outgoing::{
    AgentDefinition, AgentEffort, AgentMcpServer, AgentMemory, ThinkingDisplay,
    ToolPermissionPolicy, ToolPolicy,
};
#[doc(inline)]
pub use inhouse_proto::control::{Effort, PermissionMode};

pub use self::agents::Skills;
pub use self::mcp::McpServer;
pub use self::model::Thinking;
pub use self::permissions::PermissionPrompts;
pub use self::plugins::{Plugin, PluginDelivery};
pub use self::process::OsUser;
pub use self::prompt::SystemPrompt;
pub use self::sandbox::{
    CredentialMode, SandboxCredentials, SandboxFilesystem, SandboxNetwork, SandboxSettings,
};
pub use self::settings::{SettingSource, Settings};
pub use self::store::StoreFlush;
pub(crate) use self::store::{Store, StoreOptions};
pub use self::stream::Backlog;
pub use self::tools::{QuestionPreview, ToolSet};
pub use crate::process::ShutdownTiming;

pub(crate) use self::mcp::McpTransport;
pub(crate) use self::model::ThinkingMode;
pub(crate) use self::prompt::PromptBase;
pub(crate) use self::settings::SettingsForm;

/// Options of a session; see the [module](self) for an overview.
///
/// `Debug` does not show prompts, environment values and other values that may contain a secret.
#[derive(Clone, Debug, Default)]
#[must_use = "options do nothing until they open a session"]
pub struct Options {
    pub(crate) model: model::ModelOptions,
    pub(crate) limits: limits::LimitOptions,
    pub(crate) output: output::OutputOptions,
    pub(crate) prompt: prompt::PromptOptions,
    pub(crate) agents: agents::AgentOptions,
    pub(crate) tools: tools::ToolOptions,
    pub(crate) permissions: permissions::PermissionOptions,
    pub(crate) ask: crate::ask::AskHandlers,
    pub(crate) sandbox: Option<SandboxSettings>,
    pub(crate) hooks: crate::hook::Hooks,
    pub(crate) mcp: mcp::McpOptions,
    pub(crate) plugins: plugins::PluginOptions,
    pub(crate) session: session::SessionOptions,
    pub(crate) store: store::StoreOptions,
    pub(crate) settings: settings::SettingsOptions,
    pub(crate) stream: stream::StreamOptions,
    pub(crate) process: process::ProcessOptions,
    pub(crate) environment: environment::EnvironmentOptions,
    pub(crate) timeouts: timeouts::TimeoutOptions,
    pub(crate) requests: requests::RequestOptions,
    pub(crate) record: Option<crate::record::Record>,
}

impl Options {
    /// Creates options with every default.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new());
    /// assert_eq!(cli.args(), ["--output-format=stream-json", "--verbose", "--input-format=stream-json"]);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }
}
