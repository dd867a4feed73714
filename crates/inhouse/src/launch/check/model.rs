use super::Problems;
use crate::options::{Options, ThinkingMode};

pub(super) fn check(options: &Options, problems: &mut Problems) {
    let model = &options.model;
    for name in model.model.iter() {
        problems.not_empty("model", name);
    }
    for fallback in &model.fallbacks {
        problems.not_empty("fallback_model", fallback);
        problems.add_if(
            Some(fallback) == model.model.as_ref(),
            format!("the fallback model `{fallback}` is the main model; choose another one"),
        );
    }
    for beta in &model.betas {
        problems.not_empty("beta", beta);
    }
    if let Some(thinking) = &model.thinking {
        problems.add_if(
            thinking.mode == ThinkingMode::Budget(0),
            "a thinking budget of 0; use `Thinking::disabled()`",
        );
        problems.add_if(
            thinking.mode == ThinkingMode::Disabled && thinking.display.is_some(),
            "a display for disabled thinking; leave one of the two away",
        );
    }
    limits(options, problems);
    schema(options, problems);
}

fn limits(options: &Options, problems: &mut Problems) {
    let limits = &options.limits;
    problems.add_if(
        limits.max_turns == Some(0),
        "`max_turns` is 0; leave it away for no limit, or allow at least one turn",
    );
    if let Some(dollars) = limits.max_budget_usd {
        problems.add_if(
            !(dollars.is_finite() && dollars > 0.0),
            format!("`max_budget_usd` is {dollars}; it must be a number above 0"),
        );
    }
    problems.add_if(
        limits.task_budget == Some(0),
        "`task_budget` is 0; leave it away for none, or give at least one token",
    );
    problems.add_if(
        options.stream.max_line_bytes == 0,
        "`max_line_bytes` is 0, so that no message could be read; leave it away for 256 MiB",
    );
}

/// The API takes objects only: the schema becomes the input of a tool.
fn schema(options: &Options, problems: &mut Problems) {
    let Some(schema) = &options.output.schema else {
        return;
    };
    problems.add_if(
        !schema.is_object(),
        "the output schema is not a JSON object; pass a JSON Schema",
    );
    let root = schema.get("type");
    problems.add_if(
        root.is_some_and(|root| root != "object"),
        "the root of the output schema is not of the type `object`; wrap it into one",
    );
}
