use std::io;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crossterm::event;
use tokio::sync::mpsc::UnboundedSender;

use super::Input;
use super::pager;
use super::raw_mode::RawMode;
use super::view::{Action, View};
use super::viewport::Viewport;

/// The time between two frames while something moves.
const FRAME: Duration = Duration::from_millis(33);

/// A change of the view, made by a task.
pub(crate) type Change = Box<dyn FnOnce(&mut View) + Send>;

/// The thread that owns the terminal: draws the view and reads the keyboard.
///
/// One thread does both, because drawing asks the terminal for the position of the cursor, and the reply
/// arrives between the keys.
pub(crate) struct EventLoop {
    changes: Receiver<Change>,
    inputs: UnboundedSender<Input>,
    view: View,
    viewport: Viewport,
    raw: RawMode,
}

impl EventLoop {
    pub(crate) fn open(
        changes: Receiver<Change>,
        inputs: UnboundedSender<Input>,
    ) -> io::Result<Self> {
        let raw = RawMode::enter()?;
        Ok(Self {
            changes,
            inputs,
            view: View::default(),
            viewport: Viewport::open()?,
            raw,
        })
    }

    /// Runs until the terminal is closed or gone. Dropping the inputs ends the conversation.
    pub(crate) fn run(mut self) {
        while self.view.closing.is_none() {
            if self.draw().and_then(|()| self.wait()).is_err() {
                return;
            }
        }
        // Fails if the terminal is gone.
        let _ = self.draw().and_then(|()| self.viewport.clear());
        drop(self.raw);
        if let Some(closing) = self.view.closing {
            let _ = closing.send(());
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.view.size = self.viewport.size()?;
        let blocks = std::mem::take(&mut self.view.blocks);
        self.viewport.draw(blocks, &self.view.footer())
    }

    /// Waits until the view has changed.
    fn wait(&mut self) -> io::Result<()> {
        let mut changed = false;
        while !changed {
            changed = event::poll(FRAME)?;
            while event::poll(Duration::ZERO)? {
                let event = event::read()?;
                self.handle_event(event)?;
            }
            while let Ok(change) = self.changes.try_recv() {
                change(&mut self.view);
                changed = true;
            }
            changed |= self.view.is_moving();
        }
        self.view.remove_cancelled_menus();
        Ok(())
    }

    fn handle_event(&mut self, event: event::Event) -> io::Result<()> {
        match self.view.handle_event(event) {
            // Fails only if the conversation has ended.
            Some(Action::Send(input)) => drop(self.inputs.send(input)),
            Some(Action::OpenPager) => pager::show(self.view.whole_results())?,
            None => {}
        }
        Ok(())
    }
}
