//! The example, run as a program.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// Longer than the example takes on a loaded machine.
const LIMIT: Duration = Duration::from_secs(300);

#[tokio::test]
async fn example_kills_a_worker_and_every_prompt_is_answered_once() {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test
        .ancestors()
        .nth(2)
        .expect("target/<profile>/deps/<test>");
    let example = profile.join("examples/fleet");
    assert!(
        example.is_file(),
        "{} is missing: run `cargo build -p inhouse-fleet --example fleet`",
        example.display()
    );
    let mut command = Command::new(example);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(LIMIT, command.output()).await;
    let output = output
        .expect("the example ends")
        .expect("the example starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for expected in [
        "has killed worker-1",
        "the turn of another worker is continued",
        "charged before the call was cut off",
        "found 9 prompts answered once, in order, and 9 charges",
        "which ended with exit status: 0",
    ] {
        assert!(text.contains(expected), "{expected} is not in:\n{text}");
    }
}
