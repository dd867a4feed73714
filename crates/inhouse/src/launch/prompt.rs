use super::plan::Builder;
use super::problems::Problems;
use crate::options::{Options, PromptBase};

/// Separates the sections that the CLI caches across sessions from those that it does not.
const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let prompt = &options.prompt.system;
    problems.add_if(
        prompt.exclude_dynamic_sections.is_some() && !matches!(prompt.base, PromptBase::Preset),
        "`exclude_dynamic_sections` without the preset prompt, which alone has such sections; use \
         `SystemPrompt::preset()`",
    );
    match &prompt.base {
        PromptBase::Sections(_) => problems.add_if(
            prompt.append.is_some(),
            "`append` to a custom system prompt; put the text into the prompt itself, or use \
             `SystemPrompt::preset()`",
        ),
        PromptBase::File(path) => problems.reject_empty("SystemPrompt::file", path),
        PromptBase::Preset => {}
    }
    problems.add_if(
        !prompt.dynamic.is_empty() && !matches!(prompt.base, PromptBase::Sections(_)),
        "dynamic sections for a preset or a file; use `SystemPrompt::sections`, or `append`",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let initialize = &mut builder.initialize;
    let prompt = &options.prompt.system;
    match &prompt.base {
        PromptBase::Sections(stable) => {
            let mut sections = stable.clone();
            if !prompt.dynamic.is_empty() {
                sections.push(DYNAMIC_BOUNDARY.to_owned());
                sections.extend(prompt.dynamic.iter().cloned());
            }
            initialize.system_prompt = Some(sections);
        }
        PromptBase::Preset => {}
        PromptBase::File(path) => builder.args.value("system-prompt-file", path),
    }
    initialize.append_system_prompt.clone_from(&prompt.append);
    initialize.exclude_dynamic_sections = prompt.exclude_dynamic_sections;
    initialize.system_prompt_snapshot = prompt.snapshot;
    let instructions = options.prompt.plan_mode_instructions.as_ref();
    initialize.plan_mode_instructions = instructions.map(|text| text.0.clone());
}
