//! A session whose store encrypts what it keeps.

use std::error::Error as _;

use inhouse::message::Prompt;
use inhouse::{Client, ErrorKind, query};
use inhouse_store::SessionStore as _;
use inhouse_store::encrypt::{EncryptedStore, EncryptionKeys};
use inhouse_testkit::FakeCli;
use serde_json::json;

use crate::resume::{Machine, OTHER, SESSION};
use crate::support::failed;

#[tokio::test(start_paused = true)]
async fn session_of_an_encrypted_store_is_resumed_with_its_key_only() {
    let machine = &Machine::new();
    let options = |key| {
        let inner = machine.store.inner().clone();
        let store = EncryptedStore::new(inner, EncryptionKeys::new([key; 32]));
        machine.options().store(store)
    };
    let prompt = || Prompt::from("The secret?").uuid(OTHER);
    FakeCli::play_with(
        async |transport| {
            let options = options(1).session_id(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.finish().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            let entry =
                json!({"type": "user", "uuid": OTHER, "message": {"content": "The secret?"}});
            let frame =
                json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]});
            cli.send(frame).await;
            cli.turn("Swordfish.").await;
        },
    )
    .await;
    let session = machine.session(SESSION);
    for stream in [session.main(), session.stream("results").unwrap()] {
        let entries = machine.store.inner().read(&stream).await.unwrap();
        let text = String::from_utf8_lossy(&entries.concat()).into_owned();
        assert!(!text.is_empty());
        assert!(!text.contains("secret") && !text.contains("Swordfish"));
    }

    let (answer, ()) = FakeCli::play_with(
        async |transport| {
            let options = options(1).resume(SESSION);
            let query = query(prompt()).options(options).transport(transport);
            query.await?.text().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(answer, "Swordfish.");

    let (transport, _cli) = FakeCli::new();
    let error = failed(Client::connect_with(options(2).resume(SESSION), transport).await);
    assert_eq!(error.kind(), ErrorKind::Store);
    let cause = error.source().expect("the error of the store").to_string();
    assert!(cause.contains("add that key"), "{cause}");
}
