use inhouse::Options;
use inhouse::hook::capability::Passes;
use inhouse::hook::{HookContext, HookEvent, HookOutput, Matcher};
use serde_json::Value;
use tokio::sync::mpsc;

/// Records the events of typed hooks that pass everything.
pub(super) struct Probe {
    sender: mpsc::UnboundedSender<(&'static str, Value)>,
    receiver: mpsc::UnboundedReceiver<(&'static str, Value)>,
    /// Events that were received while another one was awaited.
    received: Vec<(&'static str, Value)>,
}

impl Probe {
    pub(super) fn new() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self {
            sender,
            receiver,
            received: Vec::new(),
        }
    }

    /// Adds a hook that records every occurrence of an event.
    pub(super) fn of<E: HookEvent + Passes>(&self, options: Options) -> Options {
        let sender = self.sender.clone();
        options.hook(Matcher::any(), move |_: E, context: HookContext| {
            let event = serde_json::from_str(context.raw()).expect("events are JSON");
            // The receiver may be gone at the end of a test.
            let _ = sender.send((E::NAME, event));
            async { Ok(HookOutput::pass()) }
        })
    }

    /// Waits for the first occurrence of an event that has not been returned yet.
    pub(super) async fn saw(&mut self, event: &str) -> Value {
        loop {
            if let Some(at) = self.received.iter().position(|(name, _)| *name == event) {
                return self.received.remove(at).1;
            }
            let next = self.receiver.recv().await;
            self.received.push(next.expect("the probe holds a sender"));
        }
    }
}
