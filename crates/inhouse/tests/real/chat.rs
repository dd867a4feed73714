//! The example `chat`, used by somebody who types in a real pseudo-terminal.

mod person;

use inhouse_testkit::Turn;
use serde_json::json;

use self::person::{CTRL_C, CTRL_D, ENTER, Person};
use crate::permissions::seen;
use crate::world;

const PROMPT: &str = ">";
const WORKING: &str = "Ctrl-C stops";

#[tokio::test]
async fn text_appears_while_it_streams() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("Once upon a time").stall())
            .turn("The end.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;

        person.types("Tell me a story.").await;
        person.sees("> Tell me a story.").await;
        person.sees("Once upon a time").await;
        let asked = world.asked().await;
        assert_eq!(asked.last_user_text().as_deref(), Some("Tell me a story."));
        // The model has not finished, and the next prompt can be typed already.
        person.types("Go on.").await;
        person.sees("next: Go on.").await;
        world.model.release();
        person.sees("The end.").await;

        let asked = world.asked().await;
        assert_eq!(asked.last_user_text().as_deref(), Some("Go on."));
        person.types("/quit").await;
        assert_eq!(person.watches_the_end().await, Some(0));
        assert_eq!(person.screen().matches("Once upon a time").count(), 1);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn call_is_allowed_once_and_denied_with_a_reason() {
    world::pinned(async |world| {
        let touch = |id: &str, file: &str| {
            let call = json!({"command": format!("touch {file}")});
            Turn::new().tool_use(id, "Bash", call)
        };
        world
            .model
            .turn(touch("toolu_1", "one"))
            .turn(touch("toolu_2", "two"))
            .turn("So be it.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Touch.").await;

        person.sees("May Claude use Bash?").await;
        person.sees("command: touch one").await;
        // Nothing is decided by what somebody was just typing.
        person.presses(ENTER).await;
        person.presses("1").await;
        person.sees("› 1 Yes").await;
        person.presses(ENTER).await;
        person.sees("✓ Bash touch one").await;
        assert!(world.cwd().join("one").exists());

        person.sees("command: touch two").await;
        person.presses("3").await;
        person.types("one is enough").await;
        person.sees("✗ Bash touch two").await;
        person.sees("So be it.").await;

        let seen = seen(world);
        assert_eq!(
            (seen[1].text.as_str(), seen[1].is_error),
            ("one is enough", true)
        );
        assert!(!world.cwd().join("two").exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn always_allowed_call_is_not_asked_again() {
    world::pinned(async |world| {
        let call = |id: &str| Turn::new().tool_use(id, "Bash", json!({"command": "touch x"}));
        world
            .model
            .turn(call("toolu_1"))
            .turn(call("toolu_2"))
            .turn("Done.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Touch it twice.").await;

        person.sees("2 Yes, from now on: Bash(touch").await;
        person.presses("2").await;
        person.presses(ENTER).await;
        person.sees("Done.").await;

        assert_eq!(person.screen().matches("✓ Bash touch x").count(), 2);
        assert_eq!(person.screen().matches("May Claude use").count(), 1);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn questions_are_answered() {
    world::pinned(async |world| {
        let question = |text: &str, several: bool, options: [&str; 2]| {
            let options = options.map(|label| json!({"label": label, "description": "it is"}));
            json!({"question": text, "header": "H", "multiSelect": several, "options": options})
        };
        let questions = json!({"questions": [
            question("Which colour?", false, ["Red", "Blue"]),
            question("Which tools?", true, ["Saw", "Axe"]),
            question("Which name?", false, ["Ann", "Bob"]),
        ]});
        world
            .model
            .turn(Turn::new().tool_use("toolu_1", "AskUserQuestion", questions))
            .turn("Thank you.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Ask me.").await;

        person.sees("1 Red: it is").await;
        person.types("2").await;
        person.sees("1 [ ] Saw").await;
        person.presses("12").await;
        person.sees("› 2 [x] Axe").await;
        person.presses(ENTER).await;
        person.sees("? Which tools? Saw, Axe").await;
        person.sees("3 In your own words:").await;
        person.types("3Zoë").await;
        person.sees("Thank you.").await;

        let seen = seen(world);
        for answer in [
            r#""Which colour?"="Blue""#,
            r#""Which tools?"="Saw, Axe""#,
            r#""Which name?"="Zoë""#,
        ] {
            assert!(seen[0].text.contains(answer), "{answer}: {seen:?}");
        }
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn plan_is_rejected_and_then_approved() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use("toolu_1", "ExitPlanMode", json!({})))
            .turn(Turn::new().tool_use("toolu_2", "ExitPlanMode", json!({})))
            .turn("At work.");
        let mut person = Person::sits_down(world.isolation(), &["--plan"]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Plan something.").await;

        person.sees("Shall Claude carry this plan out?").await;
        person.types("3write it down first").await;
        person.sees("plan out? No, plan again: write it").await;
        person.sees("1 Yes").await;
        person.types("1").await;
        person.sees("At work.").await;

        let seen = seen(world);
        assert_eq!(
            (seen[0].text.as_str(), seen[0].is_error),
            ("write it down first", true)
        );
        assert!(!seen[1].is_error, "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_stops_a_turn_and_the_chat_continues() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("And so on, and").stall())
            .turn("Fresh.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Never end.").await;
        person.sees("And so on, and").await;

        person.presses(CTRL_C).await;
        world.hung_up().await;
        person.sees("interrupted").await;

        person.types("Again.").await;
        person.sees("Fresh.").await;
        person.sees_vanish(WORKING).await;
        // At the prompt it has to be meant.
        person.presses(CTRL_C).await;
        person.sees("Ctrl-C once more leaves").await;
        person.presses(CTRL_C).await;
        assert_eq!(person.watches_the_end().await, Some(0));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn cancelled_question_disappears_and_input_is_kept() {
    world::pinned(async |world| {
        let call = json!({"command": "touch x"});
        world
            .model
            .turn(
                Turn::new()
                    .text("Wait")
                    .tool_use("toolu_1", "Bash", call)
                    .stall(),
            )
            .turn("As you like.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("Touch.").await;
        person.sees("Wait").await;
        person.presses("Better").await;
        person.sees_at_the_cursor("> Better").await;
        world.model.release();

        person.sees("May Claude use Bash?").await;
        person.presses(CTRL_C).await;
        person.sees_vanish("May Claude use Bash?").await;
        person.sees_at_the_cursor("> Better").await;
        person.types(" not.").await;
        person.sees("As you like.").await;

        let asked = world.model.conversation();
        let last = asked.last().expect("the model was asked");
        let prompt = last.last_user_text().unwrap_or_default();
        assert!(prompt.ends_with("Better not."), "{prompt}");
        assert!(!world.cwd().join("x").exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn session_is_resumed_by_the_printed_id() {
    world::pinned(async |world| {
        let note = json!({"what": "buy milk"});
        world
            .model
            .turn(Turn::new().tool_use("toolu_1", "mcp__todo__add", note))
            .turn("Noted.")
            .turn("Milk.");
        let mut person = Person::sits_down(world.isolation(), &[]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("I need milk.").await;
        person.sees("Noted.").await;
        assert_eq!(seen(world)[0].text, "added as number 1");
        person.sees_vanish(WORKING).await;
        person.types("/todo").await;
        person.sees("1. [ ] buy milk").await;
        person.presses(CTRL_D).await;
        assert_eq!(person.watches_the_end().await, Some(0));
        let screen = person.screen();
        let (_, session) = screen
            .rsplit_once("--resume ")
            .expect("the session is told");

        let mut person = Person::sits_down(world.isolation(), &["--resume", session.trim()]);
        person.sees_at_the_cursor(PROMPT).await;
        person.types("What do I need?").await;
        person.sees("Milk.").await;
        person.types("/quit").await;
        assert_eq!(person.watches_the_end().await, Some(0));

        let asked = world.model.conversation();
        let last = asked
            .last()
            .expect("the model was asked")
            .body()
            .to_string();
        assert!(last.contains("I need milk.") && last.contains("What do I need?"));
        world.model.assert_done();
    })
    .await;
}
