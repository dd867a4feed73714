//! What a person can do with a fleet, from the command and from the page.

use anyhow::{Context as _, Result, bail};
use inhouse_fleet::postgres::{Fleet, FleetError, FleetErrorKind, WorkState};
use inhouse_fleet::{Answer, QuestionId, WorkId};
use serde::{Deserialize, Serialize};

use super::{Command, Decision};
use crate::output::{print_json, print_line};

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Action {
    Park {
        work: WorkId,
        #[serde(default)]
        reason: Option<String>,
    },
    Retry {
        work: WorkId,
    },
    Cancel {
        work: WorkId,
    },
    Answer {
        question: QuestionId,
        answer: Answer,
    },
    Drain {
        host: String,
    },
}

/// The output of an action with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    message: &'a str,
}

impl Action {
    /// Returns the action of a command, `None` if the command only shows something.
    ///
    /// # Errors
    /// Returns an error if the input of an answer is not a JSON object.
    pub(super) fn from_command(command: Command) -> Result<Option<Self>> {
        Ok(Some(match command {
            Command::Status { .. } => return Ok(None),
            Command::Park { work, reason } => Self::Park {
                work: work.into(),
                reason,
            },
            Command::Retry { work } => Self::Retry { work: work.into() },
            Command::Cancel { work } => Self::Cancel { work: work.into() },
            Command::Answer {
                question,
                decision,
                reason,
                input,
            } => Self::Answer {
                question: question.into(),
                answer: answer(decision, reason, input)?,
            },
            Command::Drain { host } => Self::Drain { host },
        }))
    }

    /// Performs the action, and prints what it did.
    pub(super) async fn run(&self, fleet: &Fleet, json: bool) -> Result<()> {
        let message = self.perform(fleet).await?;
        if json {
            return print_json(&Report { message: &message });
        }
        print_line(message)
    }

    /// Performs the action, and returns what it did as a sentence.
    ///
    /// # Errors
    /// Returns an error if the fleet has no such thing, or its state does not allow the action.
    pub(super) async fn perform(&self, fleet: &Fleet) -> Result<String> {
        let done = match self {
            Self::Park { work, reason } => {
                let reason = reason.as_deref().unwrap_or("parked by a person");
                let state = fleet.park(work, reason).await.map_err(explain)?;
                return stopped(work, state, WorkState::Parked);
            }
            Self::Cancel { work } => {
                let state = fleet.cancel(work).await.map_err(explain)?;
                return stopped(work, state, WorkState::Cancelled);
            }
            Self::Retry { work } => {
                fleet.retry(work).await.map_err(explain)?;
                format!("Work {work} is queued again.")
            }
            Self::Answer { question, answer } => {
                let answered = fleet.answer_id(*question, answer.clone()).await;
                answered.map_err(explain)?;
                format!("Question {question} is answered.")
            }
            Self::Drain { host } => {
                fleet.drain(host).await.map_err(explain)?;
                format!("Host {host} takes no further work, hands over what it has, and ends.")
            }
        };
        Ok(done)
    }
}

/// Returns the outcome of a work item that should end in the state `wanted`.
fn stopped(work: &WorkId, state: WorkState, wanted: WorkState) -> Result<String> {
    if state == wanted {
        return Ok(format!("Work {work} is {wanted}."));
    }
    if state == WorkState::Running {
        return Ok(format!(
            "Work {work} is running: its host stops the CLI, then the work is {wanted}."
        ));
    }
    bail!("work {work} is {state} and cannot become {wanted}")
}

fn answer(decision: Decision, reason: Option<String>, input: Option<String>) -> Result<Answer> {
    match (decision, reason, input) {
        (Decision::Deny, Some(reason), None) => Ok(Answer::Deny(reason)),
        (Decision::Allow, None, None) => Ok(Answer::Allow),
        (Decision::Allow, None, Some(input)) => {
            let input: serde_json::Map<_, _> =
                serde_json::from_str(&input).context("--input is not a JSON object")?;
            Ok(Answer::AllowWith(input.into()))
        }
        (Decision::Allow, Some(_), _) => bail!("a reason belongs to `deny`"),
        (Decision::Deny, ..) => bail!("`deny` takes a reason, and no input"),
    }
}

/// Adds what to do next.
fn explain(error: FleetError) -> anyhow::Error {
    let hint = match error.kind() {
        FleetErrorKind::NotFound => "; `inhouse fleet status` lists what there is",
        _ => "",
    };
    anyhow::anyhow!("{error}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_of_the_page_are_read() {
        let work = WorkId::new();
        let read = |json: &str| serde_json::from_str::<Action>(json);
        let text = format!(r#"{{"action":"cancel","work":"{work}"}}"#);
        assert!(matches!(read(&text), Ok(Action::Cancel { work: read }) if read == work));
        let text = format!(
            r#"{{"action":"answer","question":"{work}","answer":{{"decision":"deny","detail":"Too much"}}}}"#
        );
        let Ok(Action::Answer { answer, .. }) = read(&text) else {
            panic!("{text}");
        };
        assert!(matches!(answer, Answer::Deny(reason) if reason == "Too much"));
        assert!(read(r#"{"action":"erase","session":"a"}"#).is_err());
    }

    #[test]
    fn decision_has_what_belongs_to_it() {
        let text = |text: &str| Some(text.to_owned());
        assert!(matches!(
            answer(Decision::Allow, None, None),
            Ok(Answer::Allow)
        ));
        assert!(matches!(
            answer(Decision::Allow, None, text(r#"{"amount":1}"#)),
            Ok(Answer::AllowWith(input)) if input["amount"] == 1
        ));
        assert!(answer(Decision::Allow, None, text("[]")).is_err());
        assert!(answer(Decision::Allow, text("why"), None).is_err());
        assert!(answer(Decision::Deny, None, None).is_err());
    }
}
