use std::time::Duration;

use inhouse_proto::session::SessionId;

use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    problems.add_if(
        options.store.store.is_some() && options.session.persist == Some(false),
        "`store` together with `persist_session(false)`: the CLI mirrors only what it saves; remove one of them",
    );
    problems.add_if(
        options.store.lease_ttl.is_some_and(|ttl| ttl < Duration::from_secs(1)),
        "`lease_ttl` of less than a second: the lease could not be renewed in time; choose a longer one",
    );
    problems.add_if(
        options.store.lease_ttl.is_some_and(|ttl| ttl > Duration::from_secs(24 * 60 * 60)),
        "`lease_ttl` of more than a day: no other host could take over from one that died; choose a shorter one",
    );
    problems.add_if(
        options.store.lease.is_some() && options.store.store.is_none(),
        "`session_lease` without a store; add `store`",
    );
    problems.add_if(
        options.store.before_result.is_some() && options.store.store.is_none(),
        "`before_result` without a store, in which the result would be stored; add `store`",
    );
    problems.reject_empty_each("session_root", &options.store.root);
    if options.store.store.is_some()
        && let Some(id) = &options.session.resume
    {
        problems.add_if(
            id.parse::<SessionId>().is_err(),
            format!("`resume` with a store takes the id of a session, and {id:?} is not a UUID"),
        );
    }
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    builder
        .args
        .switch_if(options.store.store.is_some(), "session-mirror");
}
