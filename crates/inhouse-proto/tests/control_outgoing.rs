//! Checks the exact JSON of every request that the host sends, and that every member of its reply is decoded.

mod support;

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use inhouse_proto::control::outgoing::*;
use inhouse_proto::control::{ControlRequest, Effort, PermissionMode, encode};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use support::unread;

const DECLARED: [&str; 37] = [
    "initialize",
    "interrupt",
    "set_permission_mode",
    "set_model",
    "set_max_thinking_tokens",
    "mcp_status",
    "mcp_message",
    "mcp_set_servers",
    "mcp_reconnect",
    "mcp_toggle",
    "mcp_call",
    "mcp_read_resource",
    "rewind_files",
    "stop_task",
    "background_tasks",
    "get_task_output",
    "cancel_async_message",
    "seed_read_state",
    "read_file",
    "get_context_usage",
    "get_usage",
    "get_session_cost",
    "get_settings",
    "apply_flag_settings",
    "update_settings",
    "get_hooks_listing",
    "list_permission_rules",
    "list_models",
    "get_binary_version",
    "file_suggestions",
    "rename_session",
    "set_color",
    "register_repo_root",
    "reload_plugins",
    "reload_skills",
    "reload_output_styles",
    "set_has_subscribers",
];

/// Checks requests against expected JSON, and records their subtypes.
#[derive(Default)]
struct Golden {
    seen: Vec<&'static str>,
}

impl Golden {
    /// Checks a request whose reply carries the requested data: a reply without a payload is an error.
    fn check_query<R>(&mut self, request: R, body: Value, payload: Value)
    where
        R: ControlRequest,
        R::Reply: Debug,
    {
        self.check(&request, &body, &payload);
        assert!(
            R::reply(None).is_err(),
            "{} must require a payload",
            R::SUBTYPE
        );
    }

    /// Checks a request whose reply only confirms it: the payload may be absent.
    fn check_command<R>(&mut self, request: R, body: Value, payload: Value)
    where
        R: ControlRequest,
        R::Reply: Debug,
    {
        self.check(&request, &body, &payload);
        for absent in [None, Some("null")] {
            R::reply(absent).expect("a confirmation without a payload is valid");
        }
    }

