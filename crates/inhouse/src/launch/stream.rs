use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

/// The default maximum length of a line; the longest messages contain files and images.
pub(super) const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    problems.add_if(
        options.stream.max_line_bytes == Some(0),
        "`max_line_bytes` is 0, so no message could be read; omit it for 256 MiB",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (stream, args) = (&options.stream, &mut builder.args);
    args.switch_if(stream.partial_messages, "include-partial-messages");
    args.switch_if(stream.hook_events, "include-hook-events");
    args.switch_if(stream.replay_user_messages, "replay-user-messages");
    let initialize = &mut builder.initialize;
    initialize.forward_subagent_text = stream.subagent_text.then_some(true);
    initialize.prompt_suggestions = stream.prompt_suggestions;
    initialize.agent_progress_summaries = stream.agent_progress_summaries;
}
