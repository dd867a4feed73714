//! The request that a handler gets.

use inhouse::builtin::{EnterWorktree, ToolInput};
use inhouse::permission::{CanUseTool, Decision, DecisionReasonType};
use inhouse::{Asked, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{answer_to, bash, call, denial};

fn everything() -> Value {
    json!({
        "subtype": "can_use_tool",
        "tool_name": "Bash",
        "input": {"command": "rm -r build", "timeout": 5},
        "tool_use_id": "toolu_7",
        "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
        "blocked_path": "/srv/build",
        "decision_reason": "\u{1b}[1mrm\u{1b}[0m removes files",
        "decision_reason_type": "subcommandResults",
        "decision_reason_code": "removes",
        "decision_reason_rule_source": "flagSettings",
        "decision_reason_hook_event": "PreToolUse",
        "decision_reason_hook_source": "sdk",
        "classifier_approvable": false,
        "matched_ask_rule": {"source": "flagSettings", "tool_name": "Bash", "rule_content": "rm *"},
        "mcp_server": {"name": "files", "source": "sdk"},
        "title": "Remove",
        "display_name": "Shell",
        "description": "Removes the build",
        "suppress_always_allow_rule": true,
        "default_to_no": true,
        "requires_user_interaction": true,
        "agent_id": "agent_1",
        "server_policy_ask_only": true,
        "plugin": {"name": "cleaner"},
        "server_prompt": "Really?",
        "computer_folder": {"path": "/srv", "computer_name": "desk"},
        "invented_tomorrow": {"deeply": ["nested"]},
    })
}

#[tokio::test(start_paused = true)]
async fn every_member_of_a_request_reaches_the_handler() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().permissions(async move |asked: Asked<CanUseTool>| {
        sender.send(asked).expect("the test holds the receiver");
        Ok(Decision::allow())
    });
    answer_to(options, everything()).await;

    let asked = events.recv().await.unwrap();
    assert_eq!(asked.raw().parse::<Value>().unwrap(), everything());
    assert_eq!(asked.request.tool_name, "Bash");
    assert_eq!(asked.request.input["command"], "rm -r build");
    let reason = DecisionReasonType::SubcommandResults;
    assert_eq!(asked.request.decision_reason_type, Some(reason));
    let rule = asked.request.matched_ask_rule.as_ref().unwrap();
    assert_eq!(rule.rule_content.as_deref(), Some("rm *"));
    assert_eq!(asked.request.agent_id.as_deref(), Some("agent_1"));
    assert_eq!(asked.request.default_to_no, Some(true));
    let folder = asked.request.computer_folder.as_ref().unwrap();
    assert_eq!(
        (folder.path.as_str(), folder.computer_name.as_str()),
        ("/srv", "desk")
    );
}

#[tokio::test(start_paused = true)]
async fn input_is_read_from_its_field_and_never_approved_empty() {
    let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
        assert_eq!(asked.request.input["command"], "rm -r build");
        Ok(Decision::allow())
    });
    let mut question = everything();
    // Names used elsewhere on the wire; reading them here would approve another input.
    question["tool_input"] = json!({});
    question["arguments"] = json!({});
    let answer = answer_to(options, question).await.payload();
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(
        answer["updatedInput"],
        json!({"command": "rm -r build", "timeout": 5})
    );
}

#[tokio::test(start_paused = true)]
async fn request_without_input_is_refused_without_the_handler() {
    let options = Options::new().permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    for input in [json!(null), json!("rm -r build"), json!([])] {
        let mut question = everything();
        question["input"] = input;
        let answer = answer_to(options.clone(), question).await;
        let HostAnswer::Error { error, .. } = answer else {
            panic!("the request must be refused, not answered with {answer:?}");
        };
        assert!(error.contains("input"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn input_decodes_into_a_user_type() {
    #[derive(Deserialize)]
    struct Command {
        command: String,
    }
    impl ToolInput for Command {
        const TOOL: &'static str = "Bash";
    }
    async fn decide(asked: Asked<CanUseTool>) -> Result<Decision, inhouse::HandlerError> {
        let Command { command } = asked.input_as()?;
        Ok(Decision::deny(format!("not {command}")))
    }
    let options = Options::new().permissions(decide);
    assert_eq!(
        denial(answer_to(options.clone(), bash("ls")).await),
        "not ls"
    );
    let odd = call("Bash", json!({"command": 5}));
    let message = denial(answer_to(options, odd).await);
    assert!(
        message.contains("the input of Bash does not fit: command:"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn input_of_another_tool_denies_the_call() {
    let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
        // Every member of this input is optional, so the shape alone would fit any call.
        let EnterWorktree { .. } = asked.input_as()?;
        Ok(Decision::allow())
    });
    let message = denial(answer_to(options.clone(), bash("ls")).await);
    assert!(
        message.contains("the call is of Bash and not of EnterWorktree"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn handler_controls_its_session() {
    let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
        let control = asked.session().control().expect("the session is alive");
        control.set_model(Some("haiku")).await?;
        Ok(Decision::allow())
    });
    FakeCli::play_cli(options, async |cli| {
        let id = cli.ask(bash("ls")).await;
        let request = cli.expect_request("set_model").await;
        assert_eq!(request.body()["model"], "haiku");
        request.succeed_empty().await;
        assert_eq!(cli.expect_answer(&id).await.payload()["behavior"], "allow");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn debug_of_a_request_hides_the_input() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().permissions(async move |asked: Asked<CanUseTool>| {
        sender
            .send(format!("{asked:?}"))
            .expect("the test holds the receiver");
        Ok(Decision::allow())
    });
    answer_to(options, bash("echo hunter2")).await;
    let shown = events.recv().await.unwrap();
    assert!(
        shown.contains("Bash") && !shown.contains("hunter2"),
        "{shown}"
    );
}
