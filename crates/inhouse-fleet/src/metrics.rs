//! Metrics through the OpenTelemetry API; without the feature, functions that do nothing.

#[cfg(all(feature = "opentelemetry", feature = "postgres"))]
pub(crate) use self::instruments::QueueMetrics;
#[cfg(feature = "opentelemetry")]
pub(crate) use self::instruments::TurnMetrics;
#[cfg(not(feature = "opentelemetry"))]
pub(crate) use self::nothing::TurnMetrics;

#[cfg(feature = "opentelemetry")]
mod instruments {
    use std::sync::OnceLock;
    use std::time::Duration;

    #[cfg(feature = "postgres")]
    use opentelemetry::metrics::Gauge;
    use opentelemetry::metrics::{Counter, Histogram, UpDownCounter};
    use opentelemetry::{KeyValue, global};

    const METER: &str = "inhouse-fleet";
    const SECONDS: [f64; 13] = [
        0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
    ];

    /// The metrics of a host. They belong to the meter provider that is global when its first turn begins.
    #[derive(Default)]
    pub(crate) struct TurnMetrics(OnceLock<Instruments>);

    struct Instruments {
        turns: Counter<u64>,
        duration: Histogram<f64>,
        active: UpDownCounter<i64>,
        takeovers: Counter<u64>,
        cost: Counter<f64>,
    }

    impl TurnMetrics {
        /// Counts a turn that begins or ends.
        pub(crate) fn add_active(&self, change: i64) {
            self.instruments().active.add(change, &[]);
        }

        /// Records the end of an attempt.
        pub(crate) fn record_turn(&self, outcome: &'static str, duration: Duration) {
            let outcome = [KeyValue::new("outcome", outcome)];
            let instruments = self.instruments();
            instruments.turns.add(1, &outcome);
            let seconds = duration.as_secs_f64();
            instruments.duration.record(seconds, &outcome);
        }

        /// Counts a turn that continues a prompt whose last turn was on another host.
        pub(crate) fn count_takeover(&self) {
            self.instruments().takeovers.add(1, &[]);
        }

        /// Adds the cost of a turn in US dollars.
        pub(crate) fn add_cost(&self, cost: f64) {
            self.instruments().cost.add(cost, &[]);
        }

        fn instruments(&self) -> &Instruments {
            self.0.get_or_init(Instruments::new)
        }
    }

    impl Instruments {
        fn new() -> Self {
            let meter = global::meter(METER);
            Self {
                turns: meter
                    .u64_counter("inhouse.fleet.turns")
                    .with_unit("{turn}")
                    .with_description("Attempts of this host, by outcome.")
                    .build(),
                duration: meter
                    .f64_histogram("inhouse.fleet.turn.duration")
                    .with_unit("s")
                    .with_description("Duration of the attempts of this host, by outcome.")
                    .with_boundaries(SECONDS.to_vec())
                    .build(),
                active: meter
                    .i64_up_down_counter("inhouse.fleet.active")
                    .with_unit("{turn}")
                    .with_description("Attempts that have a slot of this host now.")
                    .build(),
                takeovers: meter
                    .u64_counter("inhouse.fleet.takeovers")
                    .with_unit("{turn}")
                    .with_description(
                        "Turns that continue a prompt whose last turn was on another host.",
                    )
                    .build(),
                cost: meter
                    .f64_counter("inhouse.fleet.cost")
                    .with_unit("{USD}")
                    .with_description("Cost of the turns of this host in US dollars.")
                    .build(),
            }
        }
    }

    /// The metrics of the queue, which every host that serves it reports.
    #[cfg(feature = "postgres")]
    pub(crate) struct QueueMetrics {
        oldest: Gauge<f64>,
        waiting: Gauge<f64>,
    }

    #[cfg(feature = "postgres")]
    impl QueueMetrics {
        /// Creates the metrics for the meter provider that is global now.
        pub(crate) fn new() -> Self {
            let meter = global::meter(METER);
            Self {
                oldest: meter
                    .f64_gauge("inhouse.fleet.oldest_prompt.age")
                    .with_unit("s")
                    .with_description("Age of the oldest unanswered prompt that waits neither for a person nor for a time.")
                    .build(),
                waiting: meter
                    .f64_gauge("inhouse.fleet.queue.age")
                    .with_unit("s")
                    .with_description("Time for which the session that waits longest for a slot has waited.")
                    .build(),
            }
        }

        /// Records the ages in seconds.
        pub(crate) fn record(&self, oldest: f64, waiting: f64) {
            self.oldest.record(oldest, &[]);
            self.waiting.record(waiting, &[]);
        }
    }
}

#[cfg(not(feature = "opentelemetry"))]
mod nothing {
    use std::time::Duration;

    #[derive(Default)]
    pub(crate) struct TurnMetrics;

    impl TurnMetrics {
        pub(crate) fn add_active(&self, _: i64) {}

        pub(crate) fn record_turn(&self, _: &'static str, _: Duration) {}

        pub(crate) fn count_takeover(&self) {}

        pub(crate) fn add_cost(&self, _: f64) {}
    }
}
