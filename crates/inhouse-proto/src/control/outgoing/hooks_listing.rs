use serde_json::Value;

use super::declare::control_request;
use crate::open::open_struct;

control_request! {
    /// Asks which hooks the settings configure.
    pub struct GetHooksListing("get_hooks_listing") -> GetHooksListingReply
}

open_struct! {
    /// The reply to [`GetHooksListing`].
    pub struct GetHooksListingReply {
        /// Events that have hooks.
        pub events: Vec<Value>,
        /// The hooks.
        pub hooks: Vec<Value>,
        /// All events that there are.
        pub event_catalog as "eventCatalog": Vec<HookEventInfo>,
        /// What an administrator has decided about hooks.
        pub policy: HookPolicy,
        /// Whether the session runs without customization for safety.
        pub safe_mode as "safeMode": Option<bool>,
        /// Whether the session runs bare.
        pub bare_mode as "bareMode": Option<bool>,
        /// What is wrong with the settings.
        pub errors: Option<Vec<Value>>,
    }
}

open_struct! {
    /// An event that hooks can be hung on.
    pub struct HookEventInfo {
        /// Its name, such as `PreToolUse`.
        pub name: String,
        /// When it happens, for people.
        pub summary: Option<String>,
        /// Whether a matcher can narrow it.
        pub supports_matcher as "supportsMatcher": Option<bool>,
    }
}

open_struct! {
    /// What an administrator has decided about hooks.
    pub struct HookPolicy {
        /// Whether hooks are forbidden.
        pub disabled_by_policy as "disabledByPolicy": Option<bool>,
        /// Whether only managed hooks run.
        pub managed_only as "managedOnly": Option<bool>,
        /// Whether only hooks of plugins run.
        pub plugin_only as "pluginOnly": Option<bool>,
        /// Whether no hooks run at all.
        pub all_disabled as "allDisabled": Option<bool>,
        /// How many managed hooks there are.
        pub policy_hook_count as "policyHookCount": Option<u64>,
    }
}
