//! Prompts and messages.

use inhouse::Options;
use inhouse::message::ContentBlock;
use inhouse::options::SystemPrompt;
use inhouse_testkit::model::Usage;
use inhouse_testkit::{Turn, text};

use super::{Cli, Outcome, add, allowed};

pub(super) async fn one_text(cli: Cli) -> Outcome {
    cli.scenario(Options::new())
        .turn("42")
        .prompt("What is 15 + 27?")
        .await
}

pub(super) async fn two_prompts(cli: Cli) -> Outcome {
    let scenario = cli.scenario(Options::new()).turn("42").turn("84");
    scenario
        .play(async |client| {
            client.send("What is 15 + 27?").await?.finish().await?;
            client.send("And doubled?").await?.finish().await?;
            Ok(())
        })
        .await
}

pub(super) async fn several_text_blocks(cli: Cli) -> Outcome {
    let turn = text("One.").text("Two.").text("Three.");
    cli.scenario(Options::new())
        .turn(turn)
        .prompt("Count.")
        .await
}

pub(super) async fn thinking(cli: Cli) -> Outcome {
    let turn = Turn::new().thinking("Better count first.").text("42");
    cli.scenario(Options::new())
        .turn(turn)
        .prompt("How many?")
        .await
}

pub(super) async fn blocks_in_the_prompt(cli: Cli) -> Outcome {
    let prompt = vec![
        ContentBlock::text("What is"),
        ContentBlock::text("15 + 27?"),
    ];
    cli.scenario(Options::new()).turn("42").prompt(prompt).await
}

pub(super) async fn unicode(cli: Cli) -> Outcome {
    cli.scenario(Options::new())
        .turn("schön – 猫 🐈")
        .prompt("Wie schön?")
        .await
}

pub(super) async fn cached_tokens(cli: Cli) -> Outcome {
    let usage = Usage::new(100, 20).cache_read(1000).cache_creation(50);
    cli.scenario(Options::new())
        .turn(text("42").usage(usage))
        .prompt("How many?")
        .await
}

pub(super) async fn system_prompt(cli: Cli) -> Outcome {
    let options = Options::new().system_prompt(SystemPrompt::text("Answer with numbers."));
    cli.scenario(options).turn("42").prompt("How many?").await
}

fn partial() -> Options {
    allowed().include_partial_messages(true)
}

pub(super) async fn partial_text(cli: Cli) -> Outcome {
    cli.scenario(partial())
        .turn("It is 42.")
        .prompt("How many?")
        .await
}

pub(super) async fn partial_thinking(cli: Cli) -> Outcome {
    let turn = Turn::new().thinking("Better count first.").text("42");
    cli.scenario(partial()).turn(turn).prompt("How many?").await
}

pub(super) async fn partial_tool_call(cli: Cli) -> Outcome {
    cli.scenario(partial())
        .turn(add())
        .turn("It is 42.")
        .prompt("How many?")
        .await
}

pub(super) async fn replayed_prompt(cli: Cli) -> Outcome {
    let options = Options::new().replay_user_messages(true);
    cli.scenario(options).turn("Hello.").prompt("Hello").await
}

pub(super) async fn rule_for_every_request(cli: Cli) -> Outcome {
    let scenario = cli.scenario(Options::new()).when(|_| true, "Yes.");
    scenario
        .play(async |client| {
            client.send("One?").await?.finish().await?;
            client.send("Two?").await?.finish().await?;
            client.send("Three?").await?.finish().await?;
            Ok(())
        })
        .await
}
