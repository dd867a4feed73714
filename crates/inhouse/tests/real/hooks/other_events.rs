//! Typed hooks for settings, models, worktrees, tasks, directories and elicitations.

use std::fs;

use inhouse::elicitation::ElicitationAnswer;
use inhouse::error::ErrorKind;
use inhouse::hook::*;
use inhouse::options::McpServer;
use inhouse_proto::control::ControlRequest;
use inhouse_testkit::Turn;
use serde::Serialize;
use serde_json::{Value, json};

use super::probe::Probe;
use crate::world::{self, World};

#[tokio::test]
async fn model_switch_is_seen_and_can_be_blocked() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let mut probe = Probe::new();
        let mut options = probe.of::<PreModelSwitch>(world.options());
        options = probe.of::<PostModelSwitch>(options);
        options = options
            .hook(
                Matcher::pattern(".*haiku.*"),
                async |_: PreModelSwitch, _| Ok(HookOutput::deny("too small for this")),
            )
            .hook(
                Matcher::pattern(".*sonnet.*"),
                async |_: PostModelSwitch, _| Ok(HookOutput::pass().context("You are new here.")),
            );
        let mut client = world.connect(options).await;
        world.ask(&mut client, "Begin.").await;

        client.control().set_model(Some("sonnet")).await.unwrap();
        let before = probe.saw("PreModelSwitch").await;
        assert_eq!(
            (&before["source"], &before["requested_model"]),
            (&json!("sdk"), &json!("sonnet"))
        );
        let after = probe.saw("PostModelSwitch").await;
        assert_eq!(after["to_model"], before["to_model"]);
        world.ask(&mut client, "Go on.").await;
        let read = super::read_by_model(world);
        assert!(read.contains("You are new here."), "{read}");

        let refused = client.control().set_model(Some("haiku")).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Refused);
        assert_eq!(refused.code(), Some("blocked_by_hook"));
        assert!(
            refused.to_string().contains("too small for this"),
            "{refused}"
        );
    })
    .await;
}

#[tokio::test]
async fn changed_settings_are_seen_and_can_be_blocked() {
    world::pinned(async |world| {
        world.model.turn("One.");
        let mut probe = Probe::new();
        let mut options = probe.of::<ConfigChange>(world.options());
        options = options.hook(
            Matcher::only(ConfigSource::UserSettings),
            async |_: ConfigChange, _| Ok(HookOutput::block("not while I work")),
        );
        let mut client = world.connect(options).await;
        world.ask(&mut client, "Begin.").await;

        let rules = json!({"permissions": {"allow": ["Bash(touch *)"]}});
        let file = world.isolation().config_dir().join("settings.json");
        fs::write(file, rules.to_string()).unwrap();

        let change = probe.saw("ConfigChange").await;
        assert_eq!(change["source"], "user_settings");
        let state = client
            .control()
            .request(ListPermissionRules {})
            .await
            .unwrap();
        assert_eq!(state["state"]["rules"], json!([]));
    })
    .await;
}

#[derive(Serialize)]
struct ListPermissionRules {}

impl ControlRequest for ListPermissionRules {
    const SUBTYPE: &'static str = "list_permission_rules";
    type Reply = Value;
}

#[tokio::test]
async fn worktrees_are_created_and_removed_by_hooks() {
    world::pinned(async |world| {
        let worktree = world.isolation().home().join("worktree");
        fs::create_dir(&worktree).unwrap();
        let leave = json!({"action": "remove", "discard_changes": true});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "EnterWorktree", json!({"name": "fix"})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "ExitWorktree", leave))
            .turn("Done.");
        let mut probe = Probe::new();
        let options = probe.of::<WorktreeRemove>(world.options());
        let path = worktree.clone();
        let make = async move |event: WorktreeCreate, _: HookContext| {
            assert_eq!(event.name, "fix");
            Ok(HookOutput::worktree(path))
        };
        let options = options
            .hook(Matcher::any(), make)
            .allow_tools(["EnterWorktree", "ExitWorktree"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        let removed = probe.saw("WorktreeRemove").await;
        assert_eq!(removed["worktree_path"], worktree.to_str().unwrap());
        let entered = world.model.conversation()[1].tool_results();
        assert!(!entered[0].is_error, "{entered:?}");
    })
    .await;
}

