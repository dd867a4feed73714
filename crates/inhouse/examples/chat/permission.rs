use inhouse::permission::{CanUseTool, Decision, PermissionUpdate};
use inhouse::{Asked, HandlerError};
use ratatui_core::text::Line;
use serde_json::Value;

use crate::diff;
use crate::terminal::{Menu, Terminal};
use crate::tool_call::{arguments, lines, tool_name};

/// Asks the user whether a tool may run.
///
/// If the CLI cancels its request, this future is dropped, which removes the menu.
pub(crate) async fn decide(
    terminal: &Terminal,
    asked: Asked<CanUseTool>,
) -> Result<Decision, HandlerError> {
    let tool = tool_name(&asked.request.tool_name);
    let mut menu = Menu::new(format!("May Claude use {tool}?"), "No, because")
        .details(details(&asked.request).await)
        .option("Yes");
    let always = always(&asked);
    if let Some(always) = &always {
        menu = menu.explained("Yes, from now on", always);
    }
    let picked = terminal.ask(menu).await?;
    Ok(match picked.options[..] {
        [0] => Decision::allow(),
        [_] => Decision::allow().remember_suggestions(),
        _ if picked.words.is_empty() => Decision::deny("The user does not want that."),
        _ => Decision::deny(picked.words),
    })
}

/// Returns the change that the call makes in a file, or its arguments.
async fn details(request: &CanUseTool) -> Vec<Line<'static>> {
    let Some(path) = request.input.get("file_path").and_then(Value::as_str) else {
        return arguments(&request.input);
    };
    // Fails if the call creates the file.
    let before = tokio::fs::read_to_string(path).await.unwrap_or_default();
    match diff::of_call(&request.tool_name, &request.input, &before) {
        Some(diff) => lines(path).into_iter().chain(diff).collect(),
        None => arguments(&request.input),
    }
}

/// Describes the suggested permission updates; `None` if there are none.
fn always(asked: &Asked<CanUseTool>) -> Option<String> {
    let suggestions = asked.request.permission_suggestions.as_deref()?;
    if suggestions.is_empty() || asked.request.suppress_always_allow_rule == Some(true) {
        return None;
    }
    let updates: Vec<String> = suggestions.iter().map(describe).collect();
    Some(updates.join("; "))
}

fn describe(update: &PermissionUpdate) -> String {
    match update {
        PermissionUpdate::AddRules(update) => {
            let rules = update.rules.iter().map(|rule| match &rule.rule_content {
                Some(content) => format!("{}({content})", rule.tool_name),
                None => rule.tool_name.clone(),
            });
            let rules: Vec<String> = rules.collect();
            format!("{} in {}", rules.join(", "), update.destination)
        }
        PermissionUpdate::AddDirectories(update) => {
            format!("all of {}", update.directories.join(", "))
        }
        PermissionUpdate::SetMode(update) => format!("mode {}", update.mode),
        _ => "another permission update".to_owned(),
    }
}
