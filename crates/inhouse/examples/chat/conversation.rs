use std::collections::VecDeque;
use std::pin::pin;

use inhouse::{Client, Control, Options};

use crate::commands;
use crate::status::Status;
use crate::terminal::{Input, Inputs, Terminal};
use crate::to_do::ToDoList;
use crate::transcript::Transcript;

const HELP: &str = "\
| key | effect |
|---|---|
| Enter | sends the prompt; during a turn it is queued |
| Alt-Enter, Ctrl-J | start a new line |
| Esc, Ctrl-C | interrupt Claude |
| Shift-Tab | changes the permission mode |
| Ctrl-O | shows the whole results of tools |
| Up, Down | go through the history |
| Tab | completes a command; `/` lists them |
| Ctrl-D | quits, as `/quit` and two Ctrl-C do |
";

/// A conversation: prompts of the user and turns of the model.
pub(crate) struct Conversation {
    client: Client,
    terminal: Terminal,
    inputs: Inputs,
    transcript: Transcript,
    status: Status,
    list: ToDoList,
    /// Prompts that were entered during a turn.
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
                    Some(Input::Prompt(prompt)) => {
                        queue.push_back(prompt);
                        terminal.queued(&queue);
                    }
                    Some(Input::NextMode) => {}
                    // Dropping the future kills the CLI.
                    Some(Input::Interrupt | Input::Quit) | None => return Ok(None),
                },
            }
        };
        let initialization = client.control().initialization();
        let commands = initialization.commands.as_deref().unwrap_or_default();
        terminal.completions(commands::completions(commands));
        let status = Status::of(client.control()).await;
        terminal.status(status.line());
        terminal.idle();
        Ok(Some(Self {
            client,
            transcript: Transcript::new(terminal.clone()),
            terminal,
            inputs,
            status,
            list,
            queue,
            quitting: false,
        }))
    }

    /// Runs until the user quits; returns the id of the session.
    pub(crate) async fn run(mut self) -> inhouse::Result<Option<String>> {
        self.terminal.note("/help lists the keys and commands");
        while let Some(prompt) = self.next_prompt().await {
            match prompt.trim() {
                "" => {}
                "/quit" | "/exit" => break,
                "/help" => self.terminal.markdown(HELP),
                "/todo" => self.show_list(),
                // Includes the commands of the CLI, such as `/compact`.
                _ => self.turn(prompt).await?,
            }
        }
        self.client.close().await?;
        Ok(self.transcript.session())
    }

    async fn next_prompt(&mut self) -> Option<String> {
        if self.quitting {
            return None;
        }
        if let Some(prompt) = self.queue.pop_front() {
            self.terminal.queued(&self.queue);
            return Some(prompt);
        }
        let control = self.client.control().clone();
        loop {
            match self.inputs.recv().await? {
                Input::Prompt(prompt) => return Some(prompt),
                // No turn is running.
                Input::Interrupt => {}
                Input::NextMode => next_mode(&control, &mut self.status, &self.terminal).await,
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
                    Some(message) => {
                        let message = message?;
                        self.status.observe(&message);
                        self.terminal.status(self.status.line());
                        self.transcript.show(message);
                    }
                    None => break,
                },
                input = self.inputs.recv(), if !self.quitting => match input {
                    Some(Input::Prompt(prompt)) => {
                        self.queue.push_back(prompt);
                        self.terminal.queued(&self.queue);
                    }
                    Some(Input::Interrupt) => interrupt(&control, &self.terminal).await,
                    Some(Input::NextMode) => {
                        next_mode(&control, &mut self.status, &self.terminal).await;
                    }
                    Some(Input::Quit) | None => {
                        self.quitting = true;
                        interrupt(&control, &self.terminal).await;
                    }
                },
            }
        }
        self.status.measure(&control).await;
        self.terminal.status(self.status.line());
        self.terminal.idle();
        Ok(())
    }

    fn show_list(&self) {
        let lines = self.list.lines();
        match lines.is_empty() {
            true => self.terminal.note("nothing to do"),
            false => self.terminal.note(&lines.join("\n")),
        }
    }
}

/// Interrupts the turn. A failure is shown and does not end the conversation.
async fn interrupt(control: &Control, terminal: &Terminal) {
    if let Err(error) = control.interrupt().await {
        terminal.problem(&format!("not interrupted: {error}"));
    }
}

/// Changes the permission mode. A failure is shown and does not end the conversation.
async fn next_mode(control: &Control, status: &mut Status, terminal: &Terminal) {
    match status.next_mode(control).await {
        Ok(()) => terminal.status(status.line()),
        Err(error) => terminal.problem(&format!("the mode has not changed: {error}")),
    }
}