    fn check<R>(&mut self, request: &R, body: &Value, payload: &Value)
    where
        R: ControlRequest,
        R::Reply: Debug,
    {
        let text = encode(request).expect("a request is serializable");
        let sent: Value = serde_json::from_str(&text).expect("a request is JSON");
        assert_eq!(sent, *body, "{}", R::SUBTYPE);
        assert!(text.starts_with(r#"{"subtype":"#), "{text}");

        let decoded = |payload: &Value| match R::reply(Some(&payload.to_string())) {
            Ok(reply) => format!("{reply:?}"),
            Err(error) => format!("error: {error}"),
        };
        let whole = decoded(payload);
        assert!(!whole.starts_with("error: "), "{}: {whole}", R::SUBTYPE);
        assert_eq!(unread(payload, &decoded), BTreeSet::new(), "{}", R::SUBTYPE);

        let mut newer = payload.clone();
        newer["a_newer_member"] = json!({"ignored": [1, null]});
        let is_untyped = type_name::<R::Reply>() == type_name::<Value>();
        assert!(decoded(&newer) == whole || is_untyped, "{}", R::SUBTYPE);
        self.seen.push(R::SUBTYPE);
    }
}

fn raw(value: Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(&value).expect("a value is serializable")
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is not an object"),
    }
}

#[test]
fn declared_requests_and_replies_match_the_wire() {
    let mut golden = Golden::default();
    session(&mut golden);
    mcp(&mut golden);
    tasks_and_files(&mut golden);
    reports(&mut golden);
    settings(&mut golden);

    golden.seen.sort_unstable();
    let mut declared = DECLARED;
    declared.sort_unstable();
    assert_eq!(golden.seen, declared);
}

#[test]
fn undeclared_requests_and_replies_match_the_wire() {
    let mut golden = Golden::default();
    golden.check_command(
        SetMcpPermissionModeOverride::new("crm", PermissionMode::Auto),
        json!({"subtype": "set_mcp_permission_mode_override", "serverName": "crm", "mode": "auto"}),
        json!({"warning": "the session is stricter"}),
    );
    golden.check_command(
        SetMcpPermissionModeOverride::new("crm", None),
        json!({"subtype": "set_mcp_permission_mode_override", "serverName": "crm", "mode": null}),
        json!({}),
    );
    golden.check_command(
        EndSession::new(),
        json!({"subtype": "end_session"}),
        json!({}),
    );
}

fn session(golden: &mut Golden) {
    golden.check_command(
        Initialize::new().sdk_mcp_server("calc"),
        json!({"subtype": "initialize", "sdkMcpServers": ["calc"]}),
        json!({
            "commands": [
                {"name": "loop", "description": "Again", "argumentHint": "<prompt>", "aliases": ["again"], "builtin": true},
                {"name": "one", "description": "", "argumentHint": ""},
            ],
            "agents": [{"name": "Explore", "description": "Looks", "model": "inherit"}, {"name": "x", "description": "y"}],
            "models": [model()],
            "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
            "output_style": "default",
            "available_output_styles": ["default"],
            "hooks_applied": true,
            "hook_on_failure_supported": true,
            "plugins_applied": false,
            "sdk_mcp_manifests_parked": {"calc": "parked", "old": "from the future"},
            "managed_settings_applied": true,
            "code_running_mcp_tools_applied": true,
            "claude_code_version": "2.1.325",
            "fast_mode_state": "off",
            "fast_mode_disabled_reason": "sdk_opt_in_required",
            "pid": 9190,
            "current_permission_mode": "default",
            "session_state": "idle",
            "capabilities": ["ui_surface_v1"],
            "user_output_styles_dir": "/srv/styles",
            "other_hook_ask_outranks_host": true,
            "feedback_mode": {"kind": "disabled"},
            "analytics_disabled": true,
            "remote_control_available": false,
        }),
    );
    golden.check_command(
        Interrupt::new(),
        json!({"subtype": "interrupt"}),
        json!({"still_queued": ["0b7e"], "cancelled": []}),
    );
    golden.check_command(
        SetPermissionMode::new(PermissionMode::Plan),
        json!({"subtype": "set_permission_mode", "mode": "plan"}),
        json!({"mode": "plan"}),
    );
    golden.check_command(
        SetModel::new("haiku"),
        json!({"subtype": "set_model", "model": "haiku"}),
        json!({"model": "claude-haiku-4-5"}),
    );
    golden.check_command(
        SetMaxThinkingTokens::new().max_thinking_tokens(4096),
        json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 4096}),
        json!({}),
    );
    golden.check_command(
        RenameSession::new("Port scan").source(RenameSource::Host),
        json!({"subtype": "rename_session", "title": "Port scan", "source": "host"}),
        json!({}),
    );
    golden.check_command(
        SetColor::new("default"),
        json!({"subtype": "set_color", "color": "default"}),
        json!({}),
    );
    golden.check_command(
        SetHasSubscribers::new(None),
        json!({"subtype": "set_has_subscribers", "has_subscribers": null}),
        json!({}),
    );
    golden.check_command(
        RegisterRepoRoot::new("/srv/x/sub").reload_skills(true),
        json!({"subtype": "register_repo_root", "directory": "/srv/x/sub", "reload_skills": true}),
        json!({"directory": "/srv/x/sub"}),
    );
    golden.check_query(
        GetBinaryVersion::new(),
        json!({"subtype": "get_binary_version"}),
        json!({"version": "2.1.325", "buildTime": "2026-11-13T18:52:23Z"}),
    );
}

