use inhouse_proto::message::{ModelUsage, ResultMessage};
use tracing::Span;

/// Tokens and cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Usage {
    /// Input tokens without those of the prompt cache, as Anthropic counts them.
    uncached_input: u64,
    cache_read: u64,
    cache_creation: u64,
    pub(super) output: u64,
    /// In US dollars; `None` if it is not known.
    pub(super) cost: Option<f64>,
}

impl Usage {
    /// Returns all input tokens, as OpenTelemetry counts them.
    pub(super) fn input(&self) -> u64 {
        self.uncached_input + self.cache_read + self.cache_creation
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.uncached_input += other.uncached_input;
        self.cache_read += other.cache_read;
        self.cache_creation += other.cache_creation;
        self.output += other.output;
        if let Some(cost) = other.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }

    pub(super) fn record(&self, span: &Span) {
        span.record("gen_ai.usage.input_tokens", self.input());
        span.record("gen_ai.usage.output_tokens", self.output);
        span.record("gen_ai.usage.cache_read.input_tokens", self.cache_read);
        span.record(
            "gen_ai.usage.cache_creation.input_tokens",
            self.cache_creation,
        );
        span.record("cost_usd", self.cost);
    }
}

impl From<&ModelUsage> for Usage {
    fn from(usage: &ModelUsage) -> Self {
        Self {
            uncached_input: usage.input_tokens,
            cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
            cache_creation: usage.cache_creation_input_tokens.unwrap_or_default(),
            output: usage.output_tokens,
            cost: Some(usage.cost_usd),
        }
    }
}

/// Splits the usage of a session, which results report, into that of its turns.
#[derive(Debug)]
pub(super) struct UsageReader {
    /// The cost up to the last result; `None` in a resumed session before its first result.
    cost_so_far: Option<f64>,
}

impl UsageReader {
    /// `resumes` says whether the first result includes the cost of earlier processes.
    pub(super) fn new(resumes: bool) -> Self {
        Self {
            cost_so_far: (!resumes).then_some(0.0),
        }
    }

    /// Returns the usage of each model since the previous result, with the name of the model if it is known.
    pub(super) fn read(&mut self, result: &ResultMessage) -> Vec<(Option<String>, Usage)> {
        let cost = self.cost_since_last(result);
        if let Some(models) = &result.model_usage_since_last_result {
            let of_model = |(model, usage): (&String, _)| (Some(model.clone()), Usage::from(usage));
            return models.iter().map(of_model).collect();
        }
        // CLI 2.1.197 reports tokens of the turn without models, and without those of subagents.
        let Some(usage) = &result.usage else {
            return Vec::new();
        };
        let usage = Usage {
            uncached_input: usage.input_tokens.unwrap_or_default(),
            cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
            cache_creation: usage.cache_creation_input_tokens.unwrap_or_default(),
            output: usage.output_tokens.unwrap_or_default(),
            cost,
        };
        vec![(None, usage)]
    }

    fn cost_since_last(&mut self, result: &ResultMessage) -> Option<f64> {
        let total = result.total_cost_usd?;
        let before = self.cost_so_far.replace(total)?;
        // `/clear` restarts the total from zero.
        Some(if total < before {
            total
        } else {
            total - before
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn result(members: &Value) -> ResultMessage {
        let mut line = json!({"subtype": "success", "is_error": false, "session_id": "s"});
        for (name, value) in members.as_object().unwrap() {
            line[name] = value.clone();
        }
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn input_includes_the_tokens_of_the_prompt_cache() {
        let usage = json!({"inputTokens": 1, "cacheReadInputTokens": 20, "cacheCreationInputTokens": 300,
            "outputTokens": 5, "costUSD": 0.5});
        let result = result(&json!({"model_usage_since_last_result": {"opus": usage}}));
        let usage = UsageReader::new(false).read(&result);
        let [(model, usage)] = &*usage else {
            panic!("one model, not {usage:?}");
        };
        assert_eq!(model.as_deref(), Some("opus"));
        assert_eq!((usage.input(), usage.output), (321, 5));
        assert_eq!(usage.cost, Some(0.5));
    }

    #[test]
    fn cost_of_a_turn_is_the_difference_of_totals() {
        let costs = |resumes, totals: &[f64]| {
            let mut reader = UsageReader::new(resumes);
            let cost = |total: &f64| {
                let result = result(&json!({"usage": {}, "total_cost_usd": total}));
                reader.read(&result)[0].1.cost
            };
            totals.iter().map(cost).collect::<Vec<_>>()
        };
        assert_eq!(costs(false, &[0.5, 0.75]), [Some(0.5), Some(0.25)]);
        assert_eq!(costs(true, &[7.5, 7.75]), [None, Some(0.25)]);
        assert_eq!(
            costs(false, &[0.5, 0.25]),
            [Some(0.5), Some(0.25)],
            "after /clear"
        );
    }
}
