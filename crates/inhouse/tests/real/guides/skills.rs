//! Skills of a session.

use std::fs;
use std::path::Path;

use inhouse::control::outgoing::ReloadSkills;
use inhouse::options::{SettingSource, Skills};
use inhouse_testkit::Turn;
use inhouse_testkit::model::ToolResult;
use serde_json::json;

use super::{init_of, last_request};
use crate::world::{self, World};

/// Writes the file of a skill.
pub(super) fn write_skill(skills: &Path, name: &str, body: &str) {
    let directory = skills.join(name);
    fs::create_dir_all(&directory).unwrap();
    let text = format!("---\nname: {name}\ndescription: Knows about {name}.\n---\n{body}\n");
    fs::write(directory.join("SKILL.md"), text).unwrap();
}

/// Scripts a model that uses a skill.
pub(super) fn use_skill(world: &World, skill: &str) {
    let call = json!({"skill": skill});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Skill", call))
        .turn("Done.");
}

#[tokio::test]
async fn selected_skill_is_used_without_a_permission_request() {
    world::pinned(async |world| {
        let skills = world.cwd().join(".claude/skills");
        write_skill(&skills, "tides", "High water is at noon.");
        write_skill(&skills, "stars", "Polaris is in the north.");
        use_skill(world, "tides");
        let options = world
            .options()
            .setting_sources([SettingSource::Project])
            .skills(Skills::only(["tides"]));
        let mut client = world.connect(options).await;

        let init = init_of(world, &mut client).await;

        let found = init.skills.unwrap();
        assert!(found.contains(&"tides".to_owned()), "{found:?}");
        let first = world.model.conversation()[0].body().to_string();
        assert!(first.contains("Knows about tides."), "{first}");
        assert!(!first.contains("Knows about stars."), "{first}");
        assert!(!first.contains("High water"), "the body is read on use");
        let last = last_request(world);
        assert!(last.contains("High water is at noon."), "{last}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn skill_that_is_not_selected_is_refused() {
    world::pinned(async |world| {
        let skills = world.cwd().join(".claude/skills");
        write_skill(&skills, "tides", "High water is at noon.");
        write_skill(&skills, "stars", "Polaris is in the north.");
        use_skill(world, "stars");
        let options = world
            .options()
            .setting_sources([SettingSource::Project])
            .skills(Skills::only(["tides"]));
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Where is north?").await, "Done.");

        let last = world.model.conversation().pop().unwrap();
        let results = last.tool_results();
        assert!(results[0].is_error, "{results:?}");
        assert!(!last.body().to_string().contains("Polaris"));
    })
    .await;
}

#[tokio::test]
async fn skills_are_not_loaded_without_setting_sources() {
    world::pinned(async |world| {
        write_skill(&world.cwd().join(".claude/skills"), "tides", "Noon.");
        world.model.turn("Done.");
        let options = world.options().setting_sources([]).skills(Skills::all());
        let mut client = world.connect(options).await;

        let init = init_of(world, &mut client).await;

        let found = init.skills.unwrap_or_default();
        assert!(!found.contains(&"tides".to_owned()), "{found:?}");
        assert!(!last_request(world).contains("Knows about tides."));
    })
    .await;
}

#[tokio::test]
async fn skill_that_is_added_later_is_found_after_a_reload() {
    world::pinned(async |world| {
        let skills = world.cwd().join(".claude/skills");
        write_skill(&skills, "tides", "High water is at noon.");
        use_skill(world, "stars");
        let options = world
            .options()
            .setting_sources([SettingSource::Project])
            .skills(Skills::all());
        let mut client = world.connect(options).await;
        write_skill(&skills, "stars", "Polaris is in the north.");

        let reply = client.control().request(ReloadSkills::new()).await.unwrap();
        assert_eq!(world.ask(&mut client, "Where is north?").await, "Done.");

        let names: Vec<_> = reply.skills.iter().map(|skill| &skill.name).collect();
        assert!(names.contains(&&"stars".to_owned()), "{names:?}");
        assert!(last_request(world).contains("Polaris is in the north."));
    })
    .await;
}

#[tokio::test]
async fn skill_of_the_user_is_used_without_a_permission_request() {
    world::pinned(async |world| {
        let of_user = world.isolation().config_dir().join("skills");
        write_skill(&of_user, "tides", "High water is at noon.");
        use_skill(world, "tides");
        let mut client = world.connect(world.options()).await;

        assert_eq!(world.ask(&mut client, "High water?").await, "Done.");

        let requests = world.model.conversation();
        let first = requests[0].body().to_string();
        assert!(first.contains("Knows about tides."), "{first}");
        assert!(last_request(world).contains("High water is at noon."));
    })
    .await;
}

#[tokio::test]
async fn session_without_skills_does_not_show_them() {
    world::pinned(async |world| {
        let skills = world.cwd().join(".claude/skills");
        write_skill(&skills, "tides", "High water is at noon.");
        world.model.turn("Done.");
        let options = world.options().skills(Skills::none());
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "High water?").await, "Done.");

        assert!(!last_request(world).contains("Knows about tides."));
    })
    .await;
}

/// Runs a session in which the model uses a skill with `allowed-tools`, and then a tool of that list.
async fn results_of_skill_with_tools(world: &World, skills: Option<Skills>) -> Vec<ToolResult> {
    let skill = world.cwd().join(".claude/skills/tides");
    fs::create_dir_all(&skill).unwrap();
    let text =
        "---\nname: tides\ndescription: Knows about tides.\nallowed-tools: Bash\n---\nRun it.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    let command = json!({"command": "touch made; echo made"});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Skill", json!({"skill": "tides"})))
        .turn(Turn::new().tool_use_with_id("toolu_2", "Bash", command))
        .turn("Done.");
    let mut options = world.options();
    if let Some(skills) = skills {
        options = options.skills(skills);
    }
    let mut client = world.connect(options).await;
    assert_eq!(world.ask(&mut client, "High water?").await, "Done.");
    let last = world.model.conversation().pop().unwrap();
    last.tool_results()
}

#[tokio::test]
async fn selected_skill_may_run_its_allowed_tools() {
    world::pinned(async |world| {
        let results = results_of_skill_with_tools(world, Some(Skills::only(["tides"]))).await;

        assert!(results.iter().all(|result| !result.is_error), "{results:?}");
        assert_eq!(results[1].text, "made");
        assert!(world.cwd().join("made").exists());
    })
    .await;
}

#[tokio::test]
async fn skill_with_allowed_tools_needs_a_permission_unless_it_is_selected() {
    world::pinned(async |world| {
        let results = results_of_skill_with_tools(world, None).await;

        assert!(results.iter().all(|result| result.is_error), "{results:?}");
        assert!(!world.cwd().join("made").exists());
    })
    .await;
}
