use super::Problems;
use crate::options::Options;

/// Hooks that would never run, or more often than they are meant to.
pub(super) fn check(options: &Options, problems: &mut Problems) {
    for (event, problem) in options.hooks.problems() {
        problems.add(format!("a hook for `{event}`: {problem}"));
    }
}
