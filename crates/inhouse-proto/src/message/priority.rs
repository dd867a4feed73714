use inhouse_macros::Open;

/// The position at which a prompt joins the queue while a turn runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Priority {
    /// The running turn is aborted, with its tools, and the prompt starts the next one.
    Now,
    /// The prompt joins the running turn together with the results of its tools; without tools it starts the next turn.
    /// The default of the CLI.
    Next,
    /// The prompt starts a turn after the running one.
    Later,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
