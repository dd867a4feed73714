use std::num::NonZeroU16;
use std::time::Duration;

use inhouse_testkit::Isolation;
use pty_process::{Command, Pty, Size};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::timeout;
use vt100::{Parser, Screen};

use crate::example::example;

/// Longer than any step takes, and shorter than the deadline of a scenario, so that a failure shows the
/// screen.
const DEADLINE: Duration = Duration::from_secs(60);

const ROWS: u16 = 60;
const COLUMNS: u16 = 100;

const END_OF_FRAME: &[u8] = b"\x1b[?2026l";

pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

/// A pseudo-terminal in which the chat runs.
pub(crate) struct Terminal {
    pty: Pty,
    emulator: Parser,
    /// The start of an incomplete frame.
    incomplete: Vec<u8>,
    chat: Child,
}

impl Terminal {
    pub(crate) fn start(isolation: &Isolation, arguments: &[&str]) -> Self {
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
        Self {
            pty,
            emulator: Parser::new(rows, columns, 0),
            incomplete: Vec::new(),
            chat,
        }
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
        self.emulator.screen().contents()
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
            while more && !appears(self.emulator.screen()) {
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
    ///
    /// Shows only complete frames, like a terminal with synchronized updates: in the middle of a frame, text may
    /// be missing that comes back.
    async fn read_output(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // Linux reports the end of a terminal as an error.
        let read = self.pty.read(&mut bytes).await.unwrap_or(0);
        self.incomplete.extend(&bytes[..read]);
        let mut frames = self.incomplete.windows(END_OF_FRAME.len());
        let last = frames.rposition(|bytes| bytes == END_OF_FRAME);
        let shown = match last {
            _ if read == 0 => self.incomplete.len(),
            Some(start) => start + END_OF_FRAME.len(),
            None => 0,
        };
        self.emulator.process(&self.incomplete[..shown]);
        self.incomplete.drain(..shown);
        read > 0
    }
}

fn line_at_cursor(screen: &Screen) -> String {
    let (row, _) = screen.cursor_position();
    let mut lines = screen.rows(0, COLUMNS).skip(usize::from(row));
    lines.next().unwrap_or_default().trim_end().to_owned()
}
