//! Conversations without faults.

use inhouse::{ExitStatus, query};
use inhouse_testkit::Script;
use serde_json::json;

use crate::support::{FakeProcess, within};

#[tokio::test]
async fn query_is_answered_and_its_process_exits() {
    let fake = FakeProcess::new(&Script::new().accept().expect_prompt().turn("42"));
    let query = query("What is 15 + 27?").options(fake.options());
    let answer = within(async { query.await?.text().await }).await.unwrap();
    assert_eq!(answer, "42");
    fake.assert_gone();
}

#[tokio::test]
async fn conversation_has_prompts_and_control_requests() {
    let script = Script::new()
        .accept()
        .answer("set_model", None)
        .refuse("interrupt", "nothing runs", Some("idle"))
        .expect_prompt()
        .ask(json!({"subtype": "juggle"}))
        .turn("first")
        .echo();
    let fake = FakeProcess::new(&script);
    let mut client = fake.connect().await.unwrap();
    let control = client.control().clone();
    within(control.set_model(Some("opus"))).await.unwrap();
    let refused = within(control.interrupt()).await.unwrap_err();
    assert_eq!(refused.code(), Some("idle"));
    for (prompt, answer) in [("one", "first"), ("two", "two")] {
        let turn = within(client.send(prompt)).await.unwrap();
        assert_eq!(within(turn.text()).await.unwrap(), answer);
    }
    assert_eq!(client.control().pid(), Some(fake.record().unwrap().pid));
    let exit = within(client.close()).await.unwrap();
    assert_eq!(exit, Some(ExitStatus::with_code(0)));
    fake.assert_gone();
}
