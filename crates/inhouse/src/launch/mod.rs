//! Translation of [`Options`](crate::Options) into a command line, an environment and an
//! `initialize` request.
//!
//! [`Plan::new`] is a pure function, apart from the files named below. [`Plan::locate`] also finds the
//! CLI. A [`Transport`](crate::transport::Transport) gets the [`Launch`] of the plan.
//!
//! # Arguments
//!
//! A value is always part of its flag, as `--flag=value`, so that a value that starts with a dash is
//! not read as a flag. A flag for a list is repeated.
//!
//! The operating system limits the length of an argument (128 KiB on Linux), and every user of the
//! machine can read the arguments of a running process. Prompts and agents are therefore sent in
//! `initialize`. Other values are arguments unless they are longer than 100 KiB or contain a secret:
//!
//! | option | short, without a secret | above 100 KiB, or with a secret |
//! |---|---|---|
//! | JSON schema | `--json-schema`, because the CLI rejects an invalid schema there and ignores it in `initialize` (2.1.325) | `initialize` |
//! | settings | `--settings` | a private temporary file |
//! | MCP servers | `--mcp-config` | a private temporary file |
//! | managed settings | `--managed-settings`, which does not accept a file | `initialize` |
//!
//! Secrets are, at any depth, a non-empty `env`, `headers`, `oauth` or `pluginConfigs`, a command
//! that prints or refreshes a credential (`apiKeyHelper`, `headersHelper`, `otelHeadersHelper`,
//! `proxyAuthHelper`, `awsAuthRefresh`, `awsCredentialExport`, `gcpAuthRefresh`), and a URL with a
//! query or user information. The arguments of an MCP server are not: they are on the command line of
//! the server itself. Flags added with [`extra_arg`](crate::Options::extra_arg) are passed as they
//! are.
//!
//! Temporary files are readable only by their owner (mode 0600) and are removed with the
//! [`Launch`]. A host that is killed leaves them behind.
//!
//! # Environment
//!
//! The CLI inherits the environment of the host, or nothing with
//! [`clean_env`](crate::Options::clean_env). Changes, each with precedence over the one before:
//!
//! 1. `CLAUDECODE` is removed, and so are the variables with which another host announces its
//!    capabilities. A host that runs inside a session would pass them on. `DEBUG` and `NODE_OPTIONS` are
//!    removed, too: they are for the JavaScript programs of the user, and would change how the CLI runs.
//!    With a [`cwd`](crate::Options::cwd), so is `PWD`, which names the directory of the host.
//! 2. `CLAUDE_CODE_ENTRYPOINT=sdk-cli` and `CLAUDE_AGENT_SDK_VERSION` (the version of this crate) are set,
//!    `CLAUDE_CODE_SDK_READS_SESSION_STATE=1` and `CLAUDE_CODE_SDK_READS_STARTUP_MARKS=1` unless the name
//!    exists in any letter case, `DEBUG=1` if `DEBUG_CLAUDE_AGENT_SDK` is `1`, `true`, `yes` or `on`, `PWD`
//!    with an absolute `cwd`, and the variables of other options. With the feature `opentelemetry`, so are
//!    `TRACEPARENT` and `TRACESTATE` of the current span, unless `env` or `env_remove` names one of them;
//!    the inherited ones are removed then.
//! 3. [`env`](crate::Options::env) and [`env_remove`](crate::Options::env_remove) are applied.
//!
//! `sdk-cli` is the entrypoint that the CLI uses for hosts that set none. The CLI accepts any other
//! name, but treats only `sdk-cli`, `sdk-ts` and `sdk-py` as an SDK: with `sdk-rust`, sessions would
//! not count as programmatic, and the agents would include a guide to Claude Code (2.1.325).
//!
//! The commands that the CLI runs inherit its environment. If they need `NODE_OPTIONS`, set it with
//! [`env`](crate::Options::env).
//!
//! These variables of the official SDKs (TypeScript 0.3.325, Python 0.2.182) are neither read nor set:
//!
//! | variable | in the official SDKs | why not here |
//! |---|---|---|
//! | `NoDefaultCurrentDirectoryInExePath` | TypeScript sets it in the process of the host, so that Windows starts no program of the working directory | The CLI is started by its path, and relative entries of `PATH` are ignored. The environment of the host does not change |
//! | `CLAUDE_SECURESTORAGE_CONFIG_DIR` | TypeScript sets it on Windows to the usual configuration directory, for a session from a store | The file with the login is copied into the directory of the session; see [`store`](crate::Options::store) |
//! | `BAGGAGE`, and those of other propagators | both set them from the active OpenTelemetry context | Baggage is data of the host, and every command of the session could read it. The trace needs `TRACEPARENT` and `TRACESTATE` alone |
//! | `CLAUDE_AGENT_SDK_DISABLE_MCP_MANIFESTS` | TypeScript reads it, and leaves the tools of in-process servers out of `initialize` | They are always sent: it saves the handshakes |
//! | `CLAUDE_CODE_STREAM_CLOSE_TIMEOUT` | Python reads the deadline of `initialize` from it | [`connect_timeout`](crate::Options::connect_timeout) |
//! | `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` | Python reads it, and then does not warn of a CLI without a version or with an old one | There is no such warning to turn off; the command `inhouse doctor` checks the version |
//! | `DEBUG_CLAUDE_AGENT_SDK` | TypeScript also writes a separate log, and adds `--debug-file` | Only `DEBUG=1` follows from it. The log is `tracing`, and [`debug_file`](crate::Options::debug_file) names the file |
//!
//! # Replays
//!
//! The command `inhouse replay` runs a program with the variable `INHOUSE_REPLAY_CLI`. Every session of that program which would
//! start the CLI starts the program that the variable names, whatever [`cli_path`](crate::Options::cli_path),
//! [`runtime`](crate::Options::runtime), [`wrap_command`](crate::Options::wrap_command) and [`os_user`](crate::Options::os_user) say, and is
//! not [recorded](crate::Options::record). The environment of that program has the secrets of the session in the variable
//! `INHOUSE_REPLAY_REDACT`, so that it redacts what the host writes as a recording does. Sessions over another transport do not change.

mod args;
mod command_line;
pub(crate) mod locate;
mod plan;
mod private_files;
mod problems;
mod secrets;

// Each theme validates the options of the file of the same name in `options`, and translates them
// into arguments, variables and members of `initialize`.
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
mod requests;
mod sandbox;
mod session;
mod settings;
mod store;
mod stream;
mod timeouts;
mod tools;

pub use self::command_line::CommandLine;
pub(crate) use self::environment::child_variable;
pub use self::environment::{Environment, HostEnvironment};
pub(crate) use self::mcp::validate_mcp_servers;
pub use self::plan::{Launch, Plan};
