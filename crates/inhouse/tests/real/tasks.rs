//! Subagents and background tasks.

use inhouse::message::{Message, SystemMessage, TaskNotificationStatus};
use inhouse::options::AgentDefinition;
use inhouse::{Options, query};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;

use crate::world::{self, World, result_of, tags};

/// A session in which the model starts the subagent `shepherd`.
pub(crate) fn counting_sheep(world: &World, in_background: bool, answer: Turn) -> Options {
    let task = json!({
        "description": "Count the sheep",
        "prompt": "How many sheep are there?",
        "subagent_type": "shepherd",
        "run_in_background": in_background,
    });
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Agent", task))
        .once(of_subagent, answer);
    let shepherd = AgentDefinition::new("Counts sheep.", "You are a shepherd.");
    world
        .options()
        .agents([("shepherd", shepherd)])
        .allow_tools(["Agent"])
}

/// Reads a query to its end; messages after the first result must wait for the signal.
pub(crate) async fn read_past_first_result(
    world: &World,
    options: Options,
    signal: impl AsyncFnOnce(),
) -> Vec<Message> {
    let mut stream = query("How many?").options(options).await.unwrap();
    let mut messages = world.read_until(&mut stream, is_result).await;
    signal().await;
    let (rest, end) = world.read_stream(stream).await;
    assert!(end.is_none(), "{end:?}");
    messages.extend(rest);
    messages
}

pub(crate) fn results(messages: &[Message]) -> Vec<&str> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Result(result) => result.result.as_deref(),
            _ => None,
        })
        .collect()
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Result(_))
}

fn of_subagent(request: &ModelRequest) -> bool {
    request.agent_id().is_some()
}

#[tokio::test]
async fn subagent_messages_have_their_parent_id() {
    world::pinned(async |world| {
        let answer = Turn::new().text("Seven sheep.");
        let options = counting_sheep(world, false, answer).forward_subagent_text(true);
        world.model.turn("There are seven.");
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
        let requests = world.model.conversation();
        let sub = requests
            .iter()
            .find(|request| of_subagent(request))
            .unwrap();
        assert!(sub.system_text().contains("You are a shepherd."));
        assert_eq!(
            sub.last_user_text().as_deref(),
            Some("How many sheep are there?")
        );
        let seen = requests.last().unwrap().tool_results();
        assert!(seen[0].text.contains("Seven sheep."), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_02_background_command_outlives_its_turn() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let call = json!({"command": "echo ready > go; cat go", "run_in_background": true});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("It runs.")
            .turn("It is done.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;

        let turn = client.send("Run it.").await.unwrap();
        let messages = world.read(turn).await;
        assert_eq!(result_of(&messages).result.as_deref(), Some("It runs."));
        assert_eq!(pipe.read().await, "ready\n");
        pipe.write("Over and out.\n").await;

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

#[tokio::test]
async fn promise_02_query_waits_for_its_background_agent() {
    world::pinned(async |world| {
        let answer = Turn::new().text("Seven sheep.").stall();
        let options = counting_sheep(world, true, answer);
        world.model.turn("He is counting.").turn("There are seven.");

        let messages = read_past_first_result(world, options, async || world.model.release()).await;

        assert_eq!(results(&messages), ["He is counting.", "There are seven."]);
        let last = world.model.conversation().pop().unwrap();
        assert!(last.body().to_string().contains("Seven sheep."));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_02_query_waits_for_its_background_command() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let call = json!({"command": "cat go", "run_in_background": true});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("It runs.")
            .turn("It is done.");
        let options = world.options().allow_tools(["Bash"]);

        let signal = async || pipe.write("Over and out.\n").await;
        let messages = read_past_first_result(world, options, signal).await;

        assert_eq!(results(&messages), ["It runs.", "It is done."]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn background_command_is_stopped() {
    world::pinned(async |world| {
        let pipe = world.pipe("pid").await;
        let command = "echo $$ > pid; exec tail -f /dev/null";
        let call = json!({"command": command, "run_in_background": true});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .otherwise(|_| "It runs.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;

        let turn = client.send("Run it.").await.unwrap();
        let (messages, pid) = tokio::join!(world.read(turn), pipe.read());
        let task = messages.iter().find_map(|message| match message {
            Message::System(SystemMessage::TaskStarted(started)) => Some(&started.task_id),
            _ => None,
        });
        let task = task.unwrap_or_else(|| panic!("{:?}", tags(&messages)));
        client.control().stop_task(task).await.unwrap();

        world::gone(pid.trim().parse().unwrap()).await;
        let ended = |message: &Message| message.tag() == "system/task_notification";
        let messages = world.read_until(client.messages(), ended).await;
        let Some(Message::System(SystemMessage::TaskNotification(ended))) = messages.last() else {
            unreachable!("it was looked for");
        };
        assert_eq!(&ended.task_id, task);
        assert_eq!(ended.status, TaskNotificationStatus::Stopped);
    })
    .await;
}

#[tokio::test]
async fn command_is_moved_to_the_background_while_it_runs() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let call = json!({"command": "echo ready > go; cat go"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .otherwise(|_| "It runs.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        let mut turn = client.send("Run it.").await.unwrap();
        assert_eq!(pipe.read().await, "ready\n");
        // Before that the CLI has no task that could be moved.
        while turn.next().await.unwrap().unwrap().tag() != "system/task_started" {}
        let moved = control.background_tasks(Some("toolu_1")).await.unwrap();
        let messages = world.read(turn).await;

        assert!(moved);
        assert_eq!(result_of(&messages).result.as_deref(), Some("It runs."));
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].text.contains("background"), "{seen:?}");
        pipe.write("Over and out.\n").await;
        let ended = |message: &Message| message.tag() == "system/task_notification";
        world.read_until(client.messages(), ended).await;
    })
    .await;
}
