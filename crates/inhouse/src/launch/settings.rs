use inhouse_proto::control::outgoing::Initialize;
use serde_json::{Map, Value, json};

use super::argv::Argv;
use super::files::{MAX_INLINE, PrivateFiles, read_settings};
use super::sandbox;
use crate::error::{Error, Result};
use crate::options::{Options, SettingsForm};

/// Passes the settings on, with the sandbox merged into them.
pub(super) fn place(options: &Options, argv: &mut Argv, files: &mut PrivateFiles) -> Result<()> {
    let form = options
        .settings
        .settings
        .as_ref()
        .map(|settings| &settings.0);
    let mut settings = match (form, &options.permissions.sandbox) {
        (None, None) => return Ok(()),
        (Some(SettingsForm::File(path)), None) => {
            argv.value("settings", path);
            return Ok(());
        }
        (Some(form), _) => members(form, options)?,
        (None, Some(_)) => Map::new(),
    };
    if let Some(wanted) = &options.permissions.sandbox {
        let merged = sandbox::merge(settings.remove("sandbox"), &wanted.0.0);
        settings.insert("sandbox".to_owned(), Value::Object(merged));
    }
    let text = Value::Object(settings).to_string();
    argv.value("settings", files.inline_or_path("settings", text)?);
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
    if text.len() <= MAX_INLINE {
        argv.value("managed-settings", text);
        return false;
    }
    if !argv.has("await-initialize") {
        argv.switch("await-initialize");
    }
    argv.switch("managed-settings-in-initialize");
    initialize
        .extra
        .insert("managedSettings".to_owned(), settings.0.clone());
    true
}

/// Passes MCP servers on: those of files first, since the last of two with one name counts.
pub(super) fn place_mcp(
    options: &Options,
    argv: &mut Argv,
    files: &mut PrivateFiles,
) -> Result<()> {
    argv.values("mcp-config", &options.mcp.config_files);
    if options.mcp.servers.is_empty() {
        return Ok(());
    }
    let servers: Map<String, Value> = options
        .mcp
        .servers
        .iter()
        .map(|(name, server)| (name.clone(), server.clone().into()))
        .collect();
    let text = json!({ "mcpServers": servers }).to_string();
    argv.value("mcp-config", files.inline_or_path("mcp-config", text)?);
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
