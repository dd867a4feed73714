//! Plugins of a session.

use std::fs;
use std::path::{Path, PathBuf};

use inhouse::control::outgoing::{PluginConfig, ReloadPlugins};
use inhouse::options::{Plugin, Skills};
use serde_json::json;

use super::skills::{use_skill, write_skill};
use super::{init_of, last_request};
use crate::mcp::script;
use crate::world::{self, World};

/// Writes a plugin without content.
fn write_plugin(world: &World) -> PathBuf {
    let plugin = world.isolation().root().join("harbour");
    fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
    let manifest = json!({"name": "harbour", "version": "1.2.3", "description": "Ships."});
    let manifest_path = plugin.join(".claude-plugin/plugin.json");
    fs::write(manifest_path, manifest.to_string()).unwrap();
    plugin
}

#[tokio::test]
async fn plugin_adds_its_skill_its_agent_and_its_command() {
    world::pinned(async |world| {
        let plugin = write_plugin(world);
        fs::create_dir(plugin.join("agents")).unwrap();
        fs::create_dir(plugin.join("commands")).unwrap();
        write_skill(&plugin.join("skills"), "tides", "High water is at noon.");
        let agent = "---\nname: pilot\ndescription: Steers ships.\n---\nYou are a pilot.\n";
        fs::write(plugin.join("agents/pilot.md"), agent).unwrap();
        fs::write(plugin.join("commands/dock.md"), "Dock the ship.\n").unwrap();
        use_skill(world, "harbour:tides");
        let options = world
            .options()
            .setting_sources([])
            .plugin(&plugin)
            .skills(Skills::only(["harbour:tides"]));
        let mut client = world.connect(options).await;

        let init = init_of(world, &mut client).await;

        let loaded = init.plugins.unwrap();
        assert_eq!(loaded[0].name, "harbour");
        assert_eq!(loaded[0].version.as_deref(), Some("1.2.3"));
        let contains = |list: Option<Vec<String>>, name: &str| {
            let list = list.unwrap();
            assert!(list.contains(&name.to_owned()), "{name} is not in {list:?}");
        };
        contains(init.skills, "harbour:tides");
        contains(init.agents, "harbour:pilot");
        contains(init.slash_commands, "harbour:dock");
        assert!(last_request(world).contains("High water is at noon."));
    })
    .await;
}

#[tokio::test]
async fn plugin_that_cannot_be_loaded_is_reported() {
    world::pinned(async |world| {
        let plugin = world.isolation().root().join("broken");
        fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
        fs::write(plugin.join(".claude-plugin/plugin.json"), "{").unwrap();
        world.model.turn("Done.");
        let mut client = world.connect(world.options().plugin(&plugin)).await;

        let init = init_of(world, &mut client).await;

        let errors = init.plugin_errors.expect("the error is reported");
        assert_eq!(errors.len(), 1, "{errors:?}");
        world.model.assert_done();
    })
    .await;
}

/// Adds a hook and an MCP server to a plugin.
fn add_programs(world: &World, plugin: &Path) -> PathBuf {
    let started = world.cwd().join("started");
    fs::create_dir(plugin.join("hooks")).unwrap();
    let command = format!("touch {}", started.display());
    let hook = json!({"type": "command", "command": command});
    let hooks = json!({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}});
    fs::write(plugin.join("hooks/hooks.json"), hooks.to_string()).unwrap();
    let server = json!({"command": "/bin/sh", "args": [script(world)], "env": {"LINE": "Ahoy!"}});
    let servers = json!({"mcpServers": {"parrot": server}});
    fs::write(plugin.join(".mcp.json"), servers.to_string()).unwrap();
    started
}

async fn servers_of(world: &World, plugin: Plugin) -> Vec<String> {
    world.model.turn("Done.");
    let options = world.options().setting_sources([]).plugin(plugin);
    let mut client = world.connect(options).await;
    assert_eq!(world.ask(&mut client, "Begin.").await, "Done.");
    let servers = client.control().wait_mcp_ready().await.unwrap();
    servers.into_iter().map(|server| server.name).collect()
}

#[tokio::test]
async fn plugin_runs_its_hooks_and_servers() {
    world::pinned(async |world| {
        let plugin = write_plugin(world);
        let started = add_programs(world, &plugin);

        let servers = servers_of(world, Plugin::local(&plugin)).await;

        assert_eq!(servers, ["plugin:harbour:parrot"]);
        assert!(started.exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn servers_of_a_plugin_can_be_ignored() {
    world::pinned(async |world| {
        let plugin = write_plugin(world);
        let started = add_programs(world, &plugin);

        let servers = servers_of(world, Plugin::local(&plugin).skip_mcp_discovery(true)).await;

        assert_eq!(servers, [""; 0]);
        assert!(started.exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn plugin_is_added_to_a_running_session() {
    world::pinned(async |world| {
        let plugin = write_plugin(world);
        write_skill(&plugin.join("skills"), "tides", "High water is at noon.");
        use_skill(world, "harbour:tides");
        let options = world.options().setting_sources([]).skills(Skills::all());
        let mut client = world.connect(options).await;

        let request = ReloadPlugins::new().add_plugins(vec![PluginConfig::local(&plugin)]);
        let reply = client.control().request(request).await.unwrap();
        assert_eq!(world.ask(&mut client, "High water?").await, "Done.");

        let names: Vec<_> = reply.plugins.iter().map(|plugin| &plugin.name).collect();
        assert!(names.contains(&&"harbour".to_owned()), "{names:?}");
        assert!(last_request(world).contains("High water is at noon."));
    })
    .await;
}
