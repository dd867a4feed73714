//! Hooks in a run that continues after its first result.

use inhouse::hook::*;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;

use crate::tasks::{counting_sheep, read_past_first_result, results};
use crate::world;

/// The subagent's call comes after the first result of the query.
#[tokio::test]
async fn promise_02_hook_denies_after_the_first_result() {
    world::pinned(async |world| {
        let pipe = world.pipe("go").await;
        let wait = Turn::new().tool_use_with_id("toolu_2", "Bash", json!({"command": "cat go"}));
        let options = counting_sheep(world, true, wait);
        let denied =
            Turn::new().tool_use_with_id("toolu_3", "Bash", json!({"command": "touch denied"}));
        world
            .model
            .turn("They are being counted.")
            .once(|request| request.agent_id().is_some(), denied)
            .once(
                |request| request.agent_id().is_some(),
                Turn::new().text("Seven."),
            )
            .turn("There are seven.");
        let options = options.allow_tools(["Bash"]).hook(
            Matcher::tool("Bash"),
            async |call: PreToolUse, _| {
                let command = call.tool_input["command"].as_str();
                Ok(
                    match command.is_some_and(|command| command.starts_with("touch")) {
                        true => HookOutput::deny("nothing is written here"),
                        false => HookOutput::allow(),
                    },
                )
            },
        );

        let messages =
            read_past_first_result(world, options, async || pipe.write("go").await).await;

        assert_eq!(
            results(&messages),
            ["They are being counted.", "There are seven."]
        );
        assert!(!world.cwd().join("denied").exists());
        let requests = world.model.conversation();
        let read = requests.iter().flat_map(ModelRequest::tool_results);
        let mut read = read.filter(|result| result.id == "toolu_3");
        let denial = read.next().expect("the subagent gets its tool result");
        assert!(
            denial.text.contains("nothing is written here"),
            "{denial:?}"
        );
        world.model.assert_done();
    })
    .await;
}
