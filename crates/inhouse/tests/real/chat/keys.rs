//! Keys and commands of the chat.

use std::process::Stdio;

use inhouse_testkit::Turn;
use serde_json::json;
use tokio::process::Command;

use super::in_a_story;
use super::terminal::{CTRL_J, DOWN, ENTER, ESC, SHIFT_TAB, TAB, Terminal, UP};
use crate::example::example;
use crate::permissions::seen;
use crate::world;

#[tokio::test]
async fn esc_interrupts_a_turn() {
    world::pinned(async |world| {
        let mut terminal = in_a_story(world).await;

        terminal.press(ESC).await;
        world.disconnected().await;
        terminal.expect("interrupted").await;
        terminal.expect_gone("Esc interrupts").await;
        terminal.type_line("Again.").await;
        terminal.expect("The end.").await;
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn shift_tab_changes_the_permission_mode() {
    world::pinned(async |world| {
        let path = world.cwd().join("new.txt");
        let write = json!({"file_path": path, "content": "alpha\n"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Write", write))
            .turn("Written.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.expect("mode default").await;
        terminal.press(SHIFT_TAB).await;
        terminal.expect("mode acceptEdits").await;
        terminal.type_line("Write a file.").await;
        terminal.expect("Written.").await;

        assert!(!terminal.screen().contains("May Claude"));
        assert!(!seen(world)[0].is_error);
        assert!(path.exists());
        terminal.expect_gone("Esc interrupts").await;
        terminal.press(SHIFT_TAB).await;
        terminal.expect("mode plan").await;
        terminal.press(SHIFT_TAB).await;
        terminal.expect("mode default").await;
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn slash_commands_are_completed() {
    world::pinned(async |world| {
        let commands = world.cwd().join(".claude/commands");
        std::fs::create_dir_all(&commands).expect("the directory is writable");
        for (name, text) in [
            ("greet", "Say hello to $ARGUMENTS."),
            ("greetings", "Say more."),
        ] {
            let text = format!("---\ndescription: The command {name}\n---\n{text}\n");
            std::fs::write(commands.join(format!("{name}.md")), text)
                .expect("the directory is writable");
        }
        world.model.turn("Hello, Ann.").turn("More.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;

        // The commands of the program and of the session.
        terminal.press("/").await;
        terminal.expect("End the conversation").await;
        terminal.press("gree").await;
        terminal.expect("The command greetings").await;
        terminal.expect_gone("End the conversation").await;
        terminal.press(TAB).await;
        terminal.expect_at_cursor("> /greet").await;
        terminal.expect_gone("The command greetings").await;
        terminal.type_line("Ann").await;
        terminal.expect("Hello, Ann.").await;
        let request = world.next_request().await;
        assert!(request.body().to_string().contains("Say hello to Ann."));

        // Enter sends the selected command, Esc closes the list.
        terminal.expect_gone("Esc interrupts").await;
        terminal.press("/gree").await;
        terminal.expect("The command greetings").await;
        terminal.press(DOWN).await;
        terminal.press(ENTER).await;
        terminal.expect("More.").await;
        let request = world.next_request().await;
        assert!(request.body().to_string().contains("Say more."));
        terminal.expect_gone("Esc interrupts").await;
        terminal.press("/tod").await;
        terminal.expect("Show the to-do list").await;
        terminal.press(ESC).await;
        terminal.expect_gone("Show the to-do list").await;
        terminal.press("o").await;
        terminal.press(ENTER).await;
        terminal.expect("nothing to do").await;
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn prompt_has_several_lines_and_a_history() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.press("first").await;
        terminal.press(CTRL_J).await;
        terminal.type_line("second").await;
        terminal.expect("> first\n  second\n").await;
        terminal.expect("One.").await;
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("first\nsecond"));

        terminal.expect_gone("Esc interrupts").await;
        terminal.press("draft").await;
        terminal.press(UP).await;
        terminal.expect_at_cursor("  second").await;
        terminal.type_line("!").await;
        terminal.expect("Two.").await;
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("first\nsecond!"));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn without_a_terminal_the_error_says_what_to_do() {
    let chat = Command::new(example("chat"))
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the example starts");
    assert_eq!(chat.status.code(), Some(1));
    assert!(chat.stdout.is_empty());
    let error = String::from_utf8_lossy(&chat.stderr);
    assert!(
        error.starts_with("chat needs a terminal: run it without pipes"),
        "{error}"
    );
    assert!(error.contains("`inhouse::query`"), "{error}");
}
