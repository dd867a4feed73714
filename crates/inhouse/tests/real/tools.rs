//! Built-in tools that the model calls.

use std::fs;

use inhouse::message::Message;
use inhouse::options::ToolSet;
use inhouse::query;
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::{self, result_of, tags};

#[tokio::test]
async fn tool_runs_and_the_model_gets_its_result() {
    world::pinned(async |world| {
        let call = Turn::new().text("Let me see.").tool_use_with_id(
            "toolu_1",
            "Bash",
            json!({"command": "echo $((15 + 27))"}),
        );
        world.model.turn(call).turn("It is 42.");

        let options = world.options().allow_tools(["Bash"]);
        let question = query("What is 15 + 27?").options(options);
        let messages = world.read_query(question).await;

        let calls: Vec<&str> = messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(message) => message.tool_uses().next(),
                _ => None,
            })
            .map(|call| call.id.as_str())
            .collect();
        assert_eq!(calls, ["toolu_1"]);
        let outputs: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::User(message) => message.tool_results().next(),
                _ => None,
            })
            .map(|result| result.content.as_ref().unwrap().text().into_owned())
            .collect();
        assert_eq!(outputs, ["42"]);
        assert_eq!(result_of(&messages).result.as_deref(), Some("It is 42."));
        assert_eq!(result_of(&messages).num_turns, Some(2));
        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen.len(), 1);
        assert_eq!(
            (seen[0].id.as_str(), seen[0].text.as_str()),
            ("toolu_1", "42")
        );
        assert!(!seen[0].is_error);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn project_file_is_read_without_permission() {
    world::pinned(async |world| {
        let path = world.cwd().join("note.txt");
        fs::write(&path, "The cake is a lie.\n").unwrap();
        let call = Turn::new().tool_use_with_id("toolu_1", "Read", json!({"file_path": path}));
        world.model.turn(call).turn("No cake.");

        let question = query("Is there cake?").options(world.options());
        let messages = world.read_query(question).await;

        assert_eq!(result_of(&messages).result.as_deref(), Some("No cake."));
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].text.contains("The cake is a lie."), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn call_without_a_handler_is_denied() {
    world::pinned(async |world| {
        let target = world.cwd().join("made");
        let command = format!("touch {}", target.display());
        let call = Turn::new().tool_use_with_id("toolu_1", "Bash", json!({"command": command}));
        world.model.turn(call).turn("I may not.");

        let question = query("Make it.").options(world.options());
        let messages = world.read_query(question).await;

        assert!(!target.exists());
        let result = result_of(&messages);
        assert!(result.is_success());
        let denials = result.permission_denials.as_ref().unwrap();
        assert_eq!(denials.len(), 1);
        assert_eq!(denials[0].tool_name, "Bash");
        assert_eq!(denials[0].tool_use_id, "toolu_1");
        assert_eq!(denials[0].tool_input, Some(json!({"command": command})));
        let tags = tags(&messages);
        assert!(
            tags.iter().any(|tag| tag == "system/permission_denied"),
            "{tags:?}"
        );
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].is_error, "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn options_select_the_tools() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("None.");

        let few = world
            .options()
            .tools(["Read", "Glob"])
            .disallow_tools(["Glob"]);
        let stream = query("How many?").options(few).await.unwrap();
        assert_eq!(stream.text().await.unwrap(), "One.");
        let none = world.options().tools(ToolSet::none());
        let stream = query("How many?").options(none).await.unwrap();
        assert_eq!(stream.text().await.unwrap(), "None.");

        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"Read"), "{tools:?}");
        let others = ["Bash", "Glob", "Write"];
        assert!(others.iter().all(|tool| !tools.contains(tool)), "{tools:?}");
        assert!(requests[1].tools().is_empty(), "{:?}", requests[1].tools());
    })
    .await;
}
