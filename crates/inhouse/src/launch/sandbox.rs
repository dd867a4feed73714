use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Lists that the option extends, so that it never drops a denial of the settings.
const EXTENDED_LISTS: [[&str; 2]; 5] = [
    ["filesystem", "denyRead"],
    ["filesystem", "denyWrite"],
    ["network", "deniedDomains"],
    ["credentials", "files"],
    ["credentials", "envVars"],
];

/// Objects that the option replaces as a whole.
const REPLACED_OBJECTS: [&[&str]; 2] = [&["ripgrep"], &["network", "tlsTerminate"]];

/// Merges the sandbox `option` into the `sandbox` of the settings; the option takes precedence.
///
/// # Errors
///
/// [`Config`](crate::error::ErrorKind::Config) if `sandbox` or a member to merge into is not an
/// object, or a list to extend is not a list. Replacing such a value could drop a denial.
pub(super) fn merge(
    settings: Option<Value>,
    option: &Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut merged = match settings {
        None => Map::new(),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(cannot_merge(&[], "an object")),
    };
    enable_filesystem(&mut merged, option);
    drop_proxies(&mut merged, option);
    overlay(&mut merged, option, &mut Vec::new())?;
    let enabled = merged.get("enabled") == Some(&Value::Bool(true));
    if enabled && !merged.contains_key("failIfUnavailable") {
        // The default of the CLI runs commands without a sandbox if the machine supports none.
        merged.insert("failIfUnavailable".to_owned(), Value::Bool(true));
    }
    Ok(merged)
}

fn overlay<'a>(
    settings: &mut Map<String, Value>,
    option: &'a Map<String, Value>,
    path: &mut Vec<&'a str>,
) -> Result<()> {
    for (name, value) in option {
        path.push(name);
        let extends = EXTENDED_LISTS.iter().any(|list| list == &path[..]);
        let replaces = REPLACED_OBJECTS.contains(&&path[..]);
        match (settings.get_mut(name), value) {
            (Some(Value::Object(existing)), Value::Object(members)) if !replaces => {
                overlay(existing, members, path)?;
            }
            (Some(_), Value::Object(_)) if !replaces => {
                return Err(cannot_merge(path, "an object"));
            }
            (Some(Value::Array(existing)), Value::Array(items)) if extends => {
                for item in items {
                    if !existing.contains(item) {
                        existing.push(item.clone());
                    }
                }
            }
            (Some(_), _) if extends => return Err(cannot_merge(path, "a list")),
            _ => {
                settings.insert(name.clone(), value.clone());
            }
        }
        path.pop();
    }
    Ok(())
}

fn cannot_merge(path: &[&str], expected: &str) -> Error {
    let path = [&["sandbox"], path].concat().join(".");
    Error::config(format!(
        "`{path}` of the settings is not {expected}, so `Options::sandbox` cannot be merged into \
         it; correct the settings"
    ))
}

/// Removes `filesystem.disabled` of the settings if the option restricts files.
fn enable_filesystem(settings: &mut Map<String, Value>, option: &Map<String, Value>) {
    let restricts_files = match option.get("filesystem") {
        Some(filesystem) => filesystem.get("disabled").is_none(),
        None => list(option, "credentials", "files")
            .iter()
            .any(|file| file.get("mode").and_then(Value::as_str) == Some("deny")),
    };
    let filesystem = settings
        .get_mut("filesystem")
        .and_then(Value::as_object_mut);
    if let Some(filesystem) = filesystem.filter(|_| restricts_files)
        && filesystem.get("disabled") == Some(&Value::Bool(true))
    {
        filesystem.remove("disabled");
    }
}

/// Removes the proxies of the settings if the option restricts domains, which those proxies would
/// decide about instead.
fn drop_proxies(settings: &mut Map<String, Value>, option: &Map<String, Value>) {
    let Some(network) = option.get("network").and_then(Value::as_object) else {
        return;
    };
    let restricts_domains = network.contains_key("allowedDomains")
        || !list(option, "network", "deniedDomains").is_empty()
        || network.get("strictAllowlist") == Some(&Value::Bool(true));
    if !restricts_domains {
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

fn list<'a>(members: &'a Map<String, Value>, object: &str, name: &str) -> &'a [Value] {
    let list = members.get(object).and_then(|object| object.get(name));
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    fn try_merge(settings: Value, option: Value) -> Result<Value> {
        let option = option.as_object().expect("the option is an object");
        merge(Some(settings), option).map(Value::Object)
    }

    fn merged(settings: Value, option: Value) -> Value {
        try_merge(settings, option).expect("valid settings")
    }

    #[test]
    fn malformed_sandbox_of_the_settings_is_rejected() {
        for (settings, named) in [
            (
                json!("nonsense"),
                "`sandbox` of the settings is not an object",
            ),
            (json!(null), "`sandbox` of the settings is not an object"),
            (
                json!({"network": true}),
                "`sandbox.network` of the settings is not an object",
            ),
            (
                json!({"network": {"deniedDomains": "a"}}),
                "`sandbox.network.deniedDomains` of the settings is not a list",
            ),
        ] {
            let error = try_merge(settings, json!({"network": {"deniedDomains": ["b"]}}));
            let error = error.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn option_overrides_single_members() {
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
    fn option_drops_no_denial_of_the_settings() {
        assert_eq!(
            merged(
                json!({"filesystem": {"denyRead": ["a", "b"], "allowWrite": ["w"]}}),
                json!({"filesystem": {"denyRead": ["b", "c"], "allowWrite": ["v"]}}),
            ),
            json!({"filesystem": {"denyRead": ["a", "b", "c"], "allowWrite": ["v"]}})
        );
    }

    #[test]
    fn some_objects_are_replaced_as_a_whole() {
        assert_eq!(
            merged(
                json!({"ripgrep": {"command": "rg", "args": ["-j1"]}, "network": {"tlsTerminate": {"caKeyPath": "k"}}}),
                json!({"ripgrep": {"command": "my-rg"}, "network": {"tlsTerminate": {"caCertPath": "c"}}}),
            ),
            json!({"ripgrep": {"command": "my-rg"}, "network": {"tlsTerminate": {"caCertPath": "c"}}})
        );
    }

    #[test]
    fn option_that_restricts_files_enables_the_filesystem_sandbox() {
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
    fn option_that_restricts_domains_drops_proxies_of_the_settings() {
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
    fn enabled_sandbox_fails_if_unavailable() {
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
    }
}
