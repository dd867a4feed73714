//! Questions of the model, and the wire form of their answers.

use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{answer_to, call, denial};

fn input() -> Value {
    json!({
        "questions": [
            {
                "question": "Which colour?",
                "header": "Colour",
                "options": [
                    {"label": "Red", "description": "warm", "preview": "## red"},
                    {"label": "Blue", "description": "cold"},
                ],
                "multiSelect": false,
            },
            {
                "question": "Which tools?",
                "header": "Tools",
                "options": [{"label": "Saw", "description": "x"}, {"label": "Axe", "description": "y"}],
                "multiSelect": true,
            },
        ],
        "metadata": {"source": "remember"},
    })
}

fn question() -> Value {
    call("AskUserQuestion", input())
}

/// Returns the updated input for these answers.
async fn answered(
    answer: impl Fn(&Asked<QuestionRequest>) -> Answers + Clone + Send + Sync + 'static,
) -> Value {
    let options =
        Options::new().on_question(async move |asked: Asked<QuestionRequest>| Ok(answer(&asked)));
    let answer = answer_to(options, question()).await.payload();
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["toolUseID"], "toolu_7");
    let mut ran_with = answer["updatedInput"].clone();
    let members = ran_with.as_object_mut().unwrap();
    let added: serde_json::Map<_, _> = ["answers", "annotations"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), members.remove(name)?)))
        .collect();
    assert_eq!(ran_with, input(), "the questions are sent back unchanged");
    Value::Object(added)
}

#[tokio::test(start_paused = true)]
async fn questions_are_typed() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().on_question(async move |asked: Asked<QuestionRequest>| {
        sender.send(asked).expect("the test holds the receiver");
        Ok(Answers::new())
    });
    answer_to(options, question()).await;

    let asked = events.recv().await.unwrap();
    assert_eq!(asked.request.call.tool_use_id, "toolu_7");
    assert_eq!(Value::Object(asked.request.call.input.clone()), input());
    let [colour, tools] = &asked.request.questions[..] else {
        panic!("there are two questions");
    };
    assert_eq!(colour.question, "Which colour?");
    assert_eq!(colour.header.as_deref(), Some("Colour"));
    assert_eq!(colour.options[0].label, "Red");
    assert_eq!(colour.options[0].preview.as_deref(), Some("## red"));
    assert_eq!(colour.options[1].description.as_deref(), Some("cold"));
    assert_eq!(
        (colour.multi_select, tools.multi_select),
        (Some(false), Some(true))
    );
}

#[tokio::test(start_paused = true)]
async fn single_choice_is_sent_and_multiple_choices_are_joined() {
    let added = answered(|asked| {
        let [colour, tools] = &asked.request.questions[..] else {
            panic!("there are two questions");
        };
        Answers::new()
            .choose(colour, [&colour.options[1]])
            .choose(tools, &tools.options)
    });
    let expected = json!({"answers": {"Which colour?": "Blue", "Which tools?": "Saw, Axe"}});
    assert_eq!(added.await, expected);
}

#[tokio::test(start_paused = true)]
async fn preview_of_the_chosen_option_is_sent() {
    let added = answered(|asked| {
        let colour = &asked.request.questions[0];
        Answers::new().choose(colour, [&colour.options[0]])
    });
    let expected = json!({
        "answers": {"Which colour?": "Red"},
        "annotations": {"Which colour?": {"preview": "## red"}},
    });
    assert_eq!(added.await, expected);
}

#[tokio::test(start_paused = true)]
async fn free_text_answer_can_have_a_note() {
    let added = answered(|asked| {
        let [colour, tools] = &asked.request.questions[..] else {
            panic!("there are two questions");
        };
        Answers::new()
            .text(colour, "Mauve, of course")
            .note(colour, "a dark one")
            .note(tools, "none of these")
    });
    let expected = json!({
        "answers": {"Which colour?": "Mauve, of course"},
        "annotations": {
            "Which colour?": {"notes": "a dark one"},
            "Which tools?": {"notes": "none of these"},
        },
    });
    assert_eq!(added.await, expected);
}

#[tokio::test(start_paused = true)]
async fn questions_can_be_skipped() {
    let added = answered(|_| Answers::new()).await;
    assert_eq!(added, json!({"answers": {}}));
}

#[tokio::test(start_paused = true)]
async fn questions_can_be_dismissed_with_a_message() {
    let options = Options::new().on_question(async |_: Asked<QuestionRequest>| {
        Ok(Answers::dismiss("Decide for yourself."))
    });
    let message = denial(answer_to(options, question()).await);
    assert_eq!(message, "Decide for yourself.");
}

#[tokio::test(start_paused = true)]
async fn undecodable_questions_are_denied() {
    let options = Options::new().on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()));
    let odd = call("AskUserQuestion", json!({"questions": "which?"}));
    let message = denial(answer_to(options, odd).await);
    assert!(message.contains("cannot be read: questions"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn later_choice_replaces_an_earlier_one() {
    let added = answered(|asked| {
        let [colour, tools] = &asked.request.questions[..] else {
            panic!("two questions");
        };
        Answers::new()
            .choose(colour, [&colour.options[0]])
            .choose(colour, [&colour.options[1]])
            .choose(tools, &tools.options)
            .choose(tools, [])
    })
    .await;
    assert_eq!(added["answers"], json!({"Which colour?": "Blue"}));
    assert!(!added.to_string().contains("## red"), "{added}");
}
