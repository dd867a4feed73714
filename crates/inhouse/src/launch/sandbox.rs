use serde_json::{Map, Value};

/// Lists that only grow: an option adds to what the settings deny, and takes nothing from it.
const GROWING: [[&str; 2]; 5] = [
    ["filesystem", "denyRead"],
    ["filesystem", "denyWrite"],
    ["network", "deniedDomains"],
    ["credentials", "files"],
    ["credentials", "envVars"],
];

/// Objects that make sense only as a whole.
const WHOLE: [&[&str]; 2] = [&["ripgrep"], &["network", "tlsTerminate"]];

/// Merges what an option wants into what the settings say; the option wins.
pub(super) fn merge(settings: Option<Value>, wanted: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = match settings {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    drop_disabled_filesystem(&mut merged, wanted);
    drop_foreign_proxies(&mut merged, wanted);
    overlay(&mut merged, wanted, &mut Vec::new());
    let enabled = merged.get("enabled") == Some(&Value::Bool(true));
    if enabled && !merged.contains_key("failIfUnavailable") {
        // Without it a session runs unconfined where there is no sandbox, and nobody notices.
        merged.insert("failIfUnavailable".to_owned(), Value::Bool(true));
    }
    merged
}

fn overlay<'a>(
    under: &mut Map<String, Value>,
    over: &'a Map<String, Value>,
    at: &mut Vec<&'a str>,
) {
    for (name, wanted) in over {
        at.push(name);
        match (under.get_mut(name), wanted) {
            (Some(Value::Object(under)), Value::Object(over)) if !WHOLE.contains(&&at[..]) => {
                overlay(under, over, at);
            }
            (Some(Value::Array(under)), Value::Array(over))
                if GROWING.iter().any(|it| it == &at[..]) =>
            {
                for item in over {
                    if !under.contains(item) {
                        under.push(item.clone());
                    }
                }
            }
            _ => {
                under.insert(name.clone(), wanted.clone());
            }
        }
        at.pop();
    }
}

/// An option that confines files means it, although the settings turn that part off.
fn drop_disabled_filesystem(settings: &mut Map<String, Value>, wanted: &Map<String, Value>) {
    let confines = match wanted.get("filesystem") {
        Some(filesystem) => filesystem.get("disabled").is_none(),
        None => list(wanted, "credentials", "files")
            .iter()
            .any(|file| file.get("mode").and_then(Value::as_str) == Some("deny")),
    };
    let filesystem = settings
        .get_mut("filesystem")
        .and_then(Value::as_object_mut);
    if let Some(filesystem) = filesystem.filter(|_| confines)
        && filesystem.get("disabled") == Some(&Value::Bool(true))
    {
        filesystem.remove("disabled");
    }
}

/// A proxy from the settings would decide about domains in place of the option.
fn drop_foreign_proxies(settings: &mut Map<String, Value>, wanted: &Map<String, Value>) {
    let Some(network) = wanted.get("network").and_then(Value::as_object) else {
        return;
    };
    let decides = network.contains_key("allowedDomains")
        || !list(wanted, "network", "deniedDomains").is_empty()
        || network.get("strictAllowlist") == Some(&Value::Bool(true));
    if !decides {
        return;
    }
    if let Some(settings) = settings.get_mut("network").and_then(Value::as_object_mut) {
        for port in ["httpProxyPort", "socksProxyPort"] {
            if !network.contains_key(port) {
                settings.remove(port);
            }
        }
    }
}

fn list<'a>(members: &'a Map<String, Value>, block: &str, name: &str) -> &'a [Value] {
    let list = members.get(block).and_then(|block| block.get(name));
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(settings: Value, wanted: Value) -> Value {
        let wanted = wanted.as_object().expect("an object");
        Value::Object(merge(Some(settings), wanted))
    }

    #[test]
    fn the_option_wins_key_by_key() {
        assert_eq!(
            merged(
                json!({"enabled": false, "network": {"allowLocalBinding": true}}),
                json!({"enabled": true, "failIfUnavailable": false, "network": {"allowMachLookup": ["x"]}}),
            ),
            json!({
                "enabled": true,
                "failIfUnavailable": false,
                "network": {"allowLocalBinding": true, "allowMachLookup": ["x"]},
            })
        );
    }

    #[test]
    fn what_is_denied_stays_denied() {
        assert_eq!(
            merged(
                json!({"filesystem": {"denyRead": ["a", "b"], "allowWrite": ["w"]}}),
                json!({"filesystem": {"denyRead": ["b", "c"], "allowWrite": ["v"]}}),
            ),
            json!({"filesystem": {"denyRead": ["a", "b", "c"], "allowWrite": ["v"]}})
        );
    }

    #[test]
    fn some_objects_are_replaced_whole() {
        assert_eq!(
            merged(
                json!({"ripgrep": {"command": "rg", "args": ["-j1"]}, "network": {"tlsTerminate": {"caKeyPath": "k"}}}),
                json!({"ripgrep": {"command": "my-rg"}, "network": {"tlsTerminate": {"caCertPath": "c"}}}),
            ),
            json!({"ripgrep": {"command": "my-rg"}, "network": {"tlsTerminate": {"caCertPath": "c"}}})
        );
    }

    #[test]
    fn an_option_that_confines_files_turns_confinement_on() {
        let off = json!({"filesystem": {"disabled": true}});
        assert_eq!(
            merged(off.clone(), json!({"filesystem": {"denyRead": ["x"]}})),
            json!({"filesystem": {"denyRead": ["x"]}})
        );
        let denied = json!({"credentials": {"files": [{"path": "p", "mode": "deny"}]}});
        assert_eq!(
            merged(off.clone(), denied.clone()),
            json!({"filesystem": {}, "credentials": denied["credentials"]})
        );
        let masked = json!({"credentials": {"files": [{"path": "p", "mode": "mask"}]}});
        assert_eq!(
            merged(off.clone(), masked.clone()),
            json!({"filesystem": {"disabled": true}, "credentials": masked["credentials"]})
        );
    }

    #[test]
    fn proxies_of_the_settings_go_when_the_option_decides_about_domains() {
        let proxied = json!({"network": {"httpProxyPort": 1, "socksProxyPort": 2}});
        assert_eq!(
            merged(
                proxied.clone(),
                json!({"network": {"allowedDomains": [], "socksProxyPort": 3}})
            ),
            json!({"network": {"allowedDomains": [], "socksProxyPort": 3}})
        );
        assert_eq!(
            merged(proxied.clone(), json!({"network": {"deniedDomains": []}})),
            json!({"network": {"httpProxyPort": 1, "socksProxyPort": 2, "deniedDomains": []}})
        );
    }

    #[test]
    fn a_sandbox_that_is_on_must_be_there() {
        assert_eq!(
            merged(
                json!({"enabled": true}),
                json!({"autoAllowBashIfSandboxed": true})
            ),
            json!({"enabled": true, "autoAllowBashIfSandboxed": true, "failIfUnavailable": true})
        );
        assert_eq!(
            merged(
                json!({"failIfUnavailable": false}),
                json!({"enabled": true})
            ),
            json!({"enabled": true, "failIfUnavailable": false})
        );
        assert_eq!(
            merged(json!("nonsense"), json!({"enabled": false})),
            json!({"enabled": false})
        );
    }
}
