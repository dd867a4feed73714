use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// Asks which hooks the settings configure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetHooksListing {}

impl GetHooksListing {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetHooksListing {
    const SUBTYPE: &'static str = "get_hooks_listing";
    type Reply = GetHooksListingReply;
}

/// The reply to [`GetHooksListing`].
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetHooksListingReply {
    /// Events that have hooks.
    pub events: Vec<Value>,
    /// The hooks.
    pub hooks: Vec<Value>,
    /// All events that there are.
    pub event_catalog: Vec<HookEventInfo>,
    /// What an administrator has decided about hooks.
    pub policy: HookPolicy,
    /// Whether the session runs without customization for safety.
    pub safe_mode: Option<bool>,
    /// Whether the session runs bare.
    pub bare_mode: Option<bool>,
    /// What is wrong with the settings.
    pub errors: Option<Vec<Value>>,
}

/// An event that hooks can be hung on.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookEventInfo {
    /// Its name, such as `PreToolUse`.
    pub name: String,
    /// When it happens, for people.
    pub summary: Option<String>,
    /// Whether a matcher can narrow it.
    pub supports_matcher: Option<bool>,
}

/// What an administrator has decided about hooks.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookPolicy {
    /// Whether hooks are forbidden.
    pub disabled_by_policy: Option<bool>,
    /// Whether only managed hooks run.
    pub managed_only: Option<bool>,
    /// Whether only hooks of plugins run.
    pub plugin_only: Option<bool>,
    /// Whether no hooks run at all.
    pub all_disabled: Option<bool>,
    /// How many managed hooks there are.
    pub policy_hook_count: Option<u64>,
}
