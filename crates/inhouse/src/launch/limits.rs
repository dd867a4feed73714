use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let limits = &options.limits;
    problems.add_if(
        limits.max_turns == Some(0),
        "`max_turns` is 0; omit it for no limit, or allow at least one turn",
    );
    if let Some(dollars) = limits.max_budget_usd {
        problems.add_if(
            !(dollars.is_finite() && dollars > 0.0),
            format!("`max_budget_usd` is {dollars}; it must be a number above 0"),
        );
    }
    problems.add_if(
        limits.task_budget == Some(0),
        "`task_budget` is 0; omit it for no budget, or give at least one token",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (limits, args) = (&options.limits, &mut builder.args);
    args.values("max-turns", limits.max_turns.map(|turns| turns.to_string()));
    args.values(
        "max-budget-usd",
        limits.max_budget_usd.map(|dollars| dollars.to_string()),
    );
    args.values(
        "task-budget",
        limits.task_budget.map(|tokens| tokens.to_string()),
    );
}
