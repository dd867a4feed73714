use std::mem;

use inhouse_proto::hook::{HookEvent as _, InstructionsLoaded};

use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

/// Reports hooks that would never run, or for more events than intended.
pub(super) fn validate(options: &Options, problems: &mut Problems) {
    for (event, problem) in options.hooks.problems() {
        problems.add(format!("a hook for `{event}`: {problem}"));
    }
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let hooks = &options.hooks;
    // The CLI resumes a deferred tool call and loads the first instructions before it reads stdin,
    // and would call no hook for either without `--await-initialize`.
    let resumes = !hooks.is_empty() && options.session.resumes();
    if resumes || hooks.contain_event(InstructionsLoaded::NAME) {
        builder.args.switch_once("await-initialize");
    }
    builder.initialize = hooks.register(mem::take(&mut builder.initialize));
    builder.confirm_before_prompt_if(!hooks.is_empty());
}
