//! A grandchild that outlives the CLI holds its stdout open.

use inhouse::{ErrorKind, ExitStatus};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;

use crate::support::{connect, failed, seconds, timed};

/// How long the driver reads after the CLI has exited.
const DRAIN: u64 = 1;

#[tokio::test(start_paused = true)]
async fn session_ends_although_a_grandchild_survives_and_holds_stdout() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let (end, took) = timed(client.messages().next()).await;
        assert!(client.messages().next().await.is_none());
        (failed(end.expect("the last item is an error")), took)
    };
    let cli = async move {
        cli.hold_stdout();
        cli.ignore_kill();
        cli.accept().await;
        cli.exit(ExitStatus::with_code(4));
    };
    let ((error, took), ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(4)));
    assert_eq!(took, seconds(DRAIN));
}

// `ChildTransport` kills the process group when the CLI exits. With another transport only the driver can
// kill the remaining processes.
#[tokio::test(start_paused = true)]
async fn peer_is_killed_as_soon_as_it_has_exited() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        timed(client.messages().next()).await.1
    };
    let cli = async move {
        cli.hold_stdout();
        cli.accept().await;
        cli.exit(ExitStatus::with_code(0));
    };
    let (took, ()) = join(host, cli).await;
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn request_that_expires_as_the_session_ends_reports_a_timeout() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().with_timeout(seconds(DRAIN));
        timed(control.interrupt()).await
    };
    let cli = async move {
        cli.hold_stdout();
        cli.ignore_kill();
        cli.accept().await;
        let _unanswered = cli.expect_request("interrupt").await;
        cli.exit(ExitStatus::with_code(0));
    };
    let ((outcome, took), ()) = join(host, cli).await;
    assert_eq!(took, seconds(DRAIN));
    let error = failed(outcome);
    assert!(error.is_timeout(), "{error}");
}
