//! Subagents, and work that goes on in the background.

use inhouse::message::{Message, SystemMessage, TaskNotificationStatus};
use inhouse::options::AgentDefinition;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;

use crate::world::{self, result_of, tags};

fn of_subagent(request: &ModelRequest) -> bool {
    request.agent_id().is_some()
}

#[tokio::test]
async fn a_subagent_works_and_its_words_are_told_apart() {
    world::pinned(async |world| {
        let task = json!({
            "description": "Count the sheep",
            "prompt": "How many sheep are there?",
            "subagent_type": "shepherd",
            "run_in_background": false,
        });
        world
            .model
            .turn(Turn::new().tool_use("toolu_1", "Agent", task))
            .once(of_subagent, "Seven sheep.")
            .turn("There are seven.");
        let shepherd = AgentDefinition::new("Counts sheep.", "You are a shepherd.");
        let options = world
            .options()
            .agents([("shepherd", shepherd)])
            .allow_tools(["Agent"])
            .forward_subagent_text(true);
        let mut client = world.connect(options).await;

        let turn = client.send("How many?").await.unwrap();
        let messages = world.read(turn).await;

        let of_sheep: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(inner) if message.parent_tool_use_id().is_some() => Some(inner),
                _ => None,
            })
            .collect();
        assert_eq!(of_sheep.len(), 1, "{:?}", tags(&messages));
        assert_eq!(of_sheep[0].parent_tool_use_id.as_deref(), Some("toolu_1"));
        assert_eq!(of_sheep[0].text(), "Seven sheep.");
        assert_eq!(
            result_of(&messages).result.as_deref(),
            Some("There are seven.")
        );
        let asked = world.model.conversation();
        let sub = asked.iter().find(|request| of_subagent(request)).unwrap();
        assert!(sub.system_text().contains("You are a shepherd."));
        assert_eq!(
            sub.last_user_text().as_deref(),
            Some("How many sheep are there?")
        );
        let seen = asked.last().unwrap().tool_results();
        assert!(seen[0].text.contains("Seven sheep."), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn trap_2_a_background_command_outlives_the_result_of_its_turn() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let call = json!({"command": "echo ready > go; cat go", "run_in_background": true});
        world
            .model
            .turn(Turn::new().tool_use("toolu_1", "Bash", call))
            .turn("It runs.")
            .turn("It is done.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;

        let turn = client.send("Run it.").await.unwrap();
        let messages = world.read(turn).await;
        assert_eq!(result_of(&messages).result.as_deref(), Some("It runs."));
        assert_eq!(pipe.read().await, "ready\n");
        pipe.write("Over and out.\n").await;

        let is_result = |message: &Message| matches!(message, Message::Result(_));
        let messages = world.read_until(client.messages(), is_result).await;
        let ended = messages.iter().find_map(|message| match message {
            Message::System(SystemMessage::TaskNotification(ended)) => Some(ended),
            _ => None,
        });
        let ended = ended.unwrap_or_else(|| panic!("{:?}", tags(&messages)));
        assert_eq!(ended.status, TaskNotificationStatus::Completed);
        assert_eq!(ended.tool_use_id.as_deref(), Some("toolu_1"));
        assert_eq!(result_of(&messages).result.as_deref(), Some("It is done."));
        assert_eq!(world.model.conversation().len(), 3);
        world.model.assert_done();
    })
    .await;
}
