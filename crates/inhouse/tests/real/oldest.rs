//! The oldest supported CLI: no session states, no prompt ids in results.

use inhouse::message::{Message, SystemMessage};
use inhouse::options::SystemPrompt;
use inhouse::{ErrorKind, ExitStatus, query};
use inhouse_testkit::Turn;
use serde_json::{Value, json};

use crate::control::MakeCoffee;
use crate::structured::{OUTPUT_TOOL, Sum};
use crate::tasks::{counting_sheep, read_past_first_result, results};
use crate::world::{self, assistant_texts, result_of, tags};

#[tokio::test]
async fn query_is_answered_and_the_process_exits() {
    world::oldest(async |world| {
        world.model.turn("42");

        let question = query("What is 15 + 27?").options(world.options());
        let messages = world.read_query(question).await;

        assert_eq!(assistant_texts(&messages), ["42"]);
        let result = result_of(&messages);
        assert!(result.is_success());
        assert_eq!(result.user_message_uuid, None);
        let version = messages.iter().find_map(|message| match message {
            Message::System(SystemMessage::Init(init)) => init.claude_code_version.as_deref(),
            _ => None,
        });
        assert_eq!(version, Some("2.1.197"));
        let tags = tags(&messages);
        assert!(!tags.iter().any(|tag| tag == "system/session_state_changed"));
        let request = world.next_request().await;
        assert_eq!(
            request.last_user_text().as_deref(),
            Some("What is 15 + 27?")
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn second_turn_remembers_the_first() {
    world::oldest(async |world| {
        world.model.turn("42.").turn("84.");
        let mut client = world.connect(world.options()).await;

        assert_eq!(world.ask(&mut client, "What is 15 + 27?").await, "42.");
        assert_eq!(world.ask(&mut client, "And doubled?").await, "84.");

        let requests = world.model.conversation();
        let history = requests[1].body()["messages"].to_string();
        assert!(history.contains("42."), "{history}");
        world.model.assert_done();
        assert!(client.close().await.unwrap().unwrap().success());
    })
    .await;
}

#[tokio::test]
async fn promise_20_interrupted_turn_ends_and_the_next_one_is_clean() {
    world::oldest(async |world| {
        world
            .model
            .turn(Turn::new().text("Once upon a").stall())
            .turn("Fresh.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("Tell.").await.unwrap();
        let interrupting = async {
            world.next_request().await;
            control.interrupt().await.unwrap();
        };
        let ((), messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        world.disconnected().await;
        let turn = client.send("Again.").await.unwrap();
        let messages = world.read(turn).await;
        assert_eq!(assistant_texts(&messages), ["Fresh."]);
        assert!(result_of(&messages).is_success());
    })
    .await;
}

#[tokio::test]
async fn promise_20_abandoned_turn_does_not_leak_into_the_next() {
    world::oldest(async |world| {
        world
            .model
            .turn(Turn::new().text("Stale.").stall())
            .turn("Fresh.");
        let mut client = world.connect(world.options()).await;

        drop(client.send("First?").await.unwrap());
        world.next_request().await;
        world.model.release();
        let turn = client.send("Second?").await.unwrap();
        let messages = world.read(turn).await;

        assert_eq!(assistant_texts(&messages), ["Fresh."]);
        assert_eq!(
            world.next_request().await.last_user_text().as_deref(),
            Some("Second?")
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn tool_runs_when_the_handler_allows_it() {
    world::oldest(async |world| {
        let call = json!({"command": "touch made && echo made"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("Done.");
        let options = world
            .options()
            .extra_arg("permission-prompt-tool", Some("stdio"))
            .on_request("can_use_tool", async |request: Value| {
                Ok::<_, String>(json!({"behavior": "allow", "updatedInput": request["input"]}))
            });

        let stream = query("Make it.").options(options).await.unwrap();

        assert_eq!(stream.text().await.unwrap(), "Done.");
        assert!(world.cwd().join("made").exists());
        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "made");
    })
    .await;
}

#[tokio::test]
async fn changed_model_answers_the_next_prompt() {
    world::oldest(async |world| {
        world.model.turn("One.").turn("Two.");
        let mut client = world.connect(world.options()).await;

        world.ask(&mut client, "First?").await;
        let model = Some("claude-haiku-4-5");
        client.control().set_model(model).await.unwrap();
        world.ask(&mut client, "Second?").await;

        let requests = world.model.conversation();
        assert_ne!(requests[0].model(), "claude-haiku-4-5");
        assert_eq!(requests[1].model(), "claude-haiku-4-5");
    })
    .await;
}

#[tokio::test]
async fn structured_output_fits_the_requested_type() {
    world::oldest(async |world| {
        let output = json!({"total": 42, "addends": [15, 27], "remark": "Easy."});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", OUTPUT_TOOL, output))
            .otherwise(|_| "Done.");

        let options = world.options().output::<Sum>();
        let stream = query("What is 15 + 27?").options(options).await.unwrap();
        let sum: Sum = stream.json().await.unwrap();

        let expected = Sum {
            total: 42,
            addends: vec![15, 27],
            remark: Some("Easy.".to_owned()),
        };
        assert_eq!(sum, expected);
        assert!(world.next_request().await.tools().contains(&OUTPUT_TOOL));
    })
    .await;
}

#[tokio::test]
async fn api_error_fails_the_turn() {
    world::oldest(async |world| {
        let refusal = Turn::error(400).message("The bees are tired.");
        world.model.when(|_| true, refusal);

        let stream = query("Hello?").options(world.options()).await.unwrap();
        let error = stream.text().await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.to_string().contains("The bees are tired."), "{error}");
    })
    .await;
}

#[tokio::test]
async fn system_prompts_reach_the_model() {
    world::oldest(async |world| {
        world.model.turn("Oui.").turn("Ita.");
        let own = world.options().system_prompt("Answer in French.");
        let stream = query("Yes?").options(own).await.unwrap();
        assert_eq!(stream.text().await.unwrap(), "Oui.");
        let prompt = SystemPrompt::preset().append("Answer in Latin.");
        let preset = world.options().system_prompt(prompt);
        let stream = query("Yes?").options(preset).await.unwrap();
        assert_eq!(stream.text().await.unwrap(), "Ita.");

        let (own, preset) = (world.next_request().await, world.next_request().await);
        assert!(own.system_text().contains("Answer in French."));
        assert!(own.system_text().len() < 600, "{}", own.system_text());
        assert!(preset.system_text().contains("Answer in Latin."));
        assert!(preset.system_text().len() > 2_000);
    })
    .await;
}

#[tokio::test]
async fn unknown_request_is_refused() {
    world::oldest(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;

        let error = client.control().request(MakeCoffee {}).await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("make_coffee"), "{error}");
        assert_eq!(error.code(), None, "codes came later");
        assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");
    })
    .await;
}

#[tokio::test]
async fn promise_02_query_waits_for_its_background_agent() {
    world::oldest(async |world| {
        let answer = Turn::new().text("Seven sheep.").stall();
        let options = counting_sheep(world, true, answer);
        world.model.turn("He is counting.").turn("There are seven.");

        let messages = read_past_first_result(world, options, async || world.model.release()).await;

        assert_eq!(results(&messages), ["He is counting.", "There are seven."]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_04_killed_cli_fails_the_turn_at_once() {
    world::oldest(async |world| {
        world.model.turn(Turn::new().text("Once upon a").stall());
        let mut client = world.connect(world.options()).await;
        let pid = client.control().pid().unwrap();

        let turn = client.send("Tell.").await.unwrap();
        let killing = async {
            world.next_request().await;
            world::signal(pid, "KILL").await;
        };
        let ((), text) = tokio::join!(killing, turn.text());

        let error = text.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
        world::gone(pid).await;
    })
    .await;
}

#[tokio::test]
async fn resumed_session_remembers() {
    world::oldest(async |world| {
        world.model.turn("Swordfish.").turn("As I said.");
        let first = query("The password?").options(world.options());
        let messages = world.read_query(first).await;
        let id = &result_of(&messages).session_id;

        let again = query("Again?").options(world.options().resume(id));
        let messages = world.read_query(again).await;

        assert_eq!(&result_of(&messages).session_id, id);
        let history = world.model.conversation()[1].body()["messages"].to_string();
        assert!(history.contains("Swordfish."), "{history}");
    })
    .await;
}
