use serde_json::{Map, Value};

use crate::permission::{PermissionBehavior, Policy};

/// Adds the rules of a policy to the `permissions` of the settings, whose own rules stay.
///
/// Settings, and not `--allowedTools`: that flag cuts a rule apart at every blank and comma behind
/// a closing parenthesis, also inside of a content. `Bash(echo (a) b)` would become the two rules
/// `Bash(echo (a)` and `b)`, and nobody would be told (2.1.325).
pub(super) fn merge(settings: Option<Value>, policy: &Policy) -> Map<String, Value> {
    let mut merged = match settings {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    for (behavior, name) in [
        (PermissionBehavior::Allow, "allow"),
        (PermissionBehavior::Deny, "deny"),
        (PermissionBehavior::Ask, "ask"),
    ] {
        let rules = policy.rules_that(&behavior);
        if rules.is_empty() {
            continue;
        }
        let list = merged
            .entry(name)
            .or_insert_with(|| Value::Array(Vec::new()));
        if !list.is_array() {
            *list = Value::Array(Vec::new());
        }
        let Value::Array(list) = list else { continue };
        for rule in rules.into_iter().map(Value::String) {
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(settings: Value, policy: &Policy) -> Value {
        Value::Object(merge(Some(settings), policy))
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
    fn what_is_no_list_does_not_keep_a_denial_from_holding() {
        let policy = Policy::new().deny("Bash");
        assert_eq!(
            merged(json!({"deny": "Read"}), &policy),
            json!({"deny": ["Bash"]})
        );
        assert_eq!(
            merged(json!("nonsense"), &policy),
            json!({"deny": ["Bash"]})
        );
    }
}
