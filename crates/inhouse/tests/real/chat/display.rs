//! The parts of a conversation that the chat shows.

use inhouse_testkit::Turn;
use serde_json::json;
use vt100::Color;

use super::in_a_story;
use super::terminal::{CTRL_O, ENTER, ESC, HOME, PROMPT, Terminal};
use crate::permissions::seen;
use crate::world;

const RED: Color = Color::Idx(1);
const GREEN: Color = Color::Idx(2);
const CYAN: Color = Color::Idx(6);

#[tokio::test]
async fn markdown_is_rendered_while_it_streams() {
    world::pinned(async |world| {
        let long = "word ".repeat(30);
        let answer = format!(
            "# Plan\n\nA **bold** step with `code`.\n\n1. first\n2. second\n3. {long}\n\nRoses\nViolets"
        );
        world
            .model
            .turn(Turn::new().text(answer).pieces(3).stall())
            .turn("Next.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Write Markdown.").await;

        terminal.expect("Roses\nViolets\n").await;
        assert!(terminal.style_of("bold").bold());
        assert!(!terminal.style_of("step").bold());
        assert_eq!(terminal.style_of("code").fgcolor(), CYAN);
        let screen = terminal.screen();
        assert!(screen.contains("\nPlan\n"), "{screen}");
        assert!(screen.contains("1. first\n2. second\n"), "{screen}");
        // A list item is wrapped below its first word.
        assert!(screen.contains("3. word word"), "{screen}");
        assert!(screen.contains("\n   word word"), "{screen}");
        assert!(!screen.contains("**") && !screen.contains('`'), "{screen}");

        world.model.release();
        terminal.expect_gone("Esc interrupts").await;
        terminal.type_line("Go on.").await;
        terminal.expect("Next.").await;
        // Finished blocks are printed once.
        for line in ["Plan", "A bold step with code.", "1. first", "Violets"] {
            let screen = terminal.screen();
            let count = screen.lines().filter(|shown| *shown == line).count();
            assert_eq!(count, 1, "{line}: {screen}");
        }
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn queued_prompt_is_shown_below_the_streaming_answer() {
    world::pinned(async |world| {
        let mut terminal = in_a_story(world).await;
        terminal.type_line("Go on.").await;
        terminal.expect("next: Go on.").await;
        let screen = terminal.screen();
        assert!(!screen.contains("> Go on."), "{screen}");

        world.model.release();
        terminal.expect("The end.").await;
        terminal.expect_gone("next:").await;
        let screen = terminal.screen();
        let at = |text: &str| {
            screen
                .find(text)
                .unwrap_or_else(|| panic!("{text}: {screen}"))
        };
        assert!(at("Once upon a time") < at("> Go on."), "{screen}");
        assert!(at("> Go on.") < at("The end."), "{screen}");
        let prompts = world.model.conversation();
        assert_eq!(prompts[1].last_user_text().as_deref(), Some("Go on."));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn whole_result_is_shown_on_demand() {
    world::pinned(async |world| {
        let call = json!({"command": "seq 101 190"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("Counted.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Count.").await;
        terminal.expect("Counted.").await;
        terminal.expect("… 86 more lines (Ctrl-O shows all)").await;
        assert!(terminal.screen().contains("104") && !terminal.screen().contains("105"));
        terminal.press("Thank").await;
        terminal.expect_at_cursor("> Thank").await;

        terminal.press(CTRL_O).await;
        terminal.expect("    190\n").await;
        assert!(!terminal.screen().contains("Counted."));
        terminal.press(HOME).await;
        terminal.expect("✓ Bash seq 101 190\n    101\n").await;
        terminal.expect("    105\n").await;
        terminal.press(ESC).await;
        terminal.expect("Counted.").await;
        terminal.expect_at_cursor("> Thank").await;
        assert!(seen(world)[0].text.contains("\n190"));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn edit_is_shown_as_a_diff() {
    world::pinned(async |world| {
        let path = world.cwd().join("note.txt");
        let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
        std::fs::write(&path, lines.concat()).expect("the directory is writable");
        let edit = json!({"file_path": path, "old_string": "line 20\n", "new_string": "twenty\n"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Read", json!({"file_path": path})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "Edit", edit))
            .turn("Edited.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Edit the note.").await;

        let change = "19   line 19\n20 - line 20\n20 + twenty\n21   line 21\n";
        let on_screen = |screen: &str| {
            let lines: Vec<&str> = screen.lines().map(str::trim).collect();
            lines.join("\n").contains(change)
        };
        terminal.expect("May Claude use Edit?").await;
        assert!(on_screen(&terminal.screen()), "{}", terminal.screen());
        assert_eq!(terminal.style_of("20 - line 20").fgcolor(), RED);
        assert_eq!(terminal.style_of("20 + twenty").fgcolor(), GREEN);
        terminal.type_line("1").await;
        terminal.expect("Edited.").await;
        // The menu is gone, and the call has its diff.
        terminal.expect_gone("1 Yes").await;
        let screen = terminal.screen();
        assert!(screen.contains("✓ Edit") && on_screen(&screen), "{screen}");

        assert!(!seen(world)[0].is_error);
        let changed = std::fs::read_to_string(&path).expect("the note exists");
        assert!(changed.contains("line 19\ntwenty\nline 21\n"));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn new_file_is_shown_before_it_is_written() {
    world::pinned(async |world| {
        let path = world.cwd().join("new.txt");
        let write = json!({"file_path": path, "content": "alpha\nbeta\n"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Write", write))
            .turn("Written.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Write a file.").await;
        terminal.expect("May Claude use Write?").await;
        terminal.expect("1 + alpha").await;
        terminal.expect("2 + beta").await;
        assert!(!path.exists());
        terminal.press("1").await;
        terminal.press(ENTER).await;
        terminal.expect("Written.").await;
        terminal.expect("2 + beta").await;
        assert_eq!(
            std::fs::read_to_string(&path).ok().as_deref(),
            Some("alpha\nbeta\n")
        );
        assert!(!seen(world)[0].is_error);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn block_longer_than_the_screen_is_printed_whole() {
    world::pinned(async |world| {
        let code: Vec<String> = (101..=190)
            .map(|number| format!("row {number}\n"))
            .collect();
        let answer = format!("Rows:\n\n```text\n{}```\n\nEnd.", code.concat());
        world.model.turn(Turn::new().text(answer).pieces(40));
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Print rows.").await;
        terminal.expect("End.").await;
        terminal.expect_gone("Esc interrupts").await;

        let screen = terminal.screen();
        let shown: Vec<&str> = screen
            .lines()
            .filter(|line| line.starts_with("row"))
            .collect();
        let last: Vec<String> = (191 - shown.len()..=190)
            .map(|number| format!("row {number}"))
            .collect();
        let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
        assert!(shown.len() > 40, "{screen}");
        assert_eq!(shown, last, "{screen}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn whole_question_is_shown_on_demand() {
    world::pinned(async |world| {
        let path = world.cwd().join("long.txt");
        let content: Vec<String> = (101..=150)
            .map(|number| format!("row {number}\n"))
            .collect();
        let write = json!({"file_path": path, "content": content.concat()});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Write", write))
            .turn("As you like.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.type_line("Write a long file.").await;
        terminal.expect("more lines (Ctrl-O shows all)").await;
        terminal.expect("3 No, because:").await;
        assert!(!terminal.screen().contains("row 150"));

        terminal.press(CTRL_O).await;
        terminal.expect("50 + row 150").await;
        terminal.press(ESC).await;
        terminal.expect("3 No, because:").await;
        terminal.type_line("3too long").await;
        terminal.expect("As you like.").await;
        assert_eq!(seen(world)[0].text, "too long");
        assert!(!path.exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn chat_continues_after_the_terminal_was_resized() {
    world::pinned(async |world| {
        world.model.turn("Narrow.").turn("Wide.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.press("Fold").await;
        terminal.expect_at_cursor("> Fold").await;
        terminal.resize(20, 50);
        terminal.expect_at_cursor("> Fold").await;
        terminal.type_line(" it.").await;
        terminal.expect("Narrow.").await;
        terminal.expect_gone("Esc interrupts").await;
        terminal.resize(50, 90);
        terminal.type_line("Unfold it.").await;
        terminal.expect("Wide.").await;
        terminal.expect_gone("Esc interrupts").await;
        terminal.expect_at_cursor(PROMPT).await;

        let rules = terminal.screen();
        let rules = rules.lines().filter(|line| line.starts_with('─'));
        assert_eq!(rules.count(), 2, "{}", terminal.screen());
        let requests = world.model.conversation();
        assert_eq!(requests[0].last_user_text().as_deref(), Some("Fold it."));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn status_line_has_model_cost_and_context() {
    world::pinned(async |world| {
        world.model.turn("Hello.");
        let mut terminal = Terminal::start(world.isolation(), &[]).await;
        terminal.expect("· $0.0000 · context").await;
        terminal.type_line("Hello?").await;
        terminal.expect("Hello.").await;
        terminal.expect_gone("$0.0000").await;

        let screen = terminal.screen();
        let status = screen.lines().last().unwrap_or_default();
        let request = world.next_request().await;
        assert!(
            status.contains(&format!("{} · $0.0", request.model())),
            "{status}"
        );
        assert!(status.contains(" % · mode default"), "{status}");
        world.model.assert_done();
    })
    .await;
}