fn mcp(golden: &mut Golden) {
    golden.check_query(
        McpStatus::new(),
        json!({"subtype": "mcp_status"}),
        json!({"mcpServers": [status(), {"name": "crm", "status": "needs-auth"}]}),
    );
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    golden.check_command(
        McpMessage::new("calc", raw(changed.clone())),
        json!({"subtype": "mcp_message", "server_name": "calc", "message": changed}),
        json!({}),
    );
    golden.check_query(
        McpSetServers::new().server("calc", json!({"type": "sdk", "name": "calc"})),
        json!({"subtype": "mcp_set_servers", "servers": {"calc": {"type": "sdk", "name": "calc"}}}),
        json!({"added": ["calc"], "removed": ["old"], "errors": {"bad": "no such file"}}),
    );
    golden.check_command(
        McpReconnect::new("crm"),
        json!({"subtype": "mcp_reconnect", "serverName": "crm"}),
        json!({}),
    );
    golden.check_command(
        McpToggle::new("calc", false),
        json!({"subtype": "mcp_toggle", "serverName": "calc", "enabled": false}),
        json!({}),
    );
    golden.check_command(
        McpCall::new("mcp__crm__lookup").arguments(object(json!({"id": 4}))),
        json!({"subtype": "mcp_call", "tool": "mcp__crm__lookup", "arguments": {"id": 4}}),
        json!({"content": [{"type": "text", "text": "Ada"}]}),
    );
    golden.check_query(
        McpReadResource::new("crm", "ui://card"),
        json!({"subtype": "mcp_read_resource", "serverName": "crm", "uri": "ui://card"}),
        json!({"contents": [
            {"uri": "ui://card", "mimeType": "text/html", "text": "<p>hi</p>", "_meta": {"a": 1}},
            {"uri": "ui://icon", "blob": "AAAA"},
        ]}),
    );
}

fn tasks_and_files(golden: &mut Golden) {
    golden.check_query(
        RewindFiles::new("9d3a").dry_run(true),
        json!({"subtype": "rewind_files", "user_message_id": "9d3a", "dry_run": true}),
        json!({"canRewind": true, "filesChanged": ["a.txt"], "insertions": 1, "deletions": 0, "skippedLinks": ["l"]}),
    );
    golden.check_command(
        StopTask::new("t1"),
        json!({"subtype": "stop_task", "task_id": "t1"}),
        json!({}),
    );
    golden.check_command(
        BackgroundTasks::new().tool_use_id("toolu_5"),
        json!({"subtype": "background_tasks", "tool_use_id": "toolu_5"}),
        json!({"backgrounded": true}),
    );
    golden.check_query(
        GetTaskOutput::new("t1"),
        json!({"subtype": "get_task_output", "task_id": "t1"}),
        json!({"output": "ok\n", "total_bytes": 3, "truncated": false}),
    );
    golden.check_query(
        CancelAsyncMessage::new("0b7e"),
        json!({"subtype": "cancel_async_message", "message_uuid": "0b7e"}),
        json!({"cancelled": true}),
    );
    golden.check_command(
        SeedReadState::new("src/a.rs", 1_731_000_000_000),
        json!({"subtype": "seed_read_state", "path": "src/a.rs", "mtime": 1_731_000_000_000_u64}),
        json!({}),
    );
    golden.check_query(
        ReadFile::new("README.md").max_bytes(1000),
        json!({"subtype": "read_file", "path": "README.md", "max_bytes": 1000}),
        json!({"contents": "# x", "absPath": "/srv/x/README.md", "lossy": false, "requested_path": "README.md"}),
    );
    golden.check_query(
        FileSuggestions::new("src/m"),
        json!({"subtype": "file_suggestions", "query": "src/m"}),
        json!({"suggestions": [{"path": "src/main.rs"}], "cwd": "/srv/x"}),
    );
    golden.check_query(
        ReloadPlugins::new().hold_on_cache_impact(true),
        json!({"subtype": "reload_plugins", "hold_on_cache_impact": true}),
        json!({
            "commands": [], "agents": [], "mcpServers": [status()], "error_count": 0, "held": false,
            "plugins": [{"name": "p", "path": "builtin", "source": "p@builtin"}],
            "cache_impact": {"tokens": 1},
        }),
    );
    golden.check_query(
        ReloadSkills::new(),
        json!({"subtype": "reload_skills"}),
        json!({"skills": [{"name": "dataviz", "description": "Charts", "argumentHint": ""}]}),
    );
    golden.check_query(
        ReloadOutputStyles::new(),
        json!({"subtype": "reload_output_styles"}),
        json!({"available_output_styles": ["default"]}),
    );
}

