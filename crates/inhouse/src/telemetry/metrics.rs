//! Metrics through the OpenTelemetry API; without the feature, functions that do nothing.

#[cfg(feature = "opentelemetry")]
pub(crate) use self::instruments::record_tool_call;
#[cfg(feature = "opentelemetry")]
pub(super) use self::instruments::{record_turn, record_usage, use_global_provider};
#[cfg(not(feature = "opentelemetry"))]
pub(crate) use self::nothing::record_tool_call;
#[cfg(not(feature = "opentelemetry"))]
pub(super) use self::nothing::{record_turn, record_usage, use_global_provider};

/// Whether durations and usage are measured also if no span is enabled.
pub(crate) const MEASURES: bool = cfg!(feature = "opentelemetry");

#[cfg(feature = "opentelemetry")]
mod instruments {
    use std::sync::{Arc, LazyLock, PoisonError, RwLock};
    use std::time::Duration;

    use opentelemetry::metrics::{Counter, Histogram};
    use opentelemetry::{KeyValue, global};

    use crate::telemetry::usage::Usage;

    /// The boundaries that the conventions recommend.
    const TOOL_SECONDS: [f64; 14] = [
        0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ];
    const TURN_SECONDS: [f64; 13] = [
        0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
    ];
    const TOKENS: [f64; 14] = [
        1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0,
        4194304.0, 16777216.0, 67108864.0,
    ];

    struct Instruments {
        tool_duration: Histogram<f64>,
        turn_duration: Histogram<f64>,
        token_usage: Histogram<u64>,
        cost: Counter<f64>,
    }

    /// The instruments of the meter provider that was global when the last session began, or at the first measurement.
    static INSTRUMENTS: LazyLock<RwLock<Arc<Instruments>>> =
        LazyLock::new(|| RwLock::new(Arc::new(Instruments::new())));

    /// Measures with the meter provider that is global now: a program may set it after its first session.
    pub(in crate::telemetry) fn use_global_provider() {
        let instruments = Arc::new(Instruments::new());
        *INSTRUMENTS.write().unwrap_or_else(PoisonError::into_inner) = instruments;
    }

    fn instruments() -> Arc<Instruments> {
        Arc::clone(&INSTRUMENTS.read().unwrap_or_else(PoisonError::into_inner))
    }

    impl Instruments {
        fn new() -> Self {
            let meter = global::meter("inhouse");
            Self {
                tool_duration: meter
                    .f64_histogram("gen_ai.execute_tool.duration")
                    .with_unit("s")
                    .with_description("Duration of the calls of tools in this process.")
                    .with_boundaries(TOOL_SECONDS.to_vec())
                    .build(),
                turn_duration: meter
                    .f64_histogram("gen_ai.invoke_agent.duration")
                    .with_unit("s")
                    .with_description("Duration of turns, from the prompt to the result.")
                    .with_boundaries(TURN_SECONDS.to_vec())
                    .build(),
                token_usage: meter
                    .u64_histogram("gen_ai.client.token.usage")
                    .with_unit("{token}")
                    .with_description("Input and output tokens of turns, by model.")
                    .with_boundaries(TOKENS.to_vec())
                    .build(),
                cost: meter
                    .f64_counter("inhouse.cost")
                    .with_unit("{USD}")
                    .with_description("Cost of turns in US dollars, by model.")
                    .build(),
            }
        }
    }

    /// Records a call of a tool. `failure` is the type of its error.
    pub(crate) fn record_tool_call(
        server: &str,
        tool: &str,
        failure: Option<&'static str>,
        duration: Duration,
    ) {
        let names = [
            KeyValue::new("gen_ai.tool.name", tool.to_owned()),
            KeyValue::new("server", server.to_owned()),
        ];
        let failure = failure.map(|failure| KeyValue::new("error.type", failure));
        let attributes: Vec<_> = names.into_iter().chain(failure).collect();
        instruments()
            .tool_duration
            .record(duration.as_secs_f64(), &attributes);
    }

    /// Records the end of a turn.
    pub(in crate::telemetry) fn record_turn(
        duration: Duration,
        failure: Option<&str>,
        model: Option<&str>,
    ) {
        let failure = failure.map(|failure| KeyValue::new("error.type", failure.to_owned()));
        let model = model.map(|model| KeyValue::new("gen_ai.request.model", model.to_owned()));
        let attributes: Vec<_> = failure.into_iter().chain(model).collect();
        instruments()
            .turn_duration
            .record(duration.as_secs_f64(), &attributes);
    }

    /// Records the tokens and the cost of a turn, by model.
    pub(in crate::telemetry) fn record_usage(models: &[(Option<String>, Usage)]) {
        let instruments = instruments();
        for (model, usage) in models {
            let model = model.clone();
            let mut attributes = vec![
                KeyValue::new("gen_ai.operation.name", "invoke_agent"),
                KeyValue::new("gen_ai.provider.name", "anthropic"),
            ];
            attributes.extend(model.map(|model| KeyValue::new("gen_ai.response.model", model)));
            if let Some(cost) = usage.cost {
                instruments.cost.add(cost, &attributes);
            }
            for (kind, tokens) in [("input", usage.input()), ("output", usage.output)] {
                let mut attributes = attributes.clone();
                attributes.push(KeyValue::new("gen_ai.token.type", kind));
                instruments.token_usage.record(tokens, &attributes);
            }
        }
    }
}

#[cfg(not(feature = "opentelemetry"))]
mod nothing {
    use std::time::Duration;

    use crate::telemetry::usage::Usage;

    pub(crate) fn record_tool_call(_: &str, _: &str, _: Option<&'static str>, _: Duration) {}

    pub(in crate::telemetry) fn record_turn(_: Duration, _: Option<&str>, _: Option<&str>) {}

    pub(in crate::telemetry) fn record_usage(_: &[(Option<String>, Usage)]) {}

    pub(in crate::telemetry) fn use_global_provider() {}
}
