//! Control requests of the host.

use std::time::Duration;

use inhouse::control::outgoing::{
    GetBinaryVersion, ReloadSkills, RenameSession, SetPermissionMode,
};
use inhouse::control::{ControlRequest, PermissionMode};
use inhouse::message::{Message, SystemMessage};
use inhouse::{Client, ErrorKind};
use inhouse_testkit::model::RequestKind;
use inhouse_testkit::{ModelRequest, Turn};
use serde::Serialize;
use serde_json::{Value, json};

use crate::world::{self, result_of};

#[derive(Serialize)]
struct GetPlan {}

impl ControlRequest for GetPlan {
    const SUBTYPE: &'static str = "get_plan";
    type Reply = Value;
}

/// A request that the CLI does not know.
#[derive(Serialize)]
pub(crate) struct MakeCoffee {}

impl ControlRequest for MakeCoffee {
    const SUBTYPE: &'static str = "make_coffee";
    type Reply = Value;
}

#[tokio::test]
async fn changed_model_answers_the_next_prompt() {
    world::pinned(async |world| {
        // The CLI first sends a test request to the new model.
        let is_trial = |request: &ModelRequest| request.body()["max_tokens"] == 1;
        world.model.once(is_trial, "Hi.");
        world.model.turn("One.").turn("Two.").turn("Three.");
        let options = world.options().model("claude-opus-4-5");
        let mut client = world.connect(options).await;

        world.ask(&mut client, "First?").await;
        let control = client.control().clone();
        control.set_model(Some("claude-haiku-4-5")).await.unwrap();
        world.ask(&mut client, "Second?").await;
        control.set_model(None).await.unwrap();
        world.ask(&mut client, "Third?").await;

        let mut requests = world.model.conversation();
        requests.retain(|request| !is_trial(request));
        assert_eq!(requests[0].model(), "claude-opus-4-5");
        assert_eq!(requests[1].model(), "claude-haiku-4-5");
        assert_ne!(requests[2].model(), "claude-haiku-4-5");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn changed_permission_mode_allows_the_same_call() {
    world::pinned(async |world| {
        let target = world.cwd().join("note.txt");
        let input = json!({"file_path": target, "content": "Hello.\n"});
        for id in ["toolu_1", "toolu_2"] {
            let call = Turn::new().tool_use_with_id(id, "Write", input.clone());
            world.model.turn(call).turn("Done.");
        }
        let mut client = world.connect(world.options()).await;

        let turn = client.send("Write it.").await.unwrap();
        let refused = turn.finish().await.unwrap();
        assert_eq!(refused.permission_denials.as_ref().unwrap().len(), 1);
        assert!(!target.exists());

        let mode = PermissionMode::AcceptEdits;
        client.control().set_permission_mode(mode).await.unwrap();
        world.ask(&mut client, "Write it now.").await;
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "Hello.\n");

        let seen = world.model.conversation()[3].tool_results();
        assert!(seen[0].is_error && !seen[1].is_error, "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn refused_request_has_the_text_and_code_of_the_cli() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;

        let mode = PermissionMode::Unknown("nonsense".to_owned());
        let refused = client.control().request(SetPermissionMode::new(mode)).await;
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert_eq!(error.code(), Some("invalid_mode"));
        assert!(error.to_string().contains("must be one of"), "{error}");

        let error = client.control().request(MakeCoffee {}).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert_eq!(error.code(), Some("unsupported_request"));
        assert!(error.to_string().contains("make_coffee"), "{error}");

        assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");
    })
    .await;
}

#[tokio::test]
async fn custom_request_is_answered() {
    world::pinned(async |world| {
        let client = world.connect(world.options()).await;
        let plan = client.control().request(GetPlan {}).await.unwrap();
        assert_eq!(plan["exists"], false, "{plan}");
        assert!(world.model.conversation().is_empty());
    })
    .await;
}

#[tokio::test]
async fn session_info_is_returned() {
    world::pinned(async |world| {
        let client = world.connect(world.options()).await;
        let control = client.control();

        let version = control.request(GetBinaryVersion::new()).await.unwrap();
        assert_eq!(version.version, "2.1.325");
        let models = control.models().await.unwrap();
        assert!(models.iter().any(|model| model.value == "default"));
        let initialized = control.initialization();
        assert_eq!(initialized.pid, control.pid());
        let commands = initialized.commands.as_ref().unwrap();
        assert!(commands.iter().any(|command| command.name == "compact"));
        assert!(control.mcp_status().await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn commands_of_the_initialization_follow_changes() {
    world::pinned(async |world| {
        let mut client = world.connect(world.options()).await;
        let has_command = |client: &Client| {
            let initialized = client.control().initialization();
            let commands = initialized.commands.as_deref().unwrap_or_default();
            commands.iter().any(|command| command.name == "deploy")
        };
        assert!(!has_command(&client));

        let skill = world.cwd().join(".claude/skills/deploy");
        std::fs::create_dir_all(&skill).unwrap();
        let text = "---\nname: deploy\ndescription: Deploys the project\n---\nDeploy.\n";
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
        client.control().request(ReloadSkills::new()).await.unwrap();
        let changed = |message: &Message| {
            matches!(message, Message::System(SystemMessage::CommandsChanged(_)))
        };
        world.read_until(client.messages(), changed).await;

        assert!(has_command(&client));
    })
    .await;
}

#[tokio::test]
async fn session_usage_is_returned() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;
        let turn = client.send("How are you?").await.unwrap();
        let result = turn.finish().await.unwrap();

        let usage = client.control().usage().await.unwrap();
        assert_eq!(Some(usage.session.total_cost_usd), result.total_cost_usd);
        assert_eq!(usage.session.model_usage.len(), 1);
        let context = client.control().context_usage().await.unwrap();
        assert!(context.total_tokens > 0 && context.total_tokens < context.max_tokens);
        let api = context.api_usage.unwrap();
        assert_eq!(api.input_tokens, Some(10));
        let counted = world
            .model
            .requests()
            .iter()
            .any(|request| request.kind() == RequestKind::CountTokens);
        assert!(counted, "a full count asks the API");
    })
    .await;
}

#[tokio::test]
async fn session_gets_a_new_title() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;
        world.ask(&mut client, "How are you?").await;

        let rename = RenameSession::new("A cold day in May");
        client.control().request(rename).await.unwrap();

        let changed =
            |message: &inhouse::message::Message| message.tag() == "system/session_title_changed";
        let messages = world.read_until(client.messages(), changed).await;
        let changed = serde_json::to_value(messages.last().unwrap()).unwrap();
        assert_eq!(changed["title"], "A cold day in May", "{changed}");
        assert_eq!(world.model.conversation().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn request_times_out_when_the_cli_does_not_answer() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;
        let pid = client.control().pid().unwrap();

        world::signal(pid, "STOP").await;
        let hurried = client.control().with_timeout(Duration::from_millis(100));
        let error = hurried.models().await.unwrap_err();
        world::signal(pid, "CONT").await;

        assert!(error.is_timeout(), "{error:?}");
        assert!(error.to_string().contains("list_models"), "{error}");
        assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");
    })
    .await;
}

#[tokio::test]
async fn settings_change_while_the_session_runs() {
    world::pinned(async |world| {
        let call = |id| Turn::new().tool_use_with_id(id, "Bash", json!({"command": "echo hi"}));
        world.model.turn(call("toolu_1")).turn("I may.");
        world.model.turn(call("toolu_2")).turn("I may not.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;
        world.ask(&mut client, "Say hi.").await;

        let deny = json!({"permissions": {"deny": ["Bash(echo:*)"]}});
        let Value::Object(deny) = deny else {
            unreachable!("it is an object");
        };
        client.control().apply_settings(deny).await.unwrap();
        let turn = client.send("Say it again.").await.unwrap();
        let messages = world.read(turn).await;

        let denials = result_of(&messages).permission_denials.as_ref().unwrap();
        assert_eq!(denials[0].tool_use_id, "toolu_2");
        let seen = world.model.conversation()[3].tool_results();
        assert!(!seen[0].is_error && seen[1].is_error, "{seen:?}");
    })
    .await;
}
