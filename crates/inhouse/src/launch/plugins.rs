use inhouse_proto::control::outgoing;

use super::plan::Builder;
use super::problems::Problems;
use crate::options::{Options, Plugin, PluginDelivery};

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let plugins = options.plugins.plugins.iter();
    problems.reject_empty_each("plugin", plugins.map(|plugin| &plugin.path));
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let plugins = &options.plugins.plugins;
    match options.plugins.delivery {
        PluginDelivery::Initialize if plugins.is_empty() => {}
        PluginDelivery::Initialize => {
            builder.args.switch("await-initialize");
            builder.initialize.plugins = Some(plugins.iter().map(to_wire).collect());
        }
        PluginDelivery::Argv => {
            for plugin in plugins {
                let flag = if plugin.skip_mcp_discovery {
                    "plugin-dir-no-mcp"
                } else {
                    "plugin-dir"
                };
                builder.args.value(flag, &plugin.path);
            }
        }
    }
}

fn to_wire(plugin: &Plugin) -> outgoing::PluginConfig {
    let sent = outgoing::PluginConfig::local(&plugin.path);
    if plugin.skip_mcp_discovery {
        sent.skip_mcp_discovery()
    } else {
        sent
    }
}