fn reports(golden: &mut Golden) {
    golden.check_query(
        GetContextUsage::new().detail(ContextDetail::Summary),
        json!({"subtype": "get_context_usage", "detail": "summary"}),
        json!({
            "categories": [
                {"id": "skills", "name": "Skills", "tokens": 2064, "color": "warning", "isDeferred": true, "kind": "deferred"},
                {"name": "Free space", "tokens": 954_946},
            ],
            "totalTokens": 12_054, "maxTokens": 1_000_000, "rawMaxTokens": 1_000_000, "percentage": 1,
            "gridRows": [[{
                "color": "promptBorder", "isFilled": true, "categoryName": "Skills",
                "tokens": 2064, "percentage": 0, "squareFullness": 0.3856,
            }]],
            "model": "claude-opus-5-5",
            "memoryFiles": [{"path": "/srv/x/CLAUDE.md", "type": "Project", "tokens": 12}],
            "mcpTools": [{"name": "add", "serverName": "calc", "tokens": 80, "isLoaded": false}],
            "mcpInstructions": [{"serverName": "calc", "tokens": 9}],
            "deferredBuiltinTools": [{"name": "Cron", "tokens": 3, "isLoaded": false}],
            "systemTools": [{"name": "Bash", "tokens": 700}],
            "systemPromptSections": [{"name": "intro", "tokens": 70}],
            "agents": [{"agentType": "Explore", "source": "plugin", "pluginId": "p", "path": "/a", "tokens": 5}],
            "slashCommands": {"totalCommands": 13, "includedCommands": 12, "tokens": 1102},
            "skills": {
                "totalSkills": 1, "includedSkills": 1, "tokens": 482,
                "skillFrontmatter": [{
                    "name": "dataviz", "source": "plugin", "tokens": 482, "pluginName": "charts", "pluginId": "charts@market",
                    "path": "/home/me/.claude/skills/dataviz/SKILL.md",
                }],
            },
            "autoCompactThreshold": 967_000, "autocompactSource": "model-default", "isAutoCompactEnabled": true,
            "messageBreakdown": {
                "toolCallTokens": 1, "toolResultTokens": 2, "attachmentTokens": 3,
                "assistantMessageTokens": 4, "userMessageTokens": 5,
                "redirectedContextTokens": 6, "unattributedTokens": 7,
                "toolCallsByType": [{"name": "Bash", "callTokens": 1, "resultTokens": 2}],
                "attachmentsByType": [{"name": "file", "tokens": 3}],
            },
            "apiUsage": null,
        }),
    );
    golden.check_query(
        GetUsage::new().skip_behaviors(true),
        json!({"subtype": "get_usage", "skip_behaviors": true}),
        json!({
            "session": {
                "total_cost_usd": 0.02, "total_api_duration_ms": 3, "total_duration_ms": 940.5,
                "total_lines_added": 1, "total_lines_removed": 0, "model_usage": {"m": {"inputTokens": 1}},
            },
            "subscription_type": null, "rate_limits_available": false, "rate_limits": null, "behaviors": null,
        }),
    );
    golden.check_query(
        GetSessionCost::new(),
        json!({"subtype": "get_session_cost"}),
        json!({"text": "Total cost: $0.02"}),
    );
    golden.check_query(
        GetHooksListing::new(),
        json!({"subtype": "get_hooks_listing"}),
        json!({
            "events": [], "hooks": [], "errors": [],
            "safeMode": {"managedHooksStillApply": true, "exitHint": "Restart without --safe-mode"},
            "bareMode": {"exitHint": "Restart without --bare"},
            "eventCatalog": [{"name": "PreToolUse", "summary": "Before", "supportsMatcher": true}],
            "policy": {
                "disabledByPolicy": false, "managedOnly": false, "pluginOnly": false,
                "allDisabled": false, "policyHookCount": 0, "policyUnreadable": true,
            },
        }),
    );
    golden.check_query(
        ListPermissionRules::new(),
        json!({"subtype": "list_permission_rules"}),
        json!({"state": {
            "rules": [{
                "behavior": "allow", "source": "cliArg", "rule": "Bash(ls:*)", "editability": "session",
                "description": {"prefix": "Any command starting with ", "emphasis": "ls", "suffix": "."},
                "notInEffect": true,
            }],
            "workspaceDirectories": [], "originalCwd": "/srv/x", "managedOnly": false,
            "errors": [], "withheld": null,
        }}),
    );
    golden.check_query(
        ListModels::new(),
        json!({"subtype": "list_models"}),
        json!({"models": [model(), {"value": "haiku", "displayName": "Haiku", "description": "Fast"}]}),
    );
}

