//! From [`Options`](crate::Options) to what starts a CLI.
//!
//! [`Launch::plan`] is a pure function, apart from the files named below: it decides on a command
//! line, on changes to the environment, and on the `initialize` request that opens the
//! conversation. [`Launch::new`] first finds the CLI.
//!
//! # Arguments
//!
//! A value is never an argument of its own: it is always `--flag=value`, so that one which starts
//! with a dash stays a value. A flag for a list is repeated.
//!
//! The operating system limits the length of an argument (128 KiB on Linux), and every user of the
//! machine can read the arguments of a running process. Prompts and agents therefore travel in
//! `initialize`. The rest is an argument unless it is longer than 100 KiB or holds a secret:
//!
//! | | short, without a secret | above 100 KiB, or with a secret |
//! |---|---|---|
//! | JSON schema | `--json-schema`, because the CLI refuses a bad schema there and silently drops it in `initialize` (2.1.325) | `initialize` |
//! | settings | `--settings` | a private temporary file |
//! | MCP servers | `--mcp-config` | a private temporary file |
//! | managed settings | `--managed-settings`, which takes no file | `initialize` |
//!
//! Secrets are, at any depth, a non-empty `env`, `headers`, `oauth` or `pluginConfigs`, a command
//! that prints a credential (`apiKeyHelper`, `otelHeadersHelper`, `awsAuthRefresh`,
//! `awsCredentialExport`), and a URL with a query or user information. The arguments of an MCP
//! server are not: they are on the command line of the server itself. Flags added with
//! [`extra_arg`](crate::Options::extra_arg) are passed as they are.
//!
//! Temporary files are readable by their owner only (mode 0600) and are removed with the
//! [`Launch`]. A host that is killed leaves them behind.
//!
//! # Environment
//!
//! The CLI inherits the environment of the host, or nothing with
//! [`clean_env`](crate::Options::clean_env). In this order, each over the one before:
//!
//! 1. Removed is what another host said about *itself*, which this one would repeat if it runs
//!    inside of a session: `CLAUDECODE`, and the variables by which a host declares what it can do.
//! 2. Set are `CLAUDE_CODE_ENTRYPOINT=sdk-cli`, `CLAUDE_AGENT_SDK_VERSION` (the version of this
//!    crate), `CLAUDE_CODE_SDK_READS_SESSION_STATE=1` unless the name is there in any letter case,
//!    `PWD` with an absolute [`cwd`](crate::Options::cwd), and what options stand for.
//! 3. [`env`](crate::Options::env) and [`env_remove`](crate::Options::env_remove) win over all.
//!
//! `sdk-cli` is the name that the CLI gives to every host without a name of its own. It works with
//! any other name, but treats only `sdk-cli`, `sdk-ts` and `sdk-py` as an SDK: under `sdk-rust`
//! its sessions would not count as programmatic, and a guide to Claude Code would be among the
//! agents (2.1.325).
//!
//! `NODE_OPTIONS` is inherited like any other variable: a Rust host has no debugger of its own in
//! there, and the commands that the CLI runs may need it.

mod argv;
mod check;
mod command_line;
mod environment;
mod files;
mod flags;
mod handshake;
mod host;
pub(crate) mod locate;
mod output;
mod plan;
mod policy;
mod restrictions;
mod sandbox;
mod secrets;
mod settings;
mod variables;
mod warnings;

pub(crate) use self::check::mcp_servers as check_mcp_servers;
pub use self::command_line::CommandLine;
pub use self::environment::Environment;
pub use self::host::HostEnvironment;
pub use self::plan::Launch;
