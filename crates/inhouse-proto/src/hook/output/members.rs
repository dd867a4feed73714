use std::time::Duration;

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::hook::capability::DecisionForm;

/// Members of an output as they are on the wire, independent of the event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Members {
    /// Top-level members, which are common to all events.
    general: Map<String, Value>,
    /// Members of `hookSpecificOutput`.
    specific: Map<String, Value>,
    /// Set if the output is asynchronous, with its optional timeout.
    detached: Option<Option<Duration>>,
}

impl Members {
    pub(super) fn detached(timeout: Option<Duration>) -> Self {
        Self {
            detached: Some(timeout),
            ..Self::default()
        }
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.general.insert(name.to_owned(), value.into());
    }

    pub(super) fn set_specific(&mut self, name: &str, value: impl Into<Value>) {
        self.specific.insert(name.to_owned(), value.into());
    }

    /// Sets the decision and its reason in the form that the event requires.
    pub(super) fn decide(&mut self, form: DecisionForm, behavior: &str, reason: Option<String>) {
        let (behavior_name, reason_name, members) = match form {
            DecisionForm::PermissionDecision => (
                "permissionDecision",
                "permissionDecisionReason",
                &mut self.specific,
            ),
            DecisionForm::DecisionObject => ("behavior", "message", self.decision()),
        };
        members.insert(behavior_name.to_owned(), behavior.into());
        if let Some(reason) = reason {
            members.insert(reason_name.to_owned(), reason.into());
        }
    }

    /// Sets a member that accompanies an allow decision. In a decision object, an absent `behavior` becomes `allow`,
    /// because the CLI requires one.
    pub(super) fn set_allowed(&mut self, form: DecisionForm, name: &str, value: Value) {
        let members = match form {
            DecisionForm::PermissionDecision => &mut self.specific,
            DecisionForm::DecisionObject => {
                let decision = self.decision();
                decision.entry("behavior").or_insert_with(|| "allow".into());
                decision
            }
        };
        members.insert(name.to_owned(), value);
    }

    /// Returns the decision object of the output, and creates it if necessary.
    pub(super) fn decision(&mut self) -> &mut Map<String, Value> {
        let decision = self.specific.entry("decision").or_insert(Value::Null);
        if !decision.is_object() {
            *decision = Map::new().into();
        }
        decision.as_object_mut().expect("the decision is an object")
    }

    pub(super) fn serialize_for<S: Serializer>(
        &self,
        event: &str,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(timeout) = &self.detached {
            // The CLI ignores all other members of an asynchronous output.
            map.serialize_entry("async", &true)?;
            if let Some(timeout) = timeout {
                map.serialize_entry("asyncTimeout", &milliseconds(*timeout))?;
            }
            return map.end();
        }
        for (name, value) in &self.general {
            map.serialize_entry(name, value)?;
        }
        if !self.specific.is_empty() {
            check_input(&self.specific)?;
            let specific = Specific {
                hook_event_name: event,
                members: &self.specific,
            };
            map.serialize_entry("hookSpecificOutput", &specific)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    #[serde(flatten)]
    members: &'a Map<String, Value>,
}

/// Rejects an `updatedInput` that is not an object: the CLI would discard the whole output, and a call that the output
/// denies would run.
fn check_input<E: Error>(specific: &Map<String, Value>) -> Result<(), E> {
    let decision = specific.get("decision").and_then(Value::as_object);
    for members in [Some(specific), decision].into_iter().flatten() {
        if members
            .get("updatedInput")
            .is_some_and(|input| !input.is_object())
        {
            return Err(E::custom(
                "the changed input of a tool is not a JSON object",
            ));
        }
    }
    Ok(())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