fn settings(golden: &mut Golden) {
    golden.check_query(
        GetSettings::new(),
        json!({"subtype": "get_settings"}),
        json!({
            "effective": {"outputStyle": "default"},
            "sources": [{"source": "localSettings", "settings": {"outputStyle": "default"}}],
            "applied": {"model": "claude-sonnet-5"},
        }),
    );
    golden.check_command(
        ApplyFlagSettings::new(object(json!({"effortLevel": "low", "model": null}))),
        json!({"subtype": "apply_flag_settings", "settings": {"effortLevel": "low", "model": null}}),
        json!({}),
    );
    golden.check_command(
        UpdateSettings::new(SettingsFile::Local, object(json!({"outputStyle": "Concise"}))),
        json!({"subtype": "update_settings", "source": "localSettings", "settings": {"outputStyle": "Concise"}}),
        json!({}),
    );
}

fn model() -> Value {
    json!({
        "value": "default", "resolvedModel": "claude-opus-5-5", "displayName": "Default",
        "description": "The default", "supportsEffort": true,
        "supportedEffortLevels": ["low", "medium", "high", "xhigh", "max", "beyond"],
        "supportsAdaptiveThinking": true, "supportsFastMode": true, "supportsAutoMode": true,
        "supportsThinkingOff": false,
    })
}

fn status() -> Value {
    json!({
        "name": "calc", "status": "connected", "serverInfo": {"name": "calc", "version": "1.0.0"},
        "error": null, "config": {"type": "stdio", "command": "calc"}, "transport": "sdk",
        "scope": "dynamic", "source": "sdk",
        "tools": [{
            "name": "add", "description": "Adds",
            "annotations": {"readOnly": true, "destructive": false, "openWorld": false},
            "_meta": {"anthropic/alwaysLoad": true},
        }],
    })
}

#[test]
fn optional_members_are_sent_under_their_wire_names() {
    let cases = [
        (
            encode(&Interrupt::new().cancel_queued(true)),
            json!({"subtype": "interrupt", "cancel_queued": true}),
        ),
        (
            encode(&McpStatus::new().live_reply(true)),
            json!({"subtype": "mcp_status", "liveReply": true}),
        ),
        (
            encode(&ReadFile::new("x").encoding(FileEncoding::Base64)),
            json!({"subtype": "read_file", "path": "x", "encoding": "base64"}),
        ),
        (
            encode(&RenameSession::new("x").session_id("s1")),
            json!({"subtype": "rename_session", "title": "x", "session_id": "s1"}),
        ),
        (
            encode(
                &RegisterRepoRoot::new("d")
                    .reload_claude_md(true)
                    .reload_plugins(false),
            ),
            json!({"subtype": "register_repo_root", "directory": "d", "reload_claude_md": true, "reload_plugins": false}),
        ),
        (
            encode(
                &ReloadPlugins::new()
                    .add_plugins(vec![PluginConfig::local("/p").skip_mcp_discovery()])
                    .refuse_if_busy(true),
            ),
            json!({
                "subtype": "reload_plugins", "refuse_if_busy": true,
                "add_plugins": [{"type": "local", "path": "/p", "skipMcpDiscovery": true}],
            }),
        ),
        (
            encode(
                &McpCall::new("mcp__a__b")
                    .check_permissions(true)
                    .result_not_for_model(true)
                    .timeout_ms(5000)
                    .expires_at("2027-01-01T00:00:00Z")
                    .input_files(vec![McpInputFile::new("in", "/lane/in")])
                    .output_files(vec![
                        McpOutputFile::new("out", "/lane/out"),
                        McpOutputFile::new("out2", "/lane/out2").if_match("v1"),
                    ]),
            ),
            json!({
                "subtype": "mcp_call", "tool": "mcp__a__b", "check_permissions": true,
                "result_not_for_model": true, "timeout_ms": 5000, "expires_at": "2027-01-01T00:00:00Z",
                "input_files": [{"name": "in", "lane_path": "/lane/in"}],
                "output_files": [
                    {"name": "out", "lane_path": "/lane/out"},
                    {"name": "out2", "lane_path": "/lane/out2", "if_match": "v1"},
                ],
            }),
        ),
    ];
    for (text, expected) in cases {
        let text = text.expect("a request is serializable");
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("a request is JSON"),
            expected
        );
    }
}

