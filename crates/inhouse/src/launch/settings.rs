use inhouse_proto::control::outgoing::Initialize;
use serde_json::{Map, Value, json};

use super::argv::Argv;
use super::files::{MAX_INLINE, PrivateFiles, read_settings};
use super::{policy, sandbox, secrets};
use crate::error::{Error, Result};
use crate::options::{Options, SettingsForm};

/// Passes the settings on, with the sandbox and the rules of a policy merged into them.
pub(super) fn place(options: &Options, argv: &mut Argv, files: &mut PrivateFiles) -> Result<()> {
    let form = options
        .settings
        .settings
        .as_ref()
        .map(|settings| &settings.0);
    let sandbox = options.permissions.sandbox.as_ref();
    let policy = options.ask.policy.as_ref();
    let policy = policy.filter(|policy| policy.has_rules());
    let merges = sandbox.is_some() || policy.is_some();
    let mut settings = match form {
        None if !merges => return Ok(()),
        None => Map::new(),
        Some(SettingsForm::File(path)) if !merges => {
            argv.value("settings", path);
            return Ok(());
        }
        Some(form) => members(form, options)?,
    };
    if let Some(policy) = policy {
        let merged = policy::merge(settings.remove("permissions"), policy)?;
        settings.insert("permissions".to_owned(), Value::Object(merged));
    }
    if let Some(wanted) = sandbox {
        let merged = sandbox::merge(settings.remove("sandbox"), &wanted.0.0);
        settings.insert("sandbox".to_owned(), Value::Object(merged));
    }
    let settings = Value::Object(settings);
    argv.value("settings", files.inline_or_path("settings", &settings)?);
    Ok(())
}

/// Passes managed settings on; tells whether the CLI must confirm them in its answer to
/// `initialize`.
pub(super) fn place_managed(
    options: &Options,
    argv: &mut Argv,
    initialize: &mut Initialize,
) -> bool {
    let Some(settings) = &options.settings.managed else {
        return false;
    };
    let text = settings.0.to_string();
    if text.len() <= MAX_INLINE && !secrets::present_in(&settings.0) {
        argv.value("managed-settings", text);
        return false;
    }
    argv.switch_once("await-initialize");
    argv.switch("managed-settings-in-initialize");
    initialize
        .extra
        .insert("managedSettings".to_owned(), settings.0.clone());
    true
}

/// Passes MCP servers on: those of files first, since the last of two with one name counts. Servers
/// in this process are told of in `initialize`, and here as well where that is too late.
pub(super) fn place_mcp(
    options: &Options,
    argv: &mut Argv,
    files: &mut PrivateFiles,
) -> Result<()> {
    argv.values("mcp-config", &options.mcp.config_files);
    let external = options.mcp.servers.iter();
    let mut servers: Map<String, Value> = external
        .map(|(name, server)| (name.clone(), server.clone().into()))
        .collect();
    if options.session.resumes() {
        // A call that was deferred goes on at once, and does not find a tool whose server the CLI
        // only learns of from `initialize`.
        let in_process = options.in_process.servers.iter();
        servers
            .extend(in_process.map(|(key, _)| (key.clone(), json!({"type": "sdk", "name": key}))));
    }
    if servers.is_empty() {
        return Ok(());
    }
    let config = json!({ "mcpServers": servers });
    argv.value("mcp-config", files.inline_or_path("mcp-config", &config)?);
    Ok(())
}

fn members(form: &SettingsForm, options: &Options) -> Result<Map<String, Value>> {
    let (name, text) = match form {
        SettingsForm::Value(Value::Object(members)) => return Ok(members.clone()),
        SettingsForm::Value(_) => return Err(not_an_object("what `Options::settings` got")),
        SettingsForm::Json(text) => ("what `Options::settings` got".to_owned(), text.clone()),
        SettingsForm::File(path) => (
            format!("the settings file {}", path.display()),
            read_settings(path, options.process.cwd.as_deref())?,
        ),
    };
    serde_json::from_str(&text).map_err(|_| not_an_object(&name))
}

// Without the parser's words, which may quote the settings.
fn not_an_object(name: &str) -> Error {
    Error::config(format!("{name} is not a JSON object; check it"))
}
