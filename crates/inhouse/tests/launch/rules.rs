//! Permission rules on the command line, and their conflicts with handlers.

use std::time::Duration;

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::options::PermissionPrompts;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};

use super::{plan, refusal};

#[test]
fn rules_that_the_cli_would_misread_are_rejected() {
    let table = [
        ("Bash(echo (a) b)", "into `Bash(echo (a)`, `b)`"),
        ("Bash(f(1), g(2))", "into `Bash(f(1)`, `g(2))`"),
        (r"Bash(echo \(a\) b)", "put it into a `Policy`"),
        ("Bash(ls", "do not match"),
        ("Bash)", "do not match"),
        ("Bash(ls)x", "do not match"),
        ("bash", "write `Bash`"),
        ("Read,webfetch", "write `WebFetch`"),
        ("mcp__calc(add)", "write `mcp__calc__add`"),
        ("mcp__crm.eu", "write `mcp__crm_eu`"),
    ];
    for (rule, words) in table {
        for options in [
            Options::new().allow_tools([rule]),
            Options::new().disallow_tools([rule]),
        ] {
            let error = refusal(&options).to_string();
            assert!(error.contains(words), "{rule}: {error}");
        }
    }
}

#[test]
fn patterns_that_allow_nothing_are_rejected_but_may_deny() {
    for pattern in ["mcp__*", "*", "Bash*", "mcp__cal*", "mcp__*__add"] {
        let error = refusal(&Options::new().allow_tools([pattern])).to_string();
        assert!(error.contains("allows nothing"), "{pattern}: {error}");
        plan(&Options::new().disallow_tools([pattern]));
    }
}

#[test]
fn valid_rules_are_accepted() {
    for rule in [
        "Read,Grep",
        "Bash(git log *) Write",
        "Bash(a, b)",
        r#"Bash(node -e "f(1, 2)")"#,
        "mcp__calc__*",
        "inventedTomorrow",
    ] {
        plan(&Options::new().allow_tools([rule]).disallow_tools([rule]));
    }
}

#[test]
fn handler_excludes_a_prompt_tool_and_no_prompts() {
    let handlers: [fn(Options) -> Options; 3] = [
        |options| options.permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow())),
        |options| options.on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new())),
        |options| options.on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve())),
    ];
    for handler in handlers {
        let tool = handler(Options::new().permission_prompt_tool("mcp__guard__ask"));
        let error = refusal(&tool).to_string();
        assert!(error.contains("the CLI uses only one of them"), "{error}");
        let without_prompts = handler(Options::new().permission_prompts(PermissionPrompts::None));
        let error = refusal(&without_prompts).to_string();
        assert!(error.contains("never calls it"), "{error}");
        plan(&handler(
            Options::new().permission_prompts(PermissionPrompts::Host),
        ));
    }
}

#[test]
fn zero_timeout_and_unnamed_dialog_are_rejected() {
    let error = refusal(&Options::new().permission_timeout(Duration::ZERO)).to_string();
    assert!(error.contains("`permission_timeout` is 0"), "{error}");
    let unnamed = Options::new().on_dialog("", async |_: Asked<DialogRequest>| {
        Ok(DialogAnswer::Cancelled)
    });
    let error = refusal(&unnamed).to_string();
    assert!(error.contains("empty value for `on_dialog`"), "{error}");
}
