use std::fmt;

use inhouse_proto::control::PermissionUpdate;
use inhouse_proto::control::incoming::{
    AllowDecision, CanUseTool, DecisionClassification, DenyDecision, PermissionDecision,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Whether a tool may run.
///
/// Returned by the handler of [`Options::permissions`](crate::Options::permissions).
///
/// ```
/// use inhouse::permission::{CanUseTool, Decision};
/// use inhouse::{Asked, Options};
///
/// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
///     Ok(match asked.request.input["command"].as_str() {
///         Some("ls") => Decision::allow(),
///         _ => Decision::deny("only `ls` is allowed"),
///     })
/// });
/// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
/// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
/// #     assert_eq!(reply["behavior"], "allow");
/// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "rm"})).await;
/// #     assert_eq!(reply["message"], "only `ls` is allowed");
/// # }));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a decision has no effect unless the handler returns it"]
pub struct Decision {
    verdict: Verdict,
    classification: Option<DecisionClassification>,
}

#[derive(Clone, Debug)]
enum Verdict {
    Allow {
        input: Option<Result<Map<String, Value>, InvalidInput>>,
        updates: Vec<PermissionUpdate>,
        suggestions: bool,
    },
    Deny {
        message: String,
        interrupt: bool,
    },
}

/// Why a value cannot be the input of a tool.
#[derive(Clone, Debug)]
enum InvalidInput {
    NotAnObject,
    NotSerializable(String),
}

impl Decision {
    /// Allows the call, with the input that the model wrote unless [`input`](Self::input) changes it.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["behavior"], "allow");
    /// #     assert_eq!(reply["updatedInput"]["command"], "ls");
    /// # }));
    /// ```
    pub fn allow() -> Self {
        Self::new(Verdict::Allow {
            input: None,
            updates: Vec::new(),
            suggestions: false,
        })
    }

    /// Denies the call; the model reads `message` instead of a result and continues.
    ///
    /// Say what would be allowed, so that the model can try that.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("Use `Read` to list files.")));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["behavior"], "deny");
    /// #     assert_eq!(reply["message"], "Use `Read` to list files.");
    /// # }));
    /// ```
    pub fn deny(message: impl Into<String>) -> Self {
        Self::new(Verdict::Deny {
            message: message.into(),
            interrupt: false,
        })
    }

    /// Runs the tool with `changed` instead of the input that the model wrote. The model does not
    /// see the change. Has no effect on a denial.
    ///
    /// An input is a JSON object: a value that serializes to anything else denies the call.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    /// use serde_json::json;
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow().input(json!({"command": "ls -l"}))));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["updatedInput"]["command"], "ls -l");
    /// # }));
    /// ```
    pub fn input(mut self, changed: impl Serialize) -> Self {
        if let Verdict::Allow { input, .. } = &mut self.verdict {
            *input = Some(match serde_json::to_value(changed) {
                Ok(Value::Object(members)) => Ok(members),
                Ok(_) => Err(InvalidInput::NotAnObject),
                Err(error) => Err(InvalidInput::NotSerializable(error.to_string())),
            });
        }
        self
    }

    /// Changes the permissions along with the decision, for example by a rule that allows the same
    /// call next time. Has no effect on a denial.
    ///
    /// The update says where the change is kept: in the session, or in a settings file.
    ///
    /// ```
    /// use inhouse::permission::{
    ///     Decision, PermissionBehavior, PermissionUpdate, Rule, UpdateDestination,
    /// };
    ///
    /// let rule: Rule = "Bash(git log *)".parse()?;
    /// let update = PermissionUpdate::add_rules(
    ///     [rule.into()],
    ///     PermissionBehavior::Allow,
    ///     UpdateDestination::Session,
    /// );
    /// let decision = Decision::allow().remember(update);
    /// # let options = inhouse::Options::new()
    /// #     .permissions(async move |_: inhouse::Asked<inhouse::permission::CanUseTool>| Ok(decision));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "git log"})).await;
    /// #     assert_eq!(reply["updatedPermissions"][0]["rules"][0]["ruleContent"], "git log *");
    /// # }));
    /// # Ok::<(), inhouse::permission::RuleError>(())
    /// ```
    pub fn remember(mut self, update: impl Into<PermissionUpdate>) -> Self {
        if let Verdict::Allow { updates, .. } = &mut self.verdict {
            updates.push(update.into());
        }
        self
    }

    /// Applies the permission changes that the CLI suggests for "always allow". Has no effect on a
    /// denial.
    ///
    /// The suggestions are in [`CanUseTool::permission_suggestions`]; show them before you offer
    /// "always allow". Besides a rule, which is kept in the local settings file of the project, a
    /// command that writes a file suggests a directory and a change of the permission mode to
    /// `acceptEdits` (2.1.325). Do not offer it if
    /// [`suppress_always_allow_rule`](CanUseTool::suppress_always_allow_rule) is set.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     match asked.request.suppress_always_allow_rule {
    ///         Some(true) => Ok(Decision::allow()),
    ///         _ => Ok(Decision::allow().remember_suggestions()),
    ///     }
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let id = cli.ask(serde_json::json!({
    /// #         "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1", "input": {},
    /// #         "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
    /// #     })).await;
    /// #     let reply = cli.expect_answer(&id).await.payload();
    /// #     assert_eq!(reply["updatedPermissions"][0]["mode"], "acceptEdits");
    /// # }));
    /// ```
    pub fn remember_suggestions(mut self) -> Self {
        if let Verdict::Allow { suggestions, .. } = &mut self.verdict {
            *suggestions = true;
        }
        self
    }

    /// Ends the turn after a denial: the model does not continue and does not read the message. Has
    /// no effect on an approval.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("That is enough.").interrupt()));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["interrupt"], true);
    /// # }));
    /// ```
    pub fn interrupt(mut self) -> Self {
        if let Verdict::Deny { interrupt, .. } = &mut self.verdict {
            *interrupt = true;
        }
        self
    }

    /// Classifies the decision for the statistics of the CLI; not set by default.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision, DecisionClassification};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| {
    ///         Ok(Decision::allow().classify(DecisionClassification::UserTemporary))
    ///     });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["decisionClassification"], "user_temporary");
    /// # }));
    /// ```
    pub fn classify(mut self, classification: DecisionClassification) -> Self {
        self.classification = Some(classification);
        self
    }

    /// Returns the reply to the CLI. Consumes the call, whose input is sent back if it is allowed
    /// unchanged.
    pub(super) fn answer(self, call: CanUseTool) -> PermissionDecision {
        let tool_use_id = Some(call.tool_use_id);
        match self.verdict {
            Verdict::Allow {
                input: Some(Err(invalid)),
                ..
            } => {
                tracing::error!(tool = call.tool_name, %invalid, "call denied");
                let mut deny = DenyDecision::new(format!(
                    "The host allowed this call with an invalid input, so it was denied: {invalid}."
                ));
                deny.tool_use_id = tool_use_id;
                deny.into()
            }
            Verdict::Allow {
                input,
                mut updates,
                suggestions,
            } => {
                let input = input.and_then(Result::ok).unwrap_or(call.input);
                if suggestions {
                    updates.extend(call.permission_suggestions.into_iter().flatten());
                }
                let mut allow = AllowDecision::new(input);
                allow.updated_permissions = (!updates.is_empty()).then_some(updates);
                allow.tool_use_id = tool_use_id;
                allow.decision_classification = self.classification;
                allow.into()
            }
            Verdict::Deny { message, interrupt } => {
                let mut deny = DenyDecision::new(message);
                deny.interrupt = interrupt.then_some(true);
                deny.tool_use_id = tool_use_id;
                deny.decision_classification = self.classification;
                deny.into()
            }
        }
    }

    fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            classification: None,
        }
    }
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("the input is not a JSON object"),
            Self::NotSerializable(error) => write!(f, "the input has no JSON form ({error})"),
        }
    }
}
