use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::plan::Builder;
use super::private_files::MAX_INLINE;
use super::problems::Problems;
use super::{permissions, sandbox, secrets};
use crate::error::{Error, Result};
use crate::options::{Options, SettingsForm};

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let settings = &options.settings;
    match settings.settings.as_ref().map(|settings| &settings.0) {
        Some(SettingsForm::File(path)) => problems.reject_empty("settings", path),
        Some(SettingsForm::Json(text)) => {
            if let Err(error) = serde_json::from_str::<Map<String, Value>>(text) {
                // Without the text of the error, which may quote the settings.
                problems.add(format!(
                    "the settings are not the text of a JSON object (line {}, column {})",
                    error.line(),
                    error.column()
                ));
            }
        }
        Some(SettingsForm::Value(value)) => problems.add_if(
            !value.is_object(),
            "the settings are not a JSON object; pass one, as in a settings file",
        ),
        None => {}
    }
    problems.add_if(
        settings
            .managed
            .as_ref()
            .is_some_and(|managed| !managed.0.is_object()),
        "the managed settings are not a JSON object; pass one, as in a settings file",
    );
    problems.add_if(
        settings
            .project_config_root
            .as_ref()
            .is_some_and(|root| !root.is_absolute()),
        "`project_config_root` is not an absolute path; make it absolute",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) -> Result<()> {
    let settings = &options.settings;
    if let Some(sources) = &settings.sources {
        let names: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
        builder.args.value("setting-sources", names.join(","));
    }
    builder
        .args
        .values("project-config-root", &settings.project_config_root);
    apply_settings(options, builder)?;
    apply_managed(options, builder);
    builder.confirm_before_prompt_if(
        settings.settings.is_some() || settings.managed.is_some() || options.sandbox.is_some(),
    );
    Ok(())
}

/// Passes the settings to the CLI, with the sandbox and the rules of a policy merged into them.
fn apply_settings(options: &Options, builder: &mut Builder) -> Result<()> {
    let form = options
        .settings
        .settings
        .as_ref()
        .map(|settings| &settings.0);
    let policy = options.ask.policy.as_ref();
    let policy = policy.filter(|policy| policy.has_rules());
    let merges = options.sandbox.is_some() || policy.is_some();
    let mut settings = match form {
        None if !merges => return Ok(()),
        None => Map::new(),
        Some(SettingsForm::File(path)) if !merges => {
            builder.args.value("settings", path);
            return Ok(());
        }
        Some(form) => load(form, options.process.cwd.as_deref())?,
    };
    if let Some(policy) = policy {
        let merged = permissions::merge_rules(settings.remove("permissions"), policy)?;
        settings.insert("permissions".to_owned(), Value::Object(merged));
    }
    if let Some(option) = &options.sandbox {
        let merged = sandbox::merge(settings.remove("sandbox"), &option.0.0)?;
        settings.insert("sandbox".to_owned(), Value::Object(merged));
    }
    let settings = Value::Object(settings);
    let value = builder.files.inline_or_path("settings", &settings)?;
    builder.args.value("settings", value);
    Ok(())
}

/// Passes managed settings to the CLI: as an argument, or in `initialize` if they are too long or
/// contain a secret. The CLI must confirm the latter, because older versions ignore the member.
fn apply_managed(options: &Options, builder: &mut Builder) {
    let Some(settings) = &options.settings.managed else {
        return;
    };
    let text = settings.0.to_string();
    if text.len() <= MAX_INLINE && !secrets::present_in(&settings.0) {
        builder.args.value("managed-settings", text);
        return;
    }
    builder.args.switch_once("await-initialize");
    builder.args.switch("managed-settings-in-initialize");
    let extra = &mut builder.initialize.extra;
    extra.insert("managedSettings".to_owned(), settings.0.clone());
    builder.requires_managed_settings = true;
}

/// Returns the members of the settings; reads them if they are a file.
fn load(form: &SettingsForm, cwd: Option<&Path>) -> Result<Map<String, Value>> {
    let (name, text) = match form {
        SettingsForm::Value(Value::Object(members)) => return Ok(members.clone()),
        SettingsForm::Value(_) => return Err(not_an_object("the value of `Options::settings`")),
        SettingsForm::Json(text) => ("the value of `Options::settings`".to_owned(), text.clone()),
        SettingsForm::File(path) => (
            format!("the settings file {}", path.display()),
            read(path, cwd)?,
        ),
    };
    serde_json::from_str(&text).map_err(|_| not_an_object(&name))
}

/// Returns the text of a settings file, without a byte order mark.
fn read(path: &Path, cwd: Option<&Path>) -> Result<String> {
    let path = match cwd {
        Some(cwd) => cwd.join(path),
        None => PathBuf::from(path),
    };
    let text = fs::read_to_string(&path).map_err(|error| {
        Error::config(format!(
            "the settings file {} cannot be read, so a sandbox or a policy cannot be merged into \
             it; check `Options::settings`",
            path.display()
        ))
        .with_source(error)
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

// Without the text of the parser's error, which may quote the settings.
fn not_an_object(name: &str) -> Error {
    Error::config(format!("{name} is not a JSON object; correct it"))
}
