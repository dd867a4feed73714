use inhouse::options::PermissionMode;
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::{Asked, HandlerError};

use crate::terminal::{Menu, Terminal};

/// Shows a plan to a person and asks whether it is to be carried out.
pub(crate) async fn decide(
    terminal: &Terminal,
    asked: Asked<PlanRequest>,
) -> Result<PlanDecision, HandlerError> {
    // Not a part of the question: a plan may be longer than the screen is high.
    terminal.line(
        asked
            .request
            .plan
            .as_deref()
            .unwrap_or("(a plan without words)"),
    );
    let menu = Menu::new("Shall Claude carry this plan out?")
        .option("Yes")
        .explained("Yes, and edit files without asking", "mode acceptEdits")
        .own_words("No, plan again");
    let picked = terminal.ask(menu).await?;
    Ok(match picked.options[..] {
        [0] => PlanDecision::approve(),
        [_] => PlanDecision::approve().mode(PermissionMode::AcceptEdits),
        _ if picked.words.is_empty() => PlanDecision::reject("The user wants another plan."),
        _ => PlanDecision::reject(picked.words),
    })
}
