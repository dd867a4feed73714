//! Ring 5: the real CLI with a scripted model.
use inhouse_testkit::{RealCli, ScriptedModel};

#[tokio::test]
async fn smoke() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn("42");
    let cli = RealCli::pinned().unwrap();
    let world = cli.isolated(&model).unwrap();
    let t = std::time::Instant::now();
    let mut stream = inhouse::query("What is 15 + 27?").options(world.options()).await.unwrap();
    println!("connected {:?}", t.elapsed());
    while let Some(m) = stream.next().await {
        println!("{:?} {:.300}", t.elapsed(), format!("{m:?}"));
    }
    println!("done {:?}", t.elapsed());
}
