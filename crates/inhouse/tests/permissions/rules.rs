//! The syntax of permission rules.

use inhouse::permission::{PermissionRule, Rule};

#[test]
fn valid_rules_parse() {
    let table = [
        ("Bash", "Bash", None),
        ("Bash()", "Bash", None),
        ("Bash(*)", "Bash", None),
        ("Bash(npm test)", "Bash", Some("npm test")),
        ("Bash(git log:*)", "Bash", Some("git log:*")),
        ("Bash( ls )", "Bash", Some(" ls ")),
        ("Bash(echo (a), (b))", "Bash", Some("echo (a), (b)")),
        (r"Bash(echo :\))", "Bash", Some("echo :)")),
        (r"Bash(echo \(x)", "Bash", Some("echo (x")),
        (r"Bash(a \\ b)", "Bash", Some(r"a \ b")),
        (r"Bash(grep a\.b)", "Bash", Some(r"grep a\.b")),
        ("Read(//etc/**)", "Read", Some("//etc/**")),
        (
            "WebFetch(domain:docs.rs)",
            "WebFetch",
            Some("domain:docs.rs"),
        ),
        ("Agent(Explore)", "Agent", Some("Explore")),
        ("InventedTomorrow", "InventedTomorrow", None),
        ("mcp__calc", "mcp__calc", None),
        ("mcp__calc__add", "mcp__calc__add", None),
        ("mcp__calc__*", "mcp__calc__*", None),
        ("mcp__my_srv__to-do", "mcp__my_srv__to-do", None),
    ];
    for (text, tool, content) in table {
        let rule: Rule = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((rule.tool(), rule.content()), (tool, content), "{text}");
        let again: Rule = rule.to_string().parse().unwrap();
        assert_eq!(again, rule, "{text} is written as {rule}");
    }
}

#[test]
fn invalid_rules_are_rejected() {
    let table = [
        ("", "is empty"),
        ("  ", "is empty"),
        (" Bash", "has whitespace around it"),
        ("Bash ", "has whitespace around it"),
        ("Bash(ls", "has parentheses that do not match"),
        ("Bash)", "has parentheses that do not match"),
        ("Bash(echo (x)", "has parentheses that do not match"),
        ("Bash(echo :))", "has parentheses that do not match"),
        (r"Bash(ls\)", "has parentheses that do not match"),
        ("Bash(ls)x", "has text after its closing parenthesis"),
        ("Bash(ls) ", "has whitespace around it"),
        ("Bash(a) (b)", "has text after its closing parenthesis"),
        ("(ls)", "names no tool"),
        ("Web Fetch", "no tool has"),
        ("Bash (ls)", "no tool has"),
        ("Bash,Read", "no tool has"),
        ("bash", "write `Bash`"),
        ("BASH(ls)", "write `Bash`"),
        ("webfetch", "write `WebFetch`"),
        ("calc__add", "lowercase initial"),
        ("mcp__", "names no server"),
        ("mcp__calc(add)", "write `mcp__calc__add`"),
        ("mcp__calc(add numbers)", "write `mcp__calc`"),
        ("mcp__calc__add(1)", "write `mcp__calc__add`"),
        ("mcp__my srv__x", "write `mcp__my_srv__x`"),
        ("mcp__crm.eu", "write `mcp__crm_eu`"),
    ];
    for (text, words) in table {
        let error = text.parse::<Rule>().expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
        assert!(error.contains(&format!("`{text}`")), "{text}: {error}");
    }
}

#[test]
fn content_is_taken_literally() {
    for content in ["echo :)", "f(1), g(2)", r"a \ b", r"\(", ")", "naïve 日本"] {
        let rule = Rule::new("Bash", content).unwrap();
        assert_eq!(rule.content(), Some(content));
        let read: Rule = rule.to_string().parse().unwrap();
        assert_eq!(read, rule);
        let sent = PermissionRule::from(rule);
        assert_eq!(sent.rule_content.as_deref(), Some(content));
    }
    assert_eq!(Rule::new("Bash", "*").unwrap().content(), None);
    assert_eq!(Rule::new("Bash", "").unwrap().to_string(), "Bash");
    Rule::new("mcp__calc", "add").unwrap_err();
}
