//! Questions of the model.

use inhouse::Asked;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::question::{Answers, QuestionRequest};
use inhouse_testkit::Turn;
use serde_json::json;

use super::seen;
use crate::world::{self, World};

fn ask_two_questions(world: &World) {
    let input = json!({"questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "multiSelect": false,
            "options": [
                {"label": "Red", "description": "warm", "preview": "## red"},
                {"label": "Blue", "description": "cold"},
            ],
        },
        {
            "question": "Which tools?",
            "header": "Tools",
            "multiSelect": true,
            "options": [
                {"label": "Saw", "description": "cuts"},
                {"label": "Axe", "description": "splits"},
            ],
        },
    ]});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "AskUserQuestion", input))
        .turn("Done.");
}

async fn check_answers(world: &World) {
    ask_two_questions(world);
    let options = world
        .options()
        .on_question(async |asked: Asked<QuestionRequest>| {
            let [colour, tools] = &asked.request.questions[..] else {
                panic!("there are two questions");
            };
            Ok(Answers::new()
                .choose(colour, [&colour.options[0]])
                .note(colour, "a dark one")
                .choose(tools, &tools.options))
        });
    let mut client = world.connect(options).await;

    assert_eq!(world.ask(&mut client, "Ask.").await, "Done.");

    let seen = seen(world);
    assert!(!seen[0].is_error);
    for words in [
        r#""Which colour?"="Red""#,
        "## red",
        "notes: a dark one",
        r#"="Saw, Axe""#,
    ] {
        assert!(seen[0].text.contains(words), "{words}: {seen:?}");
    }
    world.model.assert_done();
}

#[tokio::test]
async fn answers_reach_the_model() {
    world::pinned(check_answers).await;
}

#[tokio::test]
async fn answers_reach_the_model_with_the_oldest_cli() {
    world::oldest(check_answers).await;
}

#[tokio::test]
async fn free_text_and_skipped_questions_reach_the_model() {
    world::pinned(async |world| {
        ask_two_questions(world);
        let options = world
            .options()
            .on_question(async |asked: Asked<QuestionRequest>| {
                Ok(Answers::new().text(&asked.request.questions[0], "Mauve, of course"))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Ask.").await, "Done.");

        let seen = seen(world);
        assert!(
            seen[0]
                .text
                .contains(r#""Which colour?"="Mauve, of course""#),
            "{seen:?}"
        );
        assert!(!seen[0].text.contains("Which tools?"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn model_gets_that_no_answer_was_given() {
    world::pinned(async |world| {
        ask_two_questions(world);
        let options = world
            .options()
            .on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()));
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Ask.").await, "Done.");

        let seen = seen(world);
        assert!(seen[0].text.contains("did not answer"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn model_gets_the_reason_of_a_dismissal() {
    world::pinned(async |world| {
        ask_two_questions(world);
        let options = world
            .options()
            .on_question(async |_: Asked<QuestionRequest>| {
                Ok(Answers::dismiss("Decide for yourself."))
            })
            // Not called: questions have a separate handler.
            .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Ask.").await, "Done.");

        let seen = seen(world);
        assert_eq!(
            (seen[0].text.as_str(), seen[0].is_error),
            ("Decide for yourself.", true)
        );
    })
    .await;
}

#[tokio::test]
async fn questions_are_asked_despite_an_allow_rule() {
    world::pinned(async |world| {
        ask_two_questions(world);
        let options = world
            .options()
            .allow_tools(["AskUserQuestion"])
            .on_question(async |asked: Asked<QuestionRequest>| {
                Ok(Answers::new().text(&asked.request.questions[0], "Green"))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Ask.").await, "Done.");
        assert!(seen(world)[0].text.contains("Green"));
    })
    .await;
}
