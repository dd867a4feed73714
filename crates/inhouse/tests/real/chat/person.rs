use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::Duration;

use inhouse_testkit::Isolation;
use pty_process::{Command, Pty, Size};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::timeout;
use vt100::{Parser, Screen};

/// Much longer than anything takes, and shorter than the deadline of a scenario, so that the
/// screen is told when nothing more comes.
const PATIENCE: Duration = Duration::from_secs(60);

const ROWS: u16 = 60;
const COLUMNS: u16 = 100;

const END_OF_FRAME: &[u8] = b"\x1b[?2026l";

pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

/// Somebody who sits at a terminal in which the chat runs.
pub(crate) struct Person {
    terminal: Pty,
    emulator: Parser,
    /// The beginning of a frame that has not come to its end.
    unshown: Vec<u8>,
    chat: Child,
}

impl Person {
    pub(crate) fn sits_down(isolation: &Isolation, arguments: &[&str]) -> Self {
        let (terminal, other_end) = pty_process::open().expect("there are pseudo-terminals");
        let size = Size::new(ROWS, COLUMNS);
        terminal.resize(size).expect("a pseudo-terminal has a size");
        let chat = Command::new(example())
            .arg("--cli")
            .arg(isolation.program())
            .args(arguments)
            .env_clear()
            .envs(isolation.env())
            .current_dir(isolation.cwd())
            .kill_on_drop(true)
            .spawn(other_end)
            .expect("the example starts");
        let [rows, columns] = [ROWS, COLUMNS].map(|n| NonZeroU16::new(n).expect("is not zero"));
        Self {
            terminal,
            emulator: Parser::new(rows, columns, 0),
            unshown: Vec::new(),
            chat,
        }
    }

    /// Types a line.
    pub(crate) async fn types(&mut self, line: &str) {
        self.presses(line).await;
        self.presses(ENTER).await;
    }

    pub(crate) async fn presses(&mut self, keys: &str) {
        let written = self.terminal.write_all(keys.as_bytes()).await;
        written.expect("the terminal takes keys");
    }

    /// Watches until this stands on the screen.
    pub(crate) async fn sees(&mut self, text: &str) {
        self.watches(text, |screen| screen.contents().contains(text))
            .await;
    }

    /// Watches until this has gone from the screen.
    pub(crate) async fn sees_vanish(&mut self, text: &str) {
        self.watches(text, |screen| !screen.contents().contains(text))
            .await;
    }

    /// Watches until the line with the cursor is this.
    pub(crate) async fn sees_at_the_cursor(&mut self, text: &str) {
        self.watches(text, |screen| line_at_cursor(screen) == text)
            .await;
    }

    pub(crate) fn screen(&self) -> String {
        self.emulator.screen().contents()
    }

    /// Watches until the chat has ended; its exit code.
    pub(crate) async fn watches_the_end(&mut self) -> Option<i32> {
        let ending = async {
            while self.watch().await {}
            self.chat.wait().await.expect("the chat is a child").code()
        };
        match timeout(PATIENCE, ending).await {
            Ok(code) => code,
            Err(_) => panic!("the chat does not end:\n{}", self.screen()),
        }
    }

    async fn watches(&mut self, what: &str, appears: impl Fn(&Screen) -> bool) {
        let watching = async {
            let mut more = true;
            while more && !appears(self.emulator.screen()) {
                more = self.watch().await;
            }
            more
        };
        let happened = timeout(PATIENCE, watching).await;
        assert_eq!(
            happened,
            Ok(true),
            "waited for {what:?}:\n{}",
            self.screen()
        );
    }

    /// Looks at what comes next; whether anything came.
    ///
    /// Only whole frames are shown, as by terminals that know synchronized updates: in the middle of
    /// one, things are gone that come back.
    async fn watch(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // Linux reports the end of a terminal as an error.
        let read = self.terminal.read(&mut bytes).await.unwrap_or(0);
        self.unshown.extend(&bytes[..read]);
        let mut frames = self.unshown.windows(END_OF_FRAME.len());
        let last = frames.rposition(|bytes| bytes == END_OF_FRAME);
        let shown = match last {
            _ if read == 0 => self.unshown.len(),
            Some(start) => start + END_OF_FRAME.len(),
            None => 0,
        };
        self.emulator.process(&self.unshown[..shown]);
        self.unshown.drain(..shown);
        read > 0
    }
}

fn line_at_cursor(screen: &Screen) -> String {
    let (row, _) = screen.cursor_position();
    let mut lines = screen.rows(0, COLUMNS).skip(usize::from(row));
    lines.next().unwrap_or_default().trim_end().to_owned()
}

/// Cargo builds the examples of a package for its tests, into the directory beside theirs.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let profile = test.ancestors().nth(2).expect("in a directory of cargo");
    let example = profile.join("examples").join("chat");
    assert!(
        example.is_file(),
        "{} is missing: cargo build -p inhouse --example chat",
        example.display()
    );
    example
}
