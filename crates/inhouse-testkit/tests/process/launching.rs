//! What a real process sees of how it was started.

use inhouse_testkit::Script;

use crate::harness::{Stage, within};

#[tokio::test]
async fn trap_23_a_value_that_starts_with_a_dash_stays_a_value() {
    let stage = Stage::new(&Script::new().echo());
    let options = stage.options().model("--dangerous").env("LD_NOTHING", "1");
    let client = within(inhouse::Client::connect(options)).await.unwrap();
    within(client.close()).await.unwrap();
    let record = stage.record().unwrap();
    assert!(
        record.args.contains(&"--model=--dangerous".to_owned()),
        "{:?}",
        record.args
    );
    assert!(
        record.args.iter().all(|arg| arg.starts_with("--")),
        "{:?}",
        record.args
    );
    assert!(record.env.contains("LD_NOTHING"), "{:?}", record.env);
    stage.assert_gone();
}

#[tokio::test]
async fn trap_23_a_prompt_longer_than_any_argument_arrives() {
    let stage = Stage::new(&Script::new().echo());
    let options = stage.options().system_prompt("x".repeat(300 * 1024));
    let client = within(inhouse::Client::connect(options)).await.unwrap();
    within(client.close()).await.unwrap();
    stage.assert_gone();
}
