use inhouse::hook::capability::Blocks;
use inhouse::hook::*;
use inhouse::{HandlerError, Options};
use inhouse_testkit::FakeCli;
use serde::Deserialize;
use serde_json::json;

use crate::support::{failure, input, output};

#[tokio::test(start_paused = true)]
async fn raw_hook_receives_and_returns_json() {
    let options =
        Options::new().raw_hook("Coffee", Matcher::pattern("arab.*"), async |input, _| {
            match input["cups"].as_u64() {
                Some(cups) => Ok(json!({"systemMessage": format!("{cups} cups")})),
                None => Err(HandlerError::new("no cups")),
            }
        });
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert_eq!(
            initialize["hooks"],
            json!({"Coffee": [{"matcher": "arab.*", "hookCallbackIds": ["hook_0"]}]})
        );
        let two = output(cli, "hook_0", input("Coffee", json!({"cups": 2}))).await;
        assert_eq!(two, json!({"systemMessage": "2 cups"}));
        let error = failure(cli, "hook_0", json!({})).await;
        assert_eq!(error, "the hook for Coffee failed: no cups");
    })
    .await;
}

#[derive(Deserialize)]
struct Coffee {
    #[serde(flatten)]
    common: HookCommon,
    cups: u64,
}

impl HookEvent for Coffee {
    const NAME: &'static str = "Coffee";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}

impl Blocks for Coffee {}

#[tokio::test(start_paused = true)]
async fn event_of_a_newer_cli_can_be_typed_by_the_user() {
    let options = Options::new().hook(Matcher::any(), async |event: Coffee, _| {
        Ok(HookOutput::block(format!(
            "{} cups are too many",
            event.cups
        )))
    });
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert!(initialize["hooks"]["Coffee"].is_array());
        let many = output(cli, "hook_0", input("Coffee", json!({"cups": 9}))).await;
        assert_eq!(many["reason"], "9 cups are too many");
    })
    .await;
}
