use serde_json::{Map, Value};
use uuid::Uuid;

use super::Problems;
use crate::options::{Options, SettingsForm};

/// Which session, and with which settings.
pub(super) fn check(options: &Options, problems: &mut Problems) {
    let session = &options.session;
    let resumes = session.resumes();
    problems.add_if(
        session.resume.is_some() && session.continue_latest,
        "`resume` together with `continue_latest`; choose one of them",
    );
    for id in session.resume.iter() {
        problems.not_empty("resume", id);
    }
    if let Some(id) = &session.id {
        problems.add_if(
            !is_uuid(id),
            format!(
                "the session id {id:?} is not a UUID such as {}",
                Uuid::nil()
            ),
        );
        problems.add_if(
            resumes && !session.fork,
            "`session_id` for a session that is resumed and has one; add `fork_session(true)`",
        );
    }
    problems.add_if(
        session.fork && !resumes,
        "`fork_session` without a session to fork; add `resume` or `continue_latest`",
    );
    for message in session.resume_at.iter() {
        problems.not_empty("resume_at", message);
        problems.add_if(
            session.resume.is_none(),
            "`resume_at` without `resume`; say which session to resume",
        );
    }
    for prompt in session.resume_drops_turn.iter() {
        problems.not_empty("resume_drops_turn", prompt);
        problems.add_if(
            session.resume_at.is_none(),
            "`resume_drops_turn` without `resume_at`; say where to cut the conversation",
        );
    }
    settings(options, problems);
}

fn settings(options: &Options, problems: &mut Problems) {
    let settings = &options.settings;
    match settings.settings.as_ref().map(|settings| &settings.0) {
        Some(SettingsForm::File(path)) => problems.not_empty("settings", path),
        Some(SettingsForm::Json(text)) => {
            if let Err(error) = serde_json::from_str::<Map<String, Value>>(text) {
                // The place and not the reason, which may quote the settings.
                problems.add(format!(
                    "the settings are not the text of a JSON object (line {}, column {})",
                    error.line(),
                    error.column()
                ));
            }
        }
        Some(SettingsForm::Value(value)) => problems.add_if(
            !value.is_object(),
            "the settings are not a JSON object; pass one, as in a settings file",
        ),
        None => {}
    }
    problems.add_if(
        settings
            .managed
            .as_ref()
            .is_some_and(|managed| !managed.0.is_object()),
        "the managed settings are not a JSON object; pass one, as in a settings file",
    );
    problems.add_if(
        settings
            .project_config_root
            .as_ref()
            .is_some_and(|root| !root.is_absolute()),
        "`project_config_root` is not an absolute path; make it one",
    );
}

/// In the form with hyphens, which alone the CLI accepts.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}
