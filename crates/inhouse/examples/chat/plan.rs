use inhouse::options::PermissionMode;
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::{Asked, HandlerError};

use crate::terminal::{Menu, Terminal};

/// Shows a plan to the user and asks for approval.
pub(crate) async fn decide(
    terminal: &Terminal,
    asked: Asked<PlanRequest>,
) -> Result<PlanDecision, HandlerError> {
    // Not part of the menu, because a plan may be longer than the screen.
    terminal.markdown(asked.request.plan.as_deref().unwrap_or("(an empty plan)"));
    let menu = Menu::new("Shall Claude carry this plan out?", "No, plan again")
        .option("Yes")
        .explained("Yes, and edit files without asking", "mode acceptEdits");
    let picked = terminal.ask(menu).await?;
    Ok(match picked.options[..] {
        [0] => PlanDecision::approve(),
        [_] => PlanDecision::approve().mode(PermissionMode::AcceptEdits),
        _ if picked.words.is_empty() => PlanDecision::reject("The user wants another plan."),
        _ => PlanDecision::reject(picked.words),
    })
}
