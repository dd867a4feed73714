use super::plan::Builder;
use super::problems::Problems;
use crate::options::{Effort, Options, ThinkingDisplay, ThinkingMode};

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let model = &options.model;
    problems.reject_empty_each("model", &model.model);
    for fallback in &model.fallbacks {
        problems.reject_empty("fallback_model", fallback);
        problems.add_if(
            Some(fallback) == model.model.as_ref(),
            format!("the fallback model `{fallback}` is the main model; choose another one"),
        );
    }
    problems.reject_empty_each("beta", &model.betas);
    if let Some(thinking) = &model.thinking {
        problems.add_if(
            thinking.mode == ThinkingMode::Budget(0),
            "a thinking budget of 0; use `Thinking::disabled()`",
        );
        problems.add_if(
            thinking.mode == ThinkingMode::Disabled && thinking.display.is_some(),
            "`Thinking::display` for disabled thinking; omit one of the two",
        );
    }
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (model, args) = (&options.model, &mut builder.args);
    args.values("model", &model.model);
    if !model.fallbacks.is_empty() {
        args.value("fallback-model", model.fallbacks.join(","));
    }
    if let Some(thinking) = &model.thinking {
        match thinking.mode {
            ThinkingMode::Adaptive => args.value("thinking", "adaptive"),
            ThinkingMode::Budget(tokens) => args.value("max-thinking-tokens", tokens.to_string()),
            ThinkingMode::Disabled => args.value("thinking", "disabled"),
        }
        let display = thinking.display.as_ref().map(ThinkingDisplay::as_str);
        args.values("thinking-display", display);
    }
    args.values("effort", model.effort.as_ref().map(Effort::as_str));
    // One flag for each: CLI 2.1.325 reads `a,b` as the name of a single beta.
    args.values("betas", &model.betas);
}