#[test]
fn change_is_sent_as_absent_null_or_value() {
    let encode =
        |request: &SetMaxThinkingTokens| encode(request).expect("a request is serializable");
    assert_eq!(
        encode(&SetMaxThinkingTokens::new()),
        r#"{"subtype":"set_max_thinking_tokens"}"#
    );
    assert_eq!(
        encode(
            &SetMaxThinkingTokens::new()
                .max_thinking_tokens(None)
                .thinking_display(ThinkingDisplay::Omitted)
        ),
        r#"{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null,"thinking_display":"omitted"}"#
    );
    let reset =
        inhouse_proto::control::encode(&SetModel::reset()).expect("a request is serializable");
    assert_eq!(reset, r#"{"subtype":"set_model","model":null}"#);
    let mut keep = SetModel::reset();
    keep.model = Change::Keep;
    let keep = inhouse_proto::control::encode(&keep).expect("a request is serializable");
    assert_eq!(keep, r#"{"subtype":"set_model"}"#);
}

#[test]
fn initialize_sends_every_member() {
    let agent = AgentDefinition::new("Reviews diffs", "Review the diff.")
        .tools(["Read"])
        .disallowed_tools(["Bash"])
        .model("inherit")
        .mcp_servers([
            AgentMcpServer::from("calc"),
            AgentMcpServer::Inline(BTreeMap::from([(
                "crm".to_owned(),
                json!({"command": "crm"}),
            )])),
        ])
        .skills(["dataviz"])
        .initial_prompt("Begin.")
        .max_turns(4)
        .auto_compact_window(100_000)
        .background(true)
        .omit_claude_md(true)
        .memory(AgentMemory::Project)
        .effort(Effort::High)
        .permission_mode(PermissionMode::Plan)
        .observer("watcher")
        .observer_message("Watch.")
        .critical_system_reminder("Careful.");
    let request = Initialize::new()
        .hook(
            "PreToolUse",
            HookMatcher::new(["hook_0"])
                .matcher("Bash|Write")
                .timeout(Duration::from_secs(30))
                .on_failure(OnFailure::Block),
        )
        .hook(
            "Stop",
            HookMatcher::new(["hook_1", "hook_2"]).timeout(Duration::from_millis(500)),
        )
        .sdk_mcp_server("calc")
        .sdk_mcp_server_config(
            "calc",
            SdkMcpServerConfig::new()
                .timeout(Duration::from_secs(20))
                .tools([ToolPolicy::new("add", ToolPermissionPolicy::AlwaysAsk)])
                .extra("connectorId", json!("c1")),
        )
        .sdk_mcp_server_manifest("calc", raw(json!({"initializeResult": {}})))
        .sdk_mcp_server_manifests_origin("host_per_send")
        .json_schema(json!({"type": "object"}))
        .system_prompt(["You are terse."])
        .append_system_prompt("Be kind.")
        .system_prompt_snapshot(true)
        .plan_mode_instructions("Plan well.")
        .tool_alias("Shell", "Bash")
        .exclude_dynamic_sections(true)
        .agent("reviewer", agent)
        .agent(
            "thinker",
            AgentDefinition::new("Thinks", "Think.").effort(7),
        )
        .title("Port scan")
        .skills(["dataviz"])
        .prompt_suggestions(true)
        .agent_progress_summaries(true)
        .forward_subagent_text(true)
        .supported_dialog_kinds(["pick_one"])
        .per_task_stop_affordance(true)
        .plugins([PluginConfig::local("/srv/plugin")])
        .extra("workspaceTrust", json!("trusted"));
    let sent: Value = serde_json::from_str(&encode(&request).expect("a request is serializable"))
        .expect("a request is JSON");
    assert_eq!(
        sent,
        json!({
            "subtype": "initialize",
            "hooks": {
                "PreToolUse": [{"matcher": "Bash|Write", "hookCallbackIds": ["hook_0"], "timeout": 30, "onFailure": "block"}],
                "Stop": [{"hookCallbackIds": ["hook_1", "hook_2"], "timeout": 0.5}],
            },
            "sdkMcpServers": ["calc"],
            "sdkMcpServerConfigs": {"calc": {
                "timeout": 20_000,
                "tools": [{"name": "add", "permission_policy": "always_ask"}],
                "connectorId": "c1",
            }},
            "sdkMcpServerManifests": {"calc": {"initializeResult": {}}},
            "sdkMcpServerManifestsOrigin": "host_per_send",
            "jsonSchema": {"type": "object"},
            "systemPrompt": ["You are terse."],
            "appendSystemPrompt": "Be kind.",
            "systemPromptSnapshot": true,
            "planModeInstructions": "Plan well.",
            "toolAliases": {"Shell": "Bash"},
            "excludeDynamicSections": true,
            "agents": {
                "reviewer": {
                    "description": "Reviews diffs", "prompt": "Review the diff.",
                    "tools": ["Read"], "disallowedTools": ["Bash"], "model": "inherit",
                    "mcpServers": ["calc", {"crm": {"command": "crm"}}],
                    "skills": ["dataviz"], "initialPrompt": "Begin.", "maxTurns": 4,
                    "autoCompactWindow": 100_000, "background": true, "omitClaudeMd": true,
                    "memory": "project", "effort": "high", "permissionMode": "plan",
                    "observer": "watcher", "observerMessage": "Watch.",
                    "criticalSystemReminder_EXPERIMENTAL": "Careful.",
                },
                "thinker": {"description": "Thinks", "prompt": "Think.", "effort": 7},
            },
            "title": "Port scan",
            "skills": ["dataviz"],
            "promptSuggestions": true,
            "agentProgressSummaries": true,
            "forwardSubagentText": true,
            "supportedDialogKinds": ["pick_one"],
            "perTaskStopAffordance": true,
            "plugins": [{"type": "local", "path": "/srv/plugin"}],
            "workspaceTrust": "trusted",
        })
    );
    assert_eq!(
        encode(&Initialize::new()).expect("a request is serializable"),
        r#"{"subtype":"initialize"}"#
    );
}

#[test]
fn optional_member_of_wrong_type_is_decoded_as_none() {
    let payload = json!({"still_queued": "three", "cancelled": ["a"]});
    let reply = Interrupt::reply(Some(&payload.to_string()))
        .expect("a member of the wrong type is ignored");
    assert_eq!(reply.still_queued, None);
    assert_eq!(reply.cancelled.as_deref(), Some(&["a".to_owned()][..]));

    let payload = json!({"commands": [{"name": "no description"}], "pid": 7});
    let reply = Initialize::reply(Some(&payload.to_string()))
        .expect("a member of the wrong type is ignored");
    assert_eq!((reply.commands.is_none(), reply.pid), (true, Some(7)));
}

#[test]
fn error_names_the_missing_member_of_a_reply() {
    let error = ReadFile::reply(Some(r#"{"contents": "x"}"#)).expect_err("absPath is missing");
    assert!(error.to_string().contains("absPath"), "{error}");
}

#[test]
fn custom_request_needs_only_a_subtype_and_a_reply() {
    #[derive(Serialize)]
    struct GetPlan;
    impl ControlRequest for GetPlan {
        const SUBTYPE: &'static str = "get_plan";
        type Reply = Value;
    }
    assert_eq!(
        encode(&GetPlan).expect("a request is serializable"),
        r#"{"subtype":"get_plan"}"#
    );
    assert_eq!(
        GetPlan::reply(None).expect("a `Value` accepts any payload"),
        json!({})
    );
    assert_eq!(
        GetPlan::reply(Some(r#"{"exists": false}"#)).expect("a `Value` accepts any payload"),
        json!({"exists": false})
    );

    #[derive(Serialize)]
    struct Pause {
        paused: bool,
    }
    impl ControlRequest for Pause {
        const SUBTYPE: &'static str = "set_prompt_suggestions_paused";
        type Reply = ();
    }
    assert_eq!(
        encode(&Pause { paused: true }).expect("a request is serializable"),
        r#"{"subtype":"set_prompt_suggestions_paused","paused":true}"#
    );
    Pause::reply(None).expect("`()` accepts a reply without a payload");
}
