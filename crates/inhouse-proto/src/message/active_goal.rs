use inhouse_macros::Open;

/// Reports that the goal that the CLI works toward without further prompts was set, changed or cleared.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ActiveGoalMessage {
    /// The goal; `None` if there is no longer one.
    pub value: Option<ActiveGoal>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// A goal that the CLI works toward without further prompts.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ActiveGoal {
    /// The condition under which the goal is reached, as text.
    pub condition: String,
    /// Number of attempts that the CLI has made.
    pub iterations: Option<u64>,
    /// Time at which the goal was set, in milliseconds since the Unix epoch.
    pub set_at: Option<f64>,
    /// Number of tokens that had been used when the goal was set.
    pub tokens_at_start: Option<u64>,
    /// Reason why the last attempt did not reach the goal.
    pub last_reason: Option<String>,
}
