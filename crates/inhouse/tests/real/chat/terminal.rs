use std::num::NonZeroU16;
use std::time::Duration;

use inhouse_testkit::Isolation;
use pty_process::{Command, Pty, Size};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::timeout;
use vt100::{Callbacks, Cell, Parser, Screen};

use crate::example::example;

/// Longer than any step takes, and shorter than the deadline of a scenario, so that a failure shows the
/// screen.
const DEADLINE: Duration = Duration::from_secs(60);

const ROWS: u16 = 60;
const COLUMNS: u16 = 100;

/// The line with the cursor when nothing is typed.
pub(crate) const PROMPT: &str = ">";

pub(crate) const ENTER: &str = "\r";
pub(crate) const ESC: &str = "\u{1b}";
pub(crate) const TAB: &str = "\t";
pub(crate) const SHIFT_TAB: &str = "\u{1b}[Z";
pub(crate) const DOWN: &str = "\u{1b}[B";
pub(crate) const UP: &str = "\u{1b}[A";
pub(crate) const HOME: &str = "\u{1b}[H";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const CTRL_J: &str = "\n";
pub(crate) const CTRL_O: &str = "\u{f}";

/// A pseudo-terminal in which the chat runs.
pub(crate) struct Terminal {
    pty: Pty,
    emulator: Parser<Replies>,
    /// The screen after the last complete frame.
    ///
    /// Like a terminal with synchronized updates: in the middle of a frame, text may be missing that comes
    /// back.
    shown: Screen,
    chat: Child,
}

impl Terminal {
    /// Starts the chat and waits for its prompt.
    pub(crate) async fn start(isolation: &Isolation, arguments: &[&str]) -> Self {
        let (pty, other_end) = pty_process::open().expect("there are pseudo-terminals");
        let size = Size::new(ROWS, COLUMNS);
        pty.resize(size).expect("a pseudo-terminal has a size");
        let chat = Command::new(example("chat"))
            .arg("--cli")
            .arg(isolation.program())
            .args(arguments)
            .env_clear()
            .envs(isolation.env())
            .current_dir(isolation.cwd())
            .kill_on_drop(true)
            .spawn(other_end)
            .expect("the example starts");
        let [rows, columns] = [ROWS, COLUMNS].map(|n| NonZeroU16::new(n).expect("not zero"));
        let emulator = Parser::new_with_callbacks(rows, columns, 0, Replies::default());
        let mut terminal = Self {
            pty,
            shown: emulator.screen().clone(),
            emulator,
            chat,
        };
        terminal.expect_at_cursor(PROMPT).await;
        terminal
    }

    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        let size = [rows, columns].map(|n| NonZeroU16::new(n).expect("not zero"));
        self.emulator.screen_mut().set_size(size[0], size[1]);
        let resized = self.pty.resize(Size::new(rows, columns));
        resized.expect("a pseudo-terminal has a size");
    }

    /// Types a line and Enter.
    pub(crate) async fn type_line(&mut self, line: &str) {
        self.press(line).await;
        self.press(ENTER).await;
    }

    pub(crate) async fn press(&mut self, keys: &str) {
        let written = self.pty.write_all(keys.as_bytes()).await;
        written.expect("the terminal takes keys");
    }

    /// Waits until this text is on the screen.
    pub(crate) async fn expect(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text))
            .await;
    }

    /// Waits until this text is not on the screen.
    pub(crate) async fn expect_gone(&mut self, text: &str) {
        self.wait_until(text, |screen| !screen.contents().contains(text))
            .await;
    }

    /// Waits until the line with the cursor is this.
    pub(crate) async fn expect_at_cursor(&mut self, text: &str) {
        self.wait_until(text, |screen| line_at_cursor(screen) == text)
            .await;
    }

    pub(crate) fn screen(&self) -> String {
        self.shown.contents()
    }

    /// Returns the colours and attributes of the first cell of a text.
    pub(crate) fn style_of(&self, text: &str) -> Cell {
        let rows: Vec<String> = self.shown.rows(0, COLUMNS).collect();
        let found = rows.iter().enumerate().find_map(|(row, line)| {
            let column = line.split_once(text)?.0.chars().count();
            Some((u16::try_from(row).ok()?, u16::try_from(column).ok()?))
        });
        let (row, column) = found.unwrap_or_else(|| panic!("{text:?} is on the screen"));
        let cell = self.shown.cell(row, column);
        cell.expect("the text is on the screen").clone()
    }

    /// Waits until the chat has exited; returns its exit code.
    pub(crate) async fn wait_for_exit(&mut self) -> Option<i32> {
        let ending = async {
            while self.read_output().await {}
            self.chat.wait().await.expect("the chat is a child").code()
        };
        match timeout(DEADLINE, ending).await {
            Ok(code) => code,
            Err(_) => panic!("the chat does not end:\n{}", self.screen()),
        }
    }

    async fn wait_until(&mut self, what: &str, appears: impl Fn(&Screen) -> bool) {
        let watching = async {
            let mut more = true;
            while more && !appears(&self.shown) {
                more = self.read_output().await;
            }
            more
        };
        let happened = timeout(DEADLINE, watching).await;
        assert_eq!(
            happened,
            Ok(true),
            "waited for {what:?}:\n{}",
            self.screen()
        );
    }

    /// Reads the next output; returns whether there was any.
    async fn read_output(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // Linux reports the end of a terminal as an error.
        let read = self.pty.read(&mut bytes).await.unwrap_or(0);
        for byte in &bytes[..read] {
            self.emulator.process(&[*byte]);
            if self.emulator.callbacks_mut().frame_ended() {
                self.shown = self.emulator.screen().clone();
            }
        }
        if read == 0 {
            self.shown = self.emulator.screen().clone();
        }
        let replies = std::mem::take(&mut self.emulator.callbacks_mut().replies);
        self.press(&replies).await;
        read > 0
    }
}

/// Answers the questions of the chat to its terminal, and notes the ends of frames.
#[derive(Default)]
struct Replies {
    replies: String,
    frame_ended: bool,
}

impl Replies {
    fn frame_ended(&mut self) -> bool {
        std::mem::take(&mut self.frame_ended)
    }
}

impl Callbacks for Replies {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        letter: char,
    ) {
        match (first, parameters, letter) {
            // Where is the cursor?
            (None, [[6]], 'n') => {
                let (row, column) = screen.cursor_position();
                let reply = format!("\u{1b}[{};{}R", row + 1, column + 1);
                self.replies.push_str(&reply);
            }
            (Some(b'?'), [[2026]], 'l') => self.frame_ended = true,
            _ => {}
        }
    }
}

fn line_at_cursor(screen: &Screen) -> String {
    let (row, _) = screen.cursor_position();
    let mut lines = screen.rows(0, COLUMNS).skip(usize::from(row));
    lines.next().unwrap_or_default().trim_end().to_owned()
}
