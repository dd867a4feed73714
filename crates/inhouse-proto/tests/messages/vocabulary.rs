use std::collections::BTreeSet;
use std::fmt::{Debug, Display};

use inhouse_proto::control::PermissionMode;
use inhouse_proto::control::outgoing::McpConnection;
use inhouse_proto::message::{
    AssistantError, FastModeDisabledReason, HookEventName, OverageDisabledReason, ResultSubtype,
    StartupFailureReason, StopReason, TerminalReason,
};
use serde::de::DeserializeOwned;

#[test]
fn assistant_errors_are_complete() {
    assert_variants::<AssistantError>(
        13,
        "authentication_failed oauth_org_not_allowed account_on_hold verification_required \
         billing_error rate_limit overloaded invalid_request model_not_found server_error unknown \
         max_output_tokens cloud_credential_error",
    );
}

#[test]
fn result_subtypes_are_complete() {
    assert_variants::<ResultSubtype>(
        5,
        "success error_during_execution error_max_turns error_max_budget_usd \
         error_max_structured_output_retries",
    );
}

#[test]
fn terminal_reasons_are_complete() {
    assert_variants::<TerminalReason>(
        19,
        "blocking_limit rapid_refill_breaker prompt_too_long image_error model_error api_error \
         malformed_tool_use_exhausted aborted_streaming aborted_tools stop_hook_prevented \
         hook_stopped tool_deferred max_turns background_requested completed budget_exhausted \
         structured_output_retry_exhausted tool_deferred_unavailable turn_setup_failed",
    );
}

#[test]
fn startup_failure_reasons_are_complete() {
    assert_variants::<StartupFailureReason>(
        23,
        "org_pin_api_key_conflict provider_not_allowed org_verify_failed org_pin_mismatch \
         managed_settings_invalid remote_settings_required_unavailable gateway_signin_required \
         gateway_access_denied proxy_invalid temp_dir_unusable cwd_unavailable shell_tool_missing \
         session_held_by_background worktree_resume_refused worktree_unverified \
         cli_version_too_old bypass_root org_config_required_unavailable org_config_refused \
         sandbox_required_unavailable initialize_not_first config_file_invalid \
         managed_settings_not_delivered",
    );
}

#[test]
fn permission_modes_are_complete() {
    assert_variants::<PermissionMode>(6, "default acceptEdits bypassPermissions plan dontAsk auto");
}

#[test]
fn fast_mode_disabled_reasons_are_complete() {
    assert_variants::<FastModeDisabledReason>(
        10,
        "free preference extra_usage_disabled network_error unknown not_first_party \
         disabled_by_env model_not_allowed sdk_opt_in_required pending",
    );
}

#[test]
fn mcp_connections_are_complete() {
    assert_variants::<McpConnection>(5, "connected failed needs-auth pending disabled");
}

#[test]
fn hook_events_are_complete() {
    assert_variants::<HookEventName>(
        33,
        "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit \
         UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop \
         PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied \
         Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange \
         WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded \
         MessageDisplay",
    );
}

#[test]
fn stop_reasons_are_complete() {
    assert_variants::<StopReason>(
        8,
        "end_turn max_tokens stop_sequence tool_use pause_turn compaction refusal \
         model_context_window_exceeded",
    );
}

#[test]
fn overage_disabled_reasons_are_complete() {
    assert_variants::<OverageDisabledReason>(
        13,
        "overage_not_provisioned org_level_disabled org_level_disabled_until out_of_credits \
         seat_tier_level_disabled member_level_disabled seat_tier_zero_credit_limit \
         group_zero_credit_limit member_zero_credit_limit org_service_level_disabled \
         no_limits_configured fetch_error unknown",
    );
}

/// Asserts that each word decodes to a variant of `T`, and that any other word is kept as `Unknown`.
#[track_caller]
fn assert_variants<T>(count: usize, words: &str)
where
    T: for<'a> From<&'a str> + Debug + Display + DeserializeOwned + PartialEq,
{
    let words: BTreeSet<_> = words.split_whitespace().collect();
    assert_eq!(words.len(), count);
    let variants: BTreeSet<_> = words
        .iter()
        .map(|word| {
            let value = T::from(word);
            assert_eq!(value.to_string(), *word);
            let decoded: T =
                serde_json::from_value((*word).into()).expect("enums decode from strings");
            assert_eq!(decoded, value);
            format!("{value:?}")
        })
        .collect();
    assert_eq!(variants.len(), count);
    assert!(
        variants
            .iter()
            .all(|variant| !variant.starts_with("Unknown(")),
        "{variants:?}"
    );
    assert_eq!(format!("{:?}", T::from("zap")), r#"Unknown("zap")"#);
    assert_eq!(T::from("zap").to_string(), "zap");
}
