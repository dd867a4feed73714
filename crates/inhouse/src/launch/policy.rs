use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::permission::{PermissionBehavior, Policy};

/// Adds the rules of a policy to the `permissions` of the settings, and keeps the rules that are
/// already there.
///
/// Uses settings and not `--allowedTools`: that flag splits a rule at every blank and comma behind
/// a closing parenthesis, also inside its content. `Bash(echo (a) b)` would silently become the two
/// rules `Bash(echo (a)` and `b)` (2.1.325).
///
/// # Errors
///
/// [`Config`](crate::error::ErrorKind::Config) if `permissions` is not an object, or one of its
/// three lists is not a list of strings. Replacing such a value would drop a denial that the user
/// meant.
pub(super) fn merge(settings: Option<Value>, policy: &Policy) -> Result<Map<String, Value>> {
    let mut merged = match settings {
        Some(Value::Object(members)) => members,
        None => Map::new(),
        Some(_) => {
            return Err(Error::config(
                "`permissions` of the settings is not an object, so the rules of the policy cannot \
                 be added to it; write `{\"deny\": [\"Tool(pattern)\"]}`",
            ));
        }
    };
    for (behavior, name) in [
        (PermissionBehavior::Allow, "allow"),
        (PermissionBehavior::Deny, "deny"),
        (PermissionBehavior::Ask, "ask"),
    ] {
        // Checked even without a rule to add: the CLI would reject the settings as a whole.
        let mut list = match merged.get(name) {
            None => Vec::new(),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => list.clone(),
            Some(_) => {
                return Err(Error::config(format!(
                    "`permissions.{name}` of the settings is not a list of strings, so the rules of \
                     the policy cannot be added to it; write `[\"Tool(pattern)\"]`"
                )));
            }
        };
        for rule in policy.rules_with(&behavior).into_iter().map(Value::String) {
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
        if !list.is_empty() {
            merged.insert(name.to_owned(), Value::Array(list));
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    fn merged(settings: Value, policy: &Policy) -> Value {
        Value::Object(merge(Some(settings), policy).expect("the settings are well-formed"))
    }

    #[test]
    fn the_rules_join_those_of_the_settings() {
        let policy = Policy::new()
            .allow("Read")
            .deny("Bash(rm *)")
            .deny("WebFetch");
        let settings = json!({"deny": ["WebFetch", "Write"], "defaultMode": "plan"});
        let expected = json!({
            "allow": ["Read"],
            "deny": ["WebFetch", "Write", "Bash(rm *)"],
            "defaultMode": "plan",
        });
        assert_eq!(merged(settings, &policy), expected);
    }

    #[test]
    fn malformed_permissions_are_an_error() {
        let policy = Policy::new().deny("Bash");
        for (settings, named) in [
            (json!("nonsense"), "`permissions` of"),
            (json!({"deny": "Read"}), "`permissions.deny`"),
            (json!({"allow": {"Read": true}}), "`permissions.allow`"),
            (json!({"ask": ["Read", 1]}), "`permissions.ask`"),
        ] {
            let error = merge(Some(settings), &policy).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(named), "{error}");
        }
    }
}
