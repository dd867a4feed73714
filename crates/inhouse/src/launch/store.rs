use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    problems.add_if(
        options.store.store.is_some() && options.session.persist == Some(false),
        "`store` together with `persist_session(false)`: the CLI mirrors only what it saves; remove one of them",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    builder
        .args
        .switch_if(options.store.store.is_some(), "session-mirror");
}
