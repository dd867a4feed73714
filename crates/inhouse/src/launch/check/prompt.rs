use super::Problems;
use crate::options::{Options, PromptBase};

pub(super) fn check(options: &Options, problems: &mut Problems) {
    let prompt = &options.prompt.system;
    let preset = matches!(prompt.base, PromptBase::Preset);
    problems.add_if(
        prompt.exclude_dynamic_sections.is_some() && !preset,
        "`exclude_dynamic_sections` without the preset prompt, which alone has such sections; use \
         `SystemPrompt::preset()`",
    );
    match &prompt.base {
        PromptBase::Sections(_) => problems.add_if(
            prompt.append.is_some(),
            "`append` to a system prompt of your own; put the text into the prompt itself, or use \
             `SystemPrompt::preset()`",
        ),
        PromptBase::File(path) => problems.not_empty("SystemPrompt::file", path),
        PromptBase::Preset => {}
    }
    problems.add_if(
        !prompt.dynamic.is_empty() && !matches!(prompt.base, PromptBase::Sections(_)),
        "dynamic sections for a system prompt that is not your own; use `SystemPrompt::sections`, \
         or `append`",
    );
    for name in options.agents.definitions.keys() {
        problems.not_empty("agents", name);
    }
    for name in options.agents.main.iter() {
        problems.not_empty("agent", name);
    }
}
