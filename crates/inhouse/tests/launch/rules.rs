//! Rules on the command line, and who decides beside them.

use std::time::Duration;

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::options::PermissionPrompts;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};

use super::{plan, refusal};

#[test]
fn rules_that_the_cli_would_misread_are_refused() {
    let table = [
        ("Bash(echo (a) b)", "apart, into `Bash(echo (a)`, `b)`"),
        ("Bash(f(1), g(2))", "apart, into `Bash(f(1)`, `g(2))`"),
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
fn patterns_that_allow_nothing_are_refused_and_may_deny() {
    for pattern in ["mcp__*", "*", "Bash*", "mcp__cal*", "mcp__*__add"] {
        let error = refusal(&Options::new().allow_tools([pattern])).to_string();
        assert!(error.contains("allows nothing"), "{pattern}: {error}");
        plan(&Options::new().disallow_tools([pattern]));
    }
}

#[test]
fn rules_that_work_are_left_alone() {
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
fn a_handler_and_another_way_to_decide_exclude_each_other() {
    let handlers: [fn(Options) -> Options; 3] = [
        |options| options.permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow())),
        |options| options.on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new())),
        |options| options.on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve())),
    ];
    for handler in handlers {
        let tool = handler(Options::new().permission_prompt_tool("mcp__guard__ask"));
        let error = refusal(&tool).to_string();
        assert!(error.contains("only one of them can be asked"), "{error}");
        let nobody = handler(Options::new().permission_prompts(PermissionPrompts::None));
        let error = refusal(&nobody).to_string();
        assert!(error.contains("never asked"), "{error}");
        plan(&handler(
            Options::new().permission_prompts(PermissionPrompts::Host),
        ));
    }
}

#[test]
fn what_no_handler_can_work_with_is_refused() {
    let error = refusal(&Options::new().permission_timeout(Duration::ZERO)).to_string();
    assert!(error.contains("`permission_timeout` is 0"), "{error}");
    let nameless = Options::new().on_dialog("", async |_: Asked<DialogRequest>| {
        Ok(DialogAnswer::Cancelled)
    });
    let error = refusal(&nameless).to_string();
    assert!(error.contains("empty value for `on_dialog`"), "{error}");
}
