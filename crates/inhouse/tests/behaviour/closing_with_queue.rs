//! `close` while prompts wait in the queue of the CLI.

use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;

#[tokio::test(start_paused = true)]
async fn close_cancels_queued_prompts_with_its_interrupt() {
    FakeCli::play_with(
        async |transport| {
            let mut client = Client::connect_with(Options::new(), transport).await?;
            drop(client.send("First?").await?);
            client.control().send("Second?").await?;
            client.close().await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            cli.expect_prompt().await;
            let interrupt = cli.expect_request("interrupt").await;
            assert_eq!(interrupt.body()["cancel_queued"], true);
            cli.expect_end_of_input().await;
        },
    )
    .await;
}
