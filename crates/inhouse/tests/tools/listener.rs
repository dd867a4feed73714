//! A `tracing` subscriber that records the spans and events of tools.

use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// Records the fields of spans and events up to a level.
#[derive(Clone)]
pub(crate) struct Listener {
    level: Level,
    recorded: Arc<Mutex<Recorded>>,
}

#[derive(Default)]
struct Recorded(String);

impl Listener {
    pub(crate) fn new(level: Level) -> Self {
        // With a single dispatcher, `tracing` caches its interest for all threads, also those of tests
        // without a subscriber. A second dispatcher disables that cache.
        static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
        LazyLock::force(&SECOND);
        Self {
            level,
            recorded: Arc::default(),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.recorded.lock().unwrap().0.clone()
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        let is_of_tools = ["inhouse::tool", "inhouse::mcp"]
            .iter()
            .any(|part| target.starts_with(part));
        is_of_tools && *metadata.level() <= self.level
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut *self.recorded.lock().unwrap());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut *self.recorded.lock().unwrap());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut *self.recorded.lock().unwrap());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        writeln!(self.0, "{field}: {value:?}").expect("writing to a string does not fail");
    }
}
