use inhouse_proto::control::PermissionUpdate;
use inhouse_proto::control::incoming::{
    AllowDecision, CanUseTool, DecisionClassification, DenyDecision, PermissionDecision,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Whether a tool may run.
///
/// ```
/// use inhouse::permission::Decision;
/// use serde_json::json;
///
/// let as_it_is = Decision::allow();
/// let changed = Decision::allow().input(json!({"command": "ls -l"}));
/// let from_now_on = Decision::allow().remember_suggestions();
/// let refused = Decision::deny("Nothing is deleted here; move it to trash/ instead.");
/// let stopped = Decision::deny("That is enough.").interrupt();
/// # let _ = (as_it_is, changed, from_now_on, refused, stopped);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a decision has to be returned to be heard"]
pub struct Decision {
    verdict: Verdict,
    classification: Option<DecisionClassification>,
}

#[derive(Clone, Debug)]
enum Verdict {
    Allow {
        input: Option<Result<Map<String, Value>, String>>,
        updates: Vec<PermissionUpdate>,
        suggestions: bool,
    },
    Deny {
        message: String,
        interrupt: bool,
    },
}

impl Decision {
    /// The tool runs, with the input that the model wrote unless [`input`](Self::input) changes it.
    pub fn allow() -> Self {
        Self::new(Verdict::Allow {
            input: None,
            updates: Vec::new(),
            suggestions: false,
        })
    }

    /// The tool does not run, and this is what the model reads instead of its result.
    ///
    /// Say what would be allowed: the model goes on and tries something else.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::new(Verdict::Deny {
            message: message.into(),
            interrupt: false,
        })
    }

    /// Runs the tool with this input; the model is not told. Without effect on a denial.
    ///
    /// An input is a JSON object. Anything else denies the call: what was meant is not known.
    pub fn input(mut self, changed: impl Serialize) -> Self {
        if let Verdict::Allow { input, .. } = &mut self.verdict {
            *input = Some(object(changed));
        }
        self
    }

    /// Changes the permissions with the decision, such as by a rule that spares the question next
    /// time. Without effect on a denial.
    ///
    /// Where the change is kept is part of it: for the session, or in a settings file.
    ///
    /// ```
    /// use inhouse::permission::{
    ///     AddRules, Decision, PermissionBehavior, Rule, UpdateDestination,
    /// };
    ///
    /// let rule: Rule = "Bash(git log *)".parse()?;
    /// let update = AddRules::new(
    ///     [rule.into()],
    ///     PermissionBehavior::Allow,
    ///     UpdateDestination::Session,
    /// );
    /// let decision = Decision::allow().remember(update);
    /// # let _ = decision;
    /// # Ok::<(), inhouse::permission::RuleError>(())
    /// ```
    pub fn remember(mut self, update: impl Into<PermissionUpdate>) -> Self {
        if let Verdict::Allow { updates, .. } = &mut self.verdict {
            updates.push(update.into());
        }
        self
    }

    /// Makes the changes that the CLI suggests for "always allow". Without effect on a denial.
    ///
    /// They are in `permission_suggestions` of the request, and show them before you offer it: besides
    /// a rule, which is kept in the project's settings file of this machine, a command that writes a
    /// file brings a directory and a change of the permission mode to `acceptEdits` (2.1.325). Do not
    /// offer it when `suppress_always_allow_rule` is set.
    pub fn remember_suggestions(mut self) -> Self {
        if let Verdict::Allow { suggestions, .. } = &mut self.verdict {
            *suggestions = true;
        }
        self
    }

    /// Ends the turn, too: the model is not asked to go on. Without effect on an approval.
    pub fn interrupt(mut self) -> Self {
        if let Verdict::Deny { interrupt, .. } = &mut self.verdict {
            *interrupt = true;
        }
        self
    }

    /// Says what kind of decision it was, for the CLI's statistics only.
    pub fn classify(mut self, classification: DecisionClassification) -> Self {
        self.classification = Some(classification);
        self
    }

    /// What the CLI is told.
    pub(crate) fn answer(self, question: &CanUseTool) -> PermissionDecision {
        let tool_use_id = Some(question.tool_use_id.clone());
        match self.verdict {
            Verdict::Allow {
                input: Some(Err(problem)),
                ..
            } => {
                tracing::error!(tool = question.tool_name, "denied: {problem}");
                let mut deny = DenyDecision::new(format!(
                    "The host allowed this call with an input that {problem}, so it was denied."
                ));
                deny.tool_use_id = tool_use_id;
                deny.into()
            }
            Verdict::Allow {
                input,
                mut updates,
                suggestions,
            } => {
                let input = input.and_then(Result::ok);
                let mut allow = AllowDecision::new(input.unwrap_or_else(|| question.input.clone()));
                if suggestions {
                    updates.extend(question.permission_suggestions.iter().flatten().cloned());
                }
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

/// Why something is no input reads after "an input that".
fn object(input: impl Serialize) -> Result<Map<String, Value>, String> {
    match serde_json::to_value(input) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("is not a JSON object".to_owned()),
        Err(error) => Err(format!("has no JSON form ({error})")),
    }
}