#[tokio::test]
async fn tasks_are_seen_and_can_be_blocked() {
    world::pinned(async |world| {
        let task = json!({"subject": "Paint the fence", "description": "All of it"});
        let done = json!({"taskId": "1", "status": "completed"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "TaskCreate", task))
            .turn(Turn::new().tool_use_with_id("toolu_2", "TaskUpdate", done))
            .turn("Done.");
        let mut probe = Probe::new();
        let mut options = probe.of::<TaskCreated>(world.options());
        options = probe.of::<TaskCompleted>(options);
        options = options
            .hook(Matcher::any(), async |_: TaskCompleted, _| {
                Ok(HookOutput::block("the paint is wet"))
            })
            .env("CLAUDE_CODE_ENABLE_TASKS", "1")
            .allow_tools(["TaskCreate", "TaskUpdate"]);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let created = probe.saw("TaskCreated").await;
        assert_eq!(created["task_subject"], "Paint the fence");
        let completed = probe.saw("TaskCompleted").await;
        assert_eq!(completed["task_id"], created["task_id"]);
        let seen = world.model.conversation()[2].tool_results();
        assert!(seen[1].text.contains("the paint is wet"), "{seen:?}");
    })
    .await;
}

#[derive(Serialize)]
struct RegisterRepoRoot {
    directory: String,
}

impl ControlRequest for RegisterRepoRoot {
    const SUBTYPE: &'static str = "register_repo_root";
    type Reply = Value;
}

#[tokio::test]
async fn new_directory_is_seen() {
    world::pinned(async |world| {
        world.model.turn("One.");
        let repository = world.cwd().join("lib");
        fs::create_dir_all(repository.join(".git")).unwrap();
        let mut probe = Probe::new();
        let options = probe.of::<DirectoryAdded>(world.options());
        let mut client = world.connect(options).await;
        world.ask(&mut client, "Begin.").await;

        let directory = repository.to_str().unwrap().to_owned();
        let request = RegisterRepoRoot { directory };
        client.control().request(request).await.unwrap();

        let added = probe.saw("DirectoryAdded").await;
        assert_eq!(added["source"], "register_repo_root");
        assert_eq!(added["directory"], repository.to_str().unwrap());
    })
    .await;
}

/// Scripts a model that calls a tool whose server elicits a region.
fn asking_for_a_region(world: &World) -> inhouse::Options {
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__crm__region", json!({})))
        .turn("Done.");
    let server = McpServer::stdio("sh").args(["-c", include_str!("asking_server.sh")]);
    world
        .options()
        .mcp_server("crm", server)
        .allow_tools(["mcp__crm"])
}

#[tokio::test]
async fn elicitations_of_mcp_servers_are_seen() {
    world::pinned(async |world| {
        let mut probe = Probe::new();
        let mut options = asking_for_a_region(world);
        options = probe.of::<Elicitation>(options);
        options = probe.of::<ElicitationResult>(options);
        options = probe.of::<Notification>(options);
        options = options.on_elicitation(async |_| Ok(ElicitationAnswer::Decline));
        let mut client = world.connect(options).await;
        client.control().wait_mcp_ready().await.unwrap();

        world.ask(&mut client, "Go.").await;

        let event = probe.saw("Elicitation").await;
        assert_eq!(event["message"], "Which region?");
        let answered = probe.saw("ElicitationResult").await;
        assert_eq!(answered["action"], "decline");
        let noted = probe.saw("Notification").await;
        assert_eq!(noted["notification_type"], "elicitation_response");
    })
    .await;
}

/// A hook can block an elicitation: the handler is not called.
#[tokio::test]
async fn blocked_elicitation_is_declined() {
    world::pinned(async |world| {
        let options = asking_for_a_region(world)
            .hook(Matcher::only("crm"), async |_: Elicitation, _| {
                Ok(HookOutput::block("nobody is there"))
            })
            .on_elicitation(async |_| panic!("the handler is not called"));
        let mut client = world.connect(options).await;
        client.control().wait_mcp_ready().await.unwrap();

        world.ask(&mut client, "Go.").await;

        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].text.contains("decline"), "{seen:?}");
    })
    .await;
}
