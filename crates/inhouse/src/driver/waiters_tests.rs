use super::*;

// `Control::send` would find the cause by itself if its channel were just dropped; a waiter that
// depends on that is told nothing if the order of the end ever changes.
#[test]
fn end_of_the_session_fails_unwritten_prompts_with_its_cause() {
    let mut waiters = Waiters::default();
    let (done, mut written) = oneshot::channel();
    waiters.await_written(done);
    waiters.fail_all(&Error::new(ErrorKind::Exited, "the CLI ended"));
    let error = written.try_recv().expect("it is told").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exited);
}
