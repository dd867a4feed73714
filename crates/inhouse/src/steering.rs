use std::fmt;

use tokio::sync::watch;

/// The receipt of a prompt that [steers](crate::Turn::steer) a turn: its id and its state.
///
/// The state changes as the turn is read.
///
/// ```
/// use inhouse::SteerState;
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play(inhouse::Options::new(), async |client| {
/// let mut turn = client.send("How far is the moon?").await?;
/// let receipt = turn.steer("Use metric units.").await?;
/// assert_eq!(receipt.state(), SteerState::Sent);
/// # turn.finish().await?;
/// # Ok(()) }, async |cli| {
/// #     cli.expect_prompt().await;
/// #     cli.expect_prompt().await;
/// #     cli.turn("384,400 km").await;
/// #     cli.turn("384,400 km, as said.").await;
/// # }));
/// ```
#[derive(Clone)]
pub struct SteerReceipt {
    prompt_id: String,
    state: watch::Receiver<SteerState>,
}

impl SteerReceipt {
    pub(crate) fn new(prompt_id: String, state: watch::Receiver<SteerState>) -> Self {
        Self { prompt_id, state }
    }

    /// Returns the id of the prompt.
    ///
    /// [`Control::cancel_prompt`](crate::Control::cancel_prompt) takes it as long as the prompt is queued.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # let (id, sent) = run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let mut turn = client.send("How far is the moon?").await?;
    /// let receipt = turn.steer("Use metric units.").await?;
    /// let id = receipt.prompt_id().to_owned();
    /// # turn.finish().await?;
    /// # Ok(id) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     let steering = cli.expect_prompt().await;
    /// #     cli.turn("384,400 km").await;
    /// #     cli.turn("384,400 km, as said.").await;
    /// #     steering.uuid().map(str::to_owned)
    /// # }));
    /// # assert_eq!(Some(id), sent);
    /// ```
    #[must_use]
    pub fn prompt_id(&self) -> &str {
        &self.prompt_id
    }

    /// Returns the state of the prompt, as far as the turn has been read.
    ///
    /// ```
    /// use inhouse::SteerState;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let mut turn = client.send("Measure the garden.").await?;
    /// let receipt = turn.steer("Use metric units.").await?;
    /// turn.finish().await?;
    /// assert_eq!(receipt.state(), SteerState::Joined);
    /// # Ok(()) }, async |cli| {
    /// #     let first = cli.expect_prompt().await.uuid().unwrap().to_owned();
    /// #     let second = cli.expect_prompt().await.uuid().unwrap().to_owned();
    /// #     cli.state("running").await;
    /// #     for (id, state) in [(&first, "started"), (&second, "started"), (&second, "completed")] {
    /// #         let line = serde_json::json!({"type": "command_lifecycle", "command_uuid": id, "state": state});
    /// #         cli.send(line).await;
    /// #     }
    /// #     cli.result("12 m²").await;
    /// #     cli.state("idle").await;
    /// # }));
    /// ```
    #[must_use]
    pub fn state(&self) -> SteerState {
        *self.state.borrow()
    }
}

impl fmt::Debug for SteerReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteerReceipt")
            .field("prompt_id", &self.prompt_id)
            .field("state", &self.state())
            .finish()
    }
}

/// The state of a prompt that steers a turn.
///
/// ```
/// use inhouse::SteerState;
///
/// /// Whether the prompt gets a separate result.
/// fn waits(state: SteerState) -> bool {
///     !matches!(state, SteerState::Joined | SteerState::Cancelled)
/// }
/// assert!(waits(SteerState::OwnTurn));
/// assert!(!waits(SteerState::Joined));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SteerState {
    /// The prompt was written. The CLI has not acknowledged it yet; 2.1.197 never does.
    Sent,
    /// The CLI has put the prompt into its queue.
    Queued,
    /// The prompt has become part of the running turn, and is answered by its result.
    Joined,
    /// The prompt has started a turn after the one that it was sent in, and gets a separate result.
    OwnTurn,
    /// The prompt was cancelled before the model saw it.
    Cancelled,
}
