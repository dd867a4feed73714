//! Warnings about contradictory options.

use inhouse::options::PermissionMode;
use inhouse::permission::{CanUseTool, Decision, Policy};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::tool::ToolServer;
use inhouse::{Asked, Options, Warning};
use inhouse_testkit::FakeCli;

async fn warnings(options: Options) -> Vec<Warning> {
    let warnings = FakeCli::play(
        options,
        async |client| Ok(client.warnings().to_vec()),
        async |_| (),
    );
    warnings.await.0
}

fn handled() -> Options {
    Options::new().permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()))
}

#[tokio::test(start_paused = true)]
async fn rules_for_whole_tools_warn_that_the_handler_is_skipped() {
    let rules = [
        "Read",
        "Bash()",
        "Write(*)",
        "mcp__calc",
        "Bash(git log *)",
        "AskUserQuestion",
        "ExitPlanMode",
    ];
    let whole = ["Read", "Bash()", "Write(*)", "mcp__calc"];
    let expected = Warning::RulesBypassHandler(whole.map(str::to_owned).to_vec());
    let found = warnings(handled().allow_tools(rules)).await;
    assert_eq!(found, [expected]);
    let text = found[0].to_string();
    assert!(
        text.contains("`Read`, `Bash()`, `Write(*)`, `mcp__calc`"),
        "{text}"
    );
    assert!(text.contains("Policy::allow"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn modes_without_prompts_warn_that_the_handler_is_skipped() {
    let bypass = handled()
        .permission_mode(PermissionMode::BypassPermissions)
        .allow_dangerously_skip_permissions(true);
    let expected = Warning::ModeBypassesHandler(PermissionMode::BypassPermissions);
    assert_eq!(warnings(bypass).await, [expected]);
    let dont_ask = handled().permission_mode(PermissionMode::DontAsk);
    let found = warnings(dont_ask).await;
    assert_eq!(
        found,
        [Warning::ModeBypassesHandler(PermissionMode::DontAsk)]
    );
    assert!(
        found[0]
            .to_string()
            .contains("denies every call that needs permission"),
        "{}",
        found[0]
    );
}

#[tokio::test(start_paused = true)]
async fn consistent_options_give_no_warning() {
    let whole = || Options::new().allow_tools(["Read"]);
    let questions = async |_: Asked<QuestionRequest>| Ok(Answers::new());
    let policy = Policy::new().allow("Read");
    for options in [
        whole(),
        whole().on_question(questions),
        handled(),
        handled().allow_tools(["Bash(git log *)"]),
        handled().permission_mode(PermissionMode::Default),
        Options::new().permissions(policy),
    ] {
        assert_eq!(warnings(options).await, []);
    }
}

#[tokio::test(start_paused = true)]
async fn value_with_several_rules_is_split() {
    let found = warnings(handled().allow_tools(["Read,Bash(git *)", "Bash(ls *) Write"])).await;
    let whole = ["Read", "Write"].map(str::to_owned).to_vec();
    assert_eq!(found, [Warning::RulesBypassHandler(whole)]);
}

#[tokio::test(start_paused = true)]
async fn in_process_tools_give_no_warning() {
    let calc = || handled().tool_server(ToolServer::new("calc"));
    assert_eq!(warnings(calc().allow_tools(["mcp__calc"])).await, []);
    assert_eq!(warnings(calc().allow_tools(["mcp__calc__add"])).await, []);
    let other = vec!["mcp__mail".to_owned()];
    let found = warnings(calc().allow_tools(["mcp__mail"])).await;
    assert_eq!(found, [Warning::RulesBypassHandler(other)]);
}
