use std::collections::VecDeque;
use std::pin::pin;

use inhouse::{Client, Control, Options};

use crate::terminal::{Input, Inputs, Terminal};
use crate::to_do::ToDoList;
use crate::transcript::Transcript;

/// A conversation: prompts of the user and turns of the model.
pub(crate) struct Conversation {
    client: Client,
    terminal: Terminal,
    inputs: Inputs,
    transcript: Transcript,
    list: ToDoList,
    /// Lines that were entered during a turn.
    queue: VecDeque<String>,
    quitting: bool,
}

impl Conversation {
    /// Starts the CLI; returns `None` if the user quits before it is ready.
    pub(crate) async fn start(
        options: Options,
        terminal: Terminal,
        mut inputs: Inputs,
        list: ToDoList,
    ) -> inhouse::Result<Option<Self>> {
        let mut queue = VecDeque::new();
        terminal.working("starting");
        let mut connecting = pin!(Client::connect(options));
        let client = loop {
            tokio::select! {
                client = &mut connecting => break client?,
                input = inputs.recv() => match input {
                    Some(Input::Line(line)) => queue.push_back(line),
                    // Dropping the future kills the CLI.
                    Some(Input::Interrupt | Input::Quit) | None => return Ok(None),
                },
            }
        };
        terminal.idle();
        Ok(Some(Self {
            client,
            transcript: Transcript::new(terminal.clone()),
            terminal,
            inputs,
            list,
            queue,
            quitting: false,
        }))
    }

    /// Runs until the user quits; returns the id of the session.
    pub(crate) async fn run(mut self) -> inhouse::Result<Option<String>> {
        self.terminal.note("/help lists the commands");
        while let Some(line) = self.next_line().await {
            match line.trim() {
                "" => {}
                "/quit" | "/exit" => break,
                "/help" => self
                    .terminal
                    .note("/todo shows the list, /quit quits; Ctrl-C interrupts Claude"),
                "/todo" => self.show_list(),
                // Includes the commands of the CLI, such as `/compact`.
                _ => self.turn(line).await?,
            }
        }
        self.client.close().await?;
        Ok(self.transcript.session())
    }

    async fn next_line(&mut self) -> Option<String> {
        if self.quitting {
            return None;
        }
        if let Some(line) = self.queue.pop_front() {
            return Some(line);
        }
        loop {
            match self.inputs.recv().await? {
                Input::Line(line) => return Some(line),
                // No turn is running.
                Input::Interrupt => {}
                Input::Quit => return None,
            }
        }
    }

    /// Sends a prompt and shows its turn, while the user can interrupt it or enter the next prompt.
    async fn turn(&mut self, prompt: String) -> inhouse::Result<()> {
        self.terminal.prompted(&prompt);
        self.terminal.working("thinking");
        let control = self.client.control().clone();
        let mut turn = self.client.send(prompt).await?;
        loop {
            tokio::select! {
                message = turn.next() => match message {
                    Some(message) => self.transcript.show(message?),
                    None => break,
                },
                input = self.inputs.recv(), if !self.quitting => match input {
                    Some(Input::Line(line)) => {
                        self.terminal.note(&format!("next: {line}"));
                        self.queue.push_back(line);
                    }
                    Some(Input::Interrupt) => interrupt(&control, &self.terminal).await,
                    Some(Input::Quit) | None => {
                        self.quitting = true;
                        interrupt(&control, &self.terminal).await;
                    }
                },
            }
        }
        self.terminal.idle();
        Ok(())
    }

    fn show_list(&self) {
        let lines = self.list.lines();
        if lines.is_empty() {
            self.terminal.note("nothing to do");
        }
        for line in lines {
            self.terminal.line(&line);
        }
    }
}

/// Interrupts the turn. A failure is shown and does not end the conversation.
async fn interrupt(control: &Control, terminal: &Terminal) {
    if let Err(error) = control.interrupt().await {
        terminal.problem(&format!("not interrupted: {error}"));
    }
}
