use std::time::Duration;

use super::Options;
use crate::process::ShutdownTiming;

#[derive(Clone, Debug, Default)]
pub(crate) struct TimeoutOptions {
    pub(crate) control: Option<Duration>,
    pub(crate) connect: Option<Duration>,
    pub(crate) background_ceiling: Option<Duration>,
    pub(crate) shutdown: ShutdownTiming,
}

/// Options for timeouts and shutdown.
impl Options {
    /// Sets how long a control request may take before it fails with `Timeout`.
    ///
    /// Default: 60 s.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::Options;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().control_timeout(Duration::from_secs(5));
    /// # run(FakeCli::play(options, async |client| {
    /// let error = client.control().set_model(Some("opus")).await.unwrap_err();
    /// assert_eq!(error.kind(), inhouse::ErrorKind::Timeout);
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_request("set_model").await;
    /// #     cli.expect_cancel().await;
    /// # }));
    /// ```
    pub fn control_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.control = Some(timeout);
        self
    }

    /// Sets how long the CLI may take to start and to answer `initialize`.
    ///
    /// Connecting fails with `Timeout` afterwards, and the CLI is killed. Default: 60 s.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let options = Options::new().connect_timeout(Duration::from_secs(90));
    /// assert_eq!(Plan::for_transport(&options)?.connect_timeout, Duration::from_secs(90));
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.connect = Some(timeout);
        self
    }

    /// Sets how long a [`query`](crate::query()) waits for background tasks after the last turn
    /// before it closes the CLI's stdin; zero means no limit.
    ///
    /// The CLI gets the same limit in `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS`. Default: the value of
    /// that variable, else 600 s.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().background_ceiling(Duration::from_secs(7)));
    /// assert_eq!(cli.env("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"), Some("7000"));
    /// ```
    pub fn background_ceiling(mut self, ceiling: Duration) -> Self {
        self.timeouts.background_ceiling = Some(ceiling);
        self
    }

    /// Sets how long a shutdown waits for the CLI to exit after its stdin is closed, and then after
    /// TERM, before it kills the CLI.
    ///
    /// Default: 5 s each.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::launch::Plan;
    /// use inhouse::options::{Options, ShutdownTiming};
    ///
    /// let timing = ShutdownTiming::default().grace(Duration::from_secs(1));
    /// let plan = Plan::for_transport(&Options::new().shutdown(timing))?;
    /// assert_eq!(plan.shutdown.grace, Duration::from_secs(1));
    /// assert_eq!(plan.shutdown.term, Duration::from_secs(5));
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn shutdown(mut self, timing: ShutdownTiming) -> Self {
        self.timeouts.shutdown = timing;
        self
    }
}
