use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// Request for the hooks that the settings configure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetHooksListing {}

impl GetHooksListing {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetHooksListing {
    const SUBTYPE: &'static str = "get_hooks_listing";
    type Reply = GetHooksListingReply;
}

/// The reply to [`GetHooksListing`]: configured hooks, known events and policy.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetHooksListingReply {
    /// The events that have hooks, as the CLI sends them.
    pub events: Vec<Value>,
    /// The configured hooks, as the CLI sends them.
    pub hooks: Vec<Value>,
    /// All events that the CLI supports.
    pub event_catalog: Vec<HookEventInfo>,
    /// Restrictions that an administrator has set on hooks.
    pub policy: HookPolicy,
    /// Present if the session runs in safe mode, without customization.
    pub safe_mode: Option<HooksSafeMode>,
    /// Present if the session runs in bare mode.
    pub bare_mode: Option<HooksBareMode>,
    /// Errors found in the settings, as the CLI sends them.
    pub errors: Option<Vec<Value>>,
}

/// An event that hooks can be registered for.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookEventInfo {
    /// Name of the event, such as `PreToolUse`.
    pub name: String,
    /// Description for display of when the event occurs.
    pub summary: Option<String>,
    /// Whether a matcher can restrict the hook to some occurrences of the event.
    pub supports_matcher: Option<bool>,
}

/// Restrictions that an administrator has set on hooks.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookPolicy {
    /// Whether a policy disables hooks.
    pub disabled_by_policy: Option<bool>,
    /// Whether only managed hooks run.
    pub managed_only: Option<bool>,
    /// Whether only hooks of plugins run.
    pub plugin_only: Option<bool>,
    /// Whether no hooks run at all.
    pub all_disabled: Option<bool>,
    /// Number of managed hooks that are configured.
    pub policy_hook_count: Option<u64>,
    /// Whether the policy could not be read.
    pub policy_unreadable: Option<bool>,
}

/// Effect of safe mode on hooks.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HooksSafeMode {
    /// Whether managed hooks run nevertheless.
    pub managed_hooks_still_apply: Option<bool>,
    /// Text for display about how to leave the mode.
    pub exit_hint: Option<String>,
}

/// Effect of bare mode on hooks: none runs.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HooksBareMode {
    /// Text for display about how to leave the mode.
    pub exit_hint: Option<String>,
}
