use uuid::Uuid;

use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let session = &options.session;
    problems.add_if(
        session.resume.is_some() && session.continue_latest,
        "`resume` together with `continue_latest`; choose one of them",
    );
    problems.reject_empty_each("resume", &session.resume);
    if let Some(id) = &session.id {
        problems.add_if(
            !is_uuid(id),
            format!(
                "the session id {id:?} is not a UUID such as {}",
                Uuid::nil()
            ),
        );
        problems.add_if(
            session.resumes() && !session.fork,
            "`session_id` for a resumed session, which has an id; add `fork_session(true)`",
        );
    }
    problems.add_if(
        session.fork && !session.resumes(),
        "`fork_session` without a session to fork; add `resume` or `continue_latest`",
    );
    problems.reject_empty_each("resume_at", &session.resume_at);
    problems.add_if(
        session.resume_at.is_some() && session.resume.is_none(),
        "`resume_at` without `resume`; name the session to resume",
    );
    problems.reject_empty_each("resume_drops_turn", &session.resume_drops_turn);
    problems.add_if(
        session.resume_drops_turn.is_some() && session.resume_at.is_none(),
        "`resume_drops_turn` without `resume_at`; name the message to resume at",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (session, args) = (&options.session, &mut builder.args);
    args.switch_if(session.continue_latest, "continue");
    args.values("resume", &session.resume);
    args.values("session-id", &session.id);
    args.switch_if(session.fork, "fork-session");
    args.values("resume-session-at", &session.resume_at);
    args.values("resume-drops-turn", &session.resume_drops_turn);
    args.switch_if(session.persist == Some(false), "no-session-persistence");
    builder.initialize.title = session.title.as_ref().map(|title| title.0.clone());
    if session.file_checkpointing {
        builder.set_env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true");
    }
}

/// Returns whether the text is a UUID in the form with hyphens, the only one that the CLI accepts.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}
