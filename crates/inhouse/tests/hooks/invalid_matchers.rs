use std::time::Duration;

use inhouse::Options;
use inhouse::error::ErrorKind;
use inhouse::hook::*;
use inhouse::launch::{HostEnvironment, Plan};
use serde_json::{Value, json};

/// Returns the error of invalid options.
fn refusal(options: &Options) -> String {
    let error = Plan::new(options, "claude", &HostEnvironment::default())
        .expect_err("these options cannot be meant");
    assert_eq!(error.kind(), ErrorKind::Config);
    error.to_string()
}

fn before_tools(matcher: Matcher<PreToolUse>) -> Options {
    Options::new().hook(matcher, async |_: PreToolUse, _| Ok(HookOutput::pass()))
}

#[test]
fn tool_matcher_takes_a_plain_name() {
    for name in ["Bash(ls *)", "mcp__calc__.*", "Bash|Read", "Bash ", "*"] {
        let text = refusal(&before_tools(Matcher::tool(name)));
        assert!(text.contains("a hook for `PreToolUse`"), "{text}");
        assert!(
            text.contains(&format!("`{name}` is not the name of a tool")),
            "{text}"
        );
    }
    refusal(&before_tools(Matcher::tool("")));
    refusal(&before_tools(Matcher::tools(["Bash", ""])));
    let text = refusal(&before_tools(Matcher::tools::<&str>([])));
    assert!(text.contains("Matcher::any()"), "{text}");
}

/// The CLI would silently not call the hook.
#[test]
fn invalid_pattern_is_rejected() {
    let text = refusal(&before_tools(Matcher::pattern("mcp__(calc|mail")));
    assert!(text.contains("a group is not closed"), "{text}");
    let raw = Options::new().raw_hook("Coffee", Matcher::pattern("["), async |_, _| Ok(json!({})));
    let text = refusal(&raw);
    assert!(text.contains("a hook for `Coffee`"), "{text}");
}

#[test]
fn empty_name_is_rejected() {
    let options = Options::new()
        .hook(Matcher::agent(""), async |_: SubagentStop, _| {
            Ok(HookOutput::pass())
        })
        .hook(Matcher::only(""), async |_: Elicitation, _| {
            Ok(HookOutput::pass())
        });
    let text = refusal(&options);
    assert!(text.contains("2 problems"), "{text}");
    let nameless = Options::new().raw_hook("", Matcher::any(), async |input: Value, _| Ok(input));
    assert!(refusal(&nameless).contains("without a name"));
}

#[test]
fn zero_timeout_is_rejected() {
    let matcher = Matcher::any().timeout(Duration::ZERO);
    assert!(refusal(&before_tools(matcher)).contains("a timeout of 0"));
}
