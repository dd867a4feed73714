use inhouse_macros::Open;

/// The goal toward which the CLI keeps working by itself was set, changed or dropped.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ActiveGoalMessage {
    /// The goal; `None` when there is none any more.
    pub value: Option<ActiveGoal>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A goal toward which the CLI keeps working.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ActiveGoal {
    /// When it is reached, in words.
    pub condition: String,
    /// How often the CLI has tried.
    pub iterations: Option<u64>,
    /// When it was set, in milliseconds of Unix time.
    pub set_at: Option<f64>,
    /// Tokens that had been used by then.
    pub tokens_at_start: Option<u64>,
    /// Why it was not reached the last time.
    pub last_reason: Option<String>,
}
