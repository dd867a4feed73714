use inhouse::permission::{PermissionUpdate, Policy, Rule};
use serde_json::Value;

/// Parses permission rules: a rule as text, a tool with a content, and an update as JSON.
///
/// A valid rule has a text that parses as the same rule, an invalid one has a reason, and an update survives its JSON.
pub fn rules(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match text.parse::<Rule>() {
        Ok(rule) => assert_round_trip(&rule),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = Policy::new().allow(text).deny(text).ask(text);
    if let Some((tool, content)) = text.split_once(['(', ' '])
        && let Ok(rule) = Rule::new(tool, content)
    {
        assert_eq!(rule.tool(), tool);
        assert_round_trip(&rule);
    }
    if let Ok(update) = serde_json::from_str::<PermissionUpdate>(text) {
        let written = serde_json::to_string(&update).expect("an update serializes");
        match update {
            // Kept as it was written, except for repeated members, of which the last is in effect.
            PermissionUpdate::Unknown(value) => {
                assert_eq!(serde_json::from_str::<Value>(text).ok(), Some(value));
            }
            update => {
                let again: PermissionUpdate =
                    serde_json::from_str(&written).expect("an update is JSON");
                assert_eq!(again, update, "{written}");
            }
        }
    }
}

#[track_caller]
fn assert_round_trip(rule: &Rule) {
    let text = rule.to_string();
    match text.parse::<Rule>() {
        Ok(again) => assert_eq!(&again, rule, "{text}"),
        Err(error) => panic!("{rule:?} has the text `{text}`: {error}"),
    }
}
