use inhouse::Options;
use inhouse::options::{Effort, McpServer, PermissionMode, Plugin, Settings, Skills, SystemPrompt};

use super::{arguments, plan};

/// Values that the CLI would read as a flag or a command if they were separate arguments.
const AWKWARD: [&str; 9] = [
    "-p",
    "--print",
    "-",
    "--",
    "=",
    "--model=x",
    "two words",
    "a,b",
    "mcp",
];

/// Returns options with `value` for each option that takes a text.
fn with_value(value: &str) -> Vec<Options> {
    let new = Options::new;
    vec![
        new().model(value),
        new().fallback_model(value),
        new().effort(Effort::Unknown(value.into())),
        new().beta(value),
        new().agent(value),
        new().tools([value]),
        new().allow_tools([value]),
        new().disallow_tools([value]),
        new().permission_mode(PermissionMode::Unknown(value.into())),
        new().permission_prompt_tool(value),
        new().add_dir(value),
        new().plugin(value),
        new().plugin(Plugin::local(value).skip_mcp_discovery(true)),
        new().resume(value),
        new().resume("x").resume_at(value),
        new().resume("x").resume_at("y").resume_drops_turn(value),
        new().settings(Settings::file(value)),
        new().project_config_root(format!("/{value}")),
        new().system_prompt(value),
        new().system_prompt(SystemPrompt::file(value)),
        new().mcp_config_file(value),
        new().mcp_server(value, McpServer::stdio(value).args([value])),
        new().debug_file(value),
        new().extra_arg("workload", Some(value)),
        new().title(value),
        new().plan_mode_instructions(value),
    ]
}

#[test]
fn promise_23_value_is_never_a_separate_argument() {
    let harmless: Vec<usize> = with_value("x")
        .iter()
        .map(|it| arguments(&plan(it)).len())
        .collect();
    for value in AWKWARD {
        for (options, expected) in with_value(value).iter().zip(&harmless) {
            let arguments = arguments(&plan(options));
            assert_eq!(arguments.len(), *expected, "{value:?} in {arguments:?}");
            for argument in &arguments {
                let flag = argument.split('=').next().expect("split yields one");
                assert!(is_flag(flag) && flag != "--print", "{argument:?}");
            }
        }
    }
}

#[test]
fn skills_with_spaces_stay_one_rule() {
    let plan = plan(&Options::new().skills(Skills::only(["two words"])));
    assert_eq!(arguments(&plan)[3..], ["--allowedTools=Skill(two words)"]);
}

fn is_flag(text: &str) -> bool {
    let name = text.strip_prefix("--").unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
}
