//! One query, one process.

use inhouse::message::{ContentBlock, GapReason, Message, SystemMessage};
use inhouse::options::Thinking;
use inhouse::query;
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::{self, assistant_texts, result_of, tags};

#[tokio::test]
async fn query_returns_the_answer_as_text() {
    world::pinned(async |world| {
        world.model.turn("42");

        let stream = query("What is 15 + 27?").options(world.options()).await;
        let answer = stream.unwrap().text().await.unwrap();

        assert_eq!(answer, "42");
        let request = world.next_request().await;
        assert_eq!(
            request.last_user_text().as_deref(),
            Some("What is 15 + 27?")
        );
        assert!(request.is_stream());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn messages_are_complete_and_the_process_exits_by_itself() {
    world::pinned(async |world| {
        world.model.turn("42");

        let stream = query("What is 15 + 27?").options(world.options()).await;
        let stream = stream.unwrap();
        let pid = stream.control().pid().unwrap();
        let (messages, end) = world.read_stream(stream).await;

        assert!(end.is_none(), "{end:?}");
        let Some(Message::System(SystemMessage::Init(init))) = messages
            .iter()
            .find(|message| message.tag() == "system/init")
        else {
            panic!("there is no init in {:?}", tags(&messages));
        };
        assert_eq!(init.claude_code_version.as_deref(), Some("2.1.325"));
        assert_eq!(init.cwd.as_deref(), world.cwd().to_str());
        assert_eq!(assistant_texts(&messages), ["42"]);
        let result = result_of(&messages);
        assert!(result.is_success());
        assert_eq!(result.num_turns, Some(1));
        assert_eq!(result.usage.as_ref().unwrap().input_tokens, Some(10));
        world::gone(pid).await;
    })
    .await;
}

#[tokio::test]
async fn stream_deltas_add_up_to_the_answer() {
    world::pinned(async |world| {
        let text = "Five and twenty blackbirds, baked in a pie; größer als π.";
        world.model.turn(Turn::new().text(text).pieces(7));

        let options = world.options().include_partial_messages(true);
        let messages = world.read_query(query("Sing.").options(options)).await;

        let pieces: Vec<&str> = messages
            .iter()
            .filter_map(|message| match message {
                Message::StreamEvent(event) => event.text_delta(),
                _ => None,
            })
            .collect();
        assert_eq!(pieces.len(), 7);
        assert_eq!(pieces.concat(), text);
        assert_eq!(assistant_texts(&messages), [text]);
        assert_eq!(result_of(&messages).result.as_deref(), Some(text));
    })
    .await;
}

#[tokio::test]
async fn thinking_has_its_own_blocks_and_returns_to_the_model() {
    world::pinned(async |world| {
        let call = Turn::new().thinking("Better count them.").tool_use_with_id(
            "toolu_1",
            "Bash",
            json!({"command": "echo 42"}),
        );
        world.model.turn(call).turn("42");

        let options = world
            .options()
            .thinking(Thinking::adaptive())
            .allow_tools(["Bash"]);
        let messages = world.read_query(query("How many?").options(options)).await;

        let thoughts: Vec<&str> = messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(message) => Some(&message.message.content),
                _ => None,
            })
            .flatten()
            .filter_map(|block| match block {
                ContentBlock::Thinking(block) => Some(block.thinking.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(thoughts, ["Better count them."]);
        let request = world.next_request().await;
        assert_eq!(request.body()["thinking"]["type"], "adaptive");
        let request = world.next_request().await;
        let returned = request
            .messages()
            .iter()
            .filter_map(|message| message["content"].as_array())
            .flatten()
            .find(|block| block["type"] == "thinking");
        assert_eq!(returned.unwrap()["thinking"], "Better count them.");
    })
    .await;
}

#[tokio::test]
async fn promise_11_answer_of_3_mb_is_delivered() {
    world::pinned(async |world| {
        let text = "All work and no play. ".repeat(3 * 1024 * 1024 / 22);
        world.model.turn(Turn::new().text(text.as_str()));

        let stream = query("Write.").options(world.options()).await.unwrap();

        let answer = stream.text().await.unwrap();
        assert!(answer == text, "{} of {} bytes", answer.len(), text.len());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_11_line_over_the_limit_is_a_gap_and_the_session_continues() {
    world::pinned(async |world| {
        let long = "All work and no play. ".repeat(20_000);
        let call = json!({"command": "echo 42"});
        world
            .model
            .turn(
                Turn::new()
                    .text(long.as_str())
                    .tool_use_with_id("toolu_1", "Bash", call),
            )
            .turn("42");

        let options = world
            .options()
            .allow_tools(["Bash"])
            .max_line_bytes(200 * 1024);
        let messages = world.read_query(query("Write.").options(options)).await;

        let gaps: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::Gap(gap) => Some(gap),
                _ => None,
            })
            .collect();
        assert_eq!(gaps.len(), 1, "{:?}", tags(&messages));
        assert_eq!(gaps[0].reason, GapReason::LineTooLong);
        assert!(gaps[0].bytes > 20_000 * 22, "{gaps:?}");
        assert_eq!(assistant_texts(&messages), ["42"]);
        assert_eq!(world.model.conversation()[1].tool_results()[0].text, "42");
    })
    .await;
}
