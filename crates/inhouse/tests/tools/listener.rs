//! A subscriber of `tracing` that remembers what it hears of tools.

use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// Writes down what is told of tools, up to a level.
#[derive(Clone)]
pub(crate) struct Listener {
    level: Level,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Heard(String);

impl Listener {
    pub(crate) fn new(level: Level) -> Self {
        // As long as there is only one subscriber, `tracing` may ask a thread that has none whether
        // anybody listens; such are the threads of the other tests.
        static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
        LazyLock::force(&ANOTHER);
        Self {
            level,
            heard: Arc::default(),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.heard.lock().unwrap().0.clone()
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("inhouse::tool") && *metadata.level() <= self.level
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut *self.heard.lock().unwrap());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut *self.heard.lock().unwrap());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut *self.heard.lock().unwrap());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Heard {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        writeln!(self.0, "{field}: {value:?}").expect("a string takes everything");
    }
}
