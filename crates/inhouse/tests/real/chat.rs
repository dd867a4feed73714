//! The example `chat`, driven through a pseudo-terminal.

mod display;
mod keys;
mod terminal;

use inhouse_testkit::Turn;
use serde_json::json;

use self::terminal::{CTRL_C, CTRL_D, ENTER, Terminal};
use crate::permissions::seen;
use crate::world::{self, World};

const WORKING: &str = "Esc interrupts";

/// Starts the chat in the middle of the first of two answers: "Once upon a time", which stalls, and "The end."
async fn in_a_story(world: &World) -> Terminal {
    world
        .model
        .turn(Turn::new().text("Once upon a time").stall())
        .turn("The end.");
    let mut terminal = Terminal::start(world.isolation(), &[]).await;
    terminal.type_line("Tell me a story.").await;
    terminal.expect("Once upon a time").await;
    terminal
}

#[tokio::test]
async fn text_appears_while_it_streams() {
    world::pinned(async |world| {
        let mut terminal = in_a_story(world).await;
        terminal.expect("> Tell me a story.").await;
        let request = world.next_request().await;
        assert_eq!(
            request.last_user_text().as_deref(),
            Some("Tell me a story.")
        );
        // The next prompt can be typed before the model has finished.
        terminal.type_line("Go on.").await;
        terminal.expect("next: Go on.").await;
        world.model.release();
        terminal.expect("The end.").await;

        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("Go on."));
        terminal.type_line("/quit").await;
        assert_eq!(terminal.wait_for_exit().await, Some(0));
        assert_eq!(terminal.screen().matches("Once upon a time").count(), 1);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn call_is_allowed_once_and_denied_with_a_reason() {
    world::pinned(async |world| {
        let touch = |id: &str, file: &str| {
            let call = json!({"command": format!("touch {file}")});
            Turn::new().tool_use_with_id(id, "Bash", call)
        };
        world
            .model
            .turn(touch("toolu_1", "one"))
            .turn(touch("toolu_2", "two"))
            .turn("So be it.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Touch.").await;

        terminal.expect("May Claude use Bash?").await;
        terminal.expect("command: touch one").await;
        // Text that was being typed decides nothing.
        terminal.press(ENTER).await;
        terminal.press("1").await;
        terminal.expect("› 1 Yes").await;
        terminal.press(ENTER).await;
        terminal.expect("✓ Bash touch one").await;
        assert!(world.cwd().join("one").exists());

        terminal.expect("command: touch two").await;
        terminal.press("3").await;
        terminal.type_line("one is enough").await;
        terminal.expect("✗ Bash touch two").await;
        terminal.expect("So be it.").await;

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
        let call =
            |id: &str| Turn::new().tool_use_with_id(id, "Bash", json!({"command": "touch x"}));
        world
            .model
            .turn(call("toolu_1"))
            .turn(call("toolu_2"))
            .turn("Done.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Touch it twice.").await;

        terminal.expect("2 Yes, from now on: Bash(touch").await;
        terminal.press("2").await;
        terminal.press(ENTER).await;
        terminal.expect("Done.").await;

        assert_eq!(terminal.screen().matches("✓ Bash touch x").count(), 2);
        assert_eq!(terminal.screen().matches("May Claude use").count(), 1);
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
            .turn(Turn::new().tool_use_with_id("toolu_1", "AskUserQuestion", questions))
            .turn("Thank you.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Ask me.").await;

        terminal.expect("1 Red: it is").await;
        terminal.type_line("2").await;
        terminal.expect("1 [ ] Saw").await;
        terminal.press("12").await;
        terminal.expect("› 2 [x] Axe").await;
        terminal.press(ENTER).await;
        terminal.expect("? Which tools? Saw, Axe").await;
        terminal.expect("3 In your own words:").await;
        terminal.type_line("3Zoë").await;
        terminal.expect("Thank you.").await;

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
            .turn(Turn::new().tool_use_with_id("toolu_1", "ExitPlanMode", json!({})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "ExitPlanMode", json!({})))
            .turn("At work.");
        let mut terminal = Terminal::start(world.isolation(), &["--plan"]).await;
        terminal.type_line("Plan something.").await;

        terminal.expect("Shall Claude carry this plan out?").await;
        terminal.type_line("3write it down first").await;
        terminal.expect("plan out? No, plan again: write it").await;
        terminal.expect("1 Yes").await;
        terminal.type_line("1").await;
        terminal.expect("At work.").await;

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
        let mut terminal = in_a_story(world).await;

        terminal.press(CTRL_C).await;
        world.disconnected().await;
        terminal.expect("interrupted").await;

        terminal.type_line("Again.").await;
        terminal.expect("The end.").await;
        terminal.expect_gone(WORKING).await;
        // At the prompt, Ctrl-C has to be pressed twice.
        terminal.press(CTRL_C).await;
        terminal.expect("Ctrl-C once more leaves").await;
        terminal.press(CTRL_C).await;
        assert_eq!(terminal.wait_for_exit().await, Some(0));
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
                    .tool_use_with_id("toolu_1", "Bash", call)
                    .stall(),
            )
            .turn("As you like.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Touch.").await;
        terminal.expect("Wait").await;
        terminal.press("Better").await;
        terminal.expect_at_cursor("> Better").await;
        world.model.release();

        terminal.expect("May Claude use Bash?").await;
        terminal.press(CTRL_C).await;
        terminal.expect_gone("May Claude use Bash?").await;
        terminal.expect_at_cursor("> Better").await;
        terminal.type_line(" not.").await;
        terminal.expect("As you like.").await;

        let requests = world.model.conversation();
        let last = requests.last().expect("the model received a request");
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
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__todo__add", note))
            .turn("Noted.")
            .turn("Milk.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("I need milk.").await;
        terminal.expect("Noted.").await;
        assert_eq!(seen(world)[0].text, "added as number 1");
        terminal.expect_gone(WORKING).await;
        terminal.type_line("/todo").await;
        terminal.expect("1. [ ] buy milk").await;
        terminal.press(CTRL_D).await;
        assert_eq!(terminal.wait_for_exit().await, Some(0));
        let screen = terminal.screen();
        let (_, session) = screen
            .rsplit_once("--resume ")
            .expect("the session is reported");

        let mut terminal = Terminal::start(world.isolation(), &["--resume", session.trim()]).await;
        terminal.type_line("What do I need?").await;
        terminal.expect("Milk.").await;
        terminal.type_line("/quit").await;
        assert_eq!(terminal.wait_for_exit().await, Some(0));

        let requests = world.model.conversation();
        let last = requests
            .last()
            .expect("the model received a request")
            .body()
            .to_string();
        assert!(last.contains("I need milk.") && last.contains("What do I need?"));
        world.model.assert_done();
    })
    .await;
}
