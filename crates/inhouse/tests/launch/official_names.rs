/// The options of the official TypeScript SDK, 0.3.325.
const TYPESCRIPT: [&str; 69] = [
    "model",
    "fallbackModel",
    "thinking",
    "maxThinkingTokens",
    "effort",
    "maxTurns",
    "maxBudgetUsd",
    "taskBudget",
    "betas",
    "outputFormat",
    "systemPrompt",
    "planModeInstructions",
    "agent",
    "agents",
    "skills",
    "verbatimPrompts",
    "title",
    "promptSuggestions",
    "agentProgressSummaries",
    "tools",
    "allowedTools",
    "disallowedTools",
    "toolAliases",
    "toolConfig",
    "permissionMode",
    "allowDangerouslySkipPermissions",
    "canUseTool",
    "permissionPromptToolName",
    "permissionPrompts",
    "additionalDirectories",
    "sandbox",
    "onElicitation",
    "onUserDialog",
    "supportedDialogKinds",
    "perTaskStopAffordance",
    "mcpServers",
    "strictMcpConfig",
    "plugins",
    "pluginDelivery",
    "hooks",
    "includeHookEvents",
    "continue",
    "resume",
    "sessionId",
    "forkSession",
    "resumeSessionAt",
    "resumeDropsTurn",
    "persistSession",
    "sessionStore",
    "sessionStoreFlush",
    "loadTimeoutMs",
    "enableFileCheckpointing",
    "settings",
    "managedSettings",
    "settingSources",
    "projectConfigRoot",
    "includePartialMessages",
    "forwardSubagentText",
    "cwd",
    "env",
    "pathToClaudeCodeExecutable",
    "executable",
    "executableArgs",
    "extraArgs",
    "spawnClaudeCodeProcess",
    "abortController",
    "stderr",
    "debug",
    "debugFile",
];

/// The options of the official Python SDK, 0.2.182.
const PYTHON: [&str; 50] = [
    "model",
    "fallback_model",
    "thinking",
    "max_thinking_tokens",
    "effort",
    "max_turns",
    "max_budget_usd",
    "task_budget",
    "betas",
    "output_format",
    "system_prompt",
    "agents",
    "skills",
    "verbatim_prompts",
    "tools",
    "allowed_tools",
    "disallowed_tools",
    "permission_mode",
    "can_use_tool",
    "permission_prompt_tool_name",
    "add_dirs",
    "sandbox",
    "mcp_servers",
    "strict_mcp_config",
    "plugins",
    "hooks",
    "include_hook_events",
    "continue_conversation",
    "resume",
    "session_id",
    "fork_session",
    "resume_session_at",
    "resume_drops_turn",
    "session_store",
    "session_store_flush",
    "load_timeout_ms",
    "enable_file_checkpointing",
    "settings",
    "setting_sources",
    "include_partial_messages",
    "forward_subagent_text",
    "cwd",
    "env",
    "cli_path",
    "extra_args",
    "stderr",
    "debug_stderr",
    "max_buffer_size",
    "user",
    "client_app",
];

#[test]
fn docs_table_lists_every_official_option() {
    let rows: Vec<Vec<&str>> = include_str!("../../src/options/mod.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! | "))
        .map(|row| {
            row.trim_end_matches('|')
                .split('|')
                .map(str::trim)
                .collect()
        })
        .collect();
    for (column, names) in [&TYPESCRIPT[..], &PYTHON[..]].into_iter().enumerate() {
        for name in names {
            let found: Vec<_> = rows
                .iter()
                .filter(|row| row[column] == format!("`{name}`"))
                .collect();
            assert_eq!(found.len(), 1, "`{name}` must have one row");
            assert!(found[0][2].contains("[`"), "`{name}` has no counterpart");
        }
    }
}

#[test]
fn docs_table_lists_only_official_options() {
    let rows = include_str!("../../src/options/mod.rs")
        .lines()
        .filter(|line| line.starts_with("//! | `") || line.starts_with("//! | –"));
    for row in rows {
        let mut cells = row
            .split('|')
            .skip(1)
            .map(|cell| cell.trim().trim_matches('`'));
        let (typescript, python) = (cells.next().unwrap(), cells.next().unwrap());
        assert!(
            TYPESCRIPT.contains(&typescript) || PYTHON.contains(&python),
            "neither `{typescript}` nor `{python}` is an official option"
        );
    }
}

#[test]
fn readme_says_that_every_official_option_has_a_counterpart() {
    let readme = include_str!("../../../../README.md");
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = format!(
        "All {} options of the official TypeScript SDK (0.3.325) and all {} of the Python SDK (0.2.182) have a counterpart",
        TYPESCRIPT.len(),
        PYTHON.len()
    );
    assert!(
        readme.contains(&sentence),
        "`{sentence}` is not in the README"
    );
}
