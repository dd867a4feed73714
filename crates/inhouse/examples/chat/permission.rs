use inhouse::permission::{CanUseTool, Decision, PermissionUpdate};
use inhouse::{Asked, HandlerError};

use crate::terminal::{Menu, Terminal};
use crate::transcript::tool_name;

/// Asks a person whether a tool may run.
///
/// When the CLI withdraws its request, this future is dropped, and the question with it.
pub(crate) async fn decide(
    terminal: &Terminal,
    asked: Asked<CanUseTool>,
) -> Result<Decision, HandlerError> {
    let tool = tool_name(&asked.request.tool_name);
    let mut menu = Menu::new(format!("May Claude use {tool}?"));
    for detail in details(&asked) {
        menu = menu.detail(detail);
    }
    menu = menu.option("Yes");
    let always = always(&asked);
    if let Some(always) = &always {
        menu = menu.explained("Yes, from now on", always);
    }
    let picked = terminal.ask(menu.own_words("No, because")).await?;
    Ok(match picked.options[..] {
        [0] => Decision::allow(),
        [_] => Decision::allow().remember_suggestions(),
        _ if picked.words.is_empty() => Decision::deny("The user does not want that."),
        _ => Decision::deny(picked.words),
    })
}

/// What the tool would be called with: the short members first, so that a long one cannot push a
/// path or a command off the screen.
fn details(asked: &Asked<CanUseTool>) -> Vec<String> {
    let members = asked
        .request
        .input
        .iter()
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}: {text}"),
            None => format!("{name}: {value}"),
        });
    let mut details: Vec<String> = members.collect();
    details.sort_by_key(String::len);
    details
}

/// What "from now on" would mean; `None` where it cannot be had.
fn always(asked: &Asked<CanUseTool>) -> Option<String> {
    let suggestions = asked.request.permission_suggestions.as_deref()?;
    if suggestions.is_empty() || asked.request.suppress_always_allow_rule == Some(true) {
        return None;
    }
    let words: Vec<String> = suggestions.iter().map(in_words).collect();
    Some(words.join("; "))
}

fn in_words(update: &PermissionUpdate) -> String {
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
        _ => "another change of the permissions".to_owned(),
    }
}
