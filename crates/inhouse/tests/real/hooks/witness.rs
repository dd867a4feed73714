use inhouse::Options;
use inhouse::hook::capability::Passes;
use inhouse::hook::{HookContext, HookEvent, HookOutput, Matcher};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

/// What typed hooks without an opinion have seen.
pub(super) struct Witness {
    tell: mpsc::UnboundedSender<(&'static str, Value)>,
    told: mpsc::UnboundedReceiver<(&'static str, Value)>,
    unasked: Vec<(&'static str, Value)>,
}

impl Witness {
    pub(super) fn new() -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        Self {
            tell,
            told,
            unasked: Vec::new(),
        }
    }

    /// Has a look at every occurrence of an event.
    pub(super) fn of<E: HookEvent + Passes + Serialize>(&self, options: Options) -> Options {
        let tell = self.tell.clone();
        options.hook(Matcher::any(), move |event: E, _: HookContext| {
            let event = serde_json::to_value(event).expect("events are JSON");
            // Nobody listens any more when the test is over.
            let _ = tell.send((E::NAME, event));
            async { Ok(HookOutput::pass()) }
        })
    }

    /// The first occurrence of an event that was not asked about yet.
    pub(super) async fn saw(&mut self, event: &str) -> Value {
        loop {
            if let Some(at) = self.unasked.iter().position(|(name, _)| *name == event) {
                return self.unasked.remove(at).1;
            }
            let seen = self.told.recv().await.expect("the witness holds a sender");
            self.unasked.push(seen);
        }
    }
}
