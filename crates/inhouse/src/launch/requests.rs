use super::plan::Builder;
use crate::options::Options;

/// Requests that the CLI sends only if an environment variable announces a handler.
const ANNOUNCED_BY_VARIABLE: [(&str, &str); 2] = [
    ("oauth_token_refresh", "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH"),
    (
        "host_auth_token_refresh",
        "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
    ),
];

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    for handled in options.requests.handlers.subtypes() {
        builder.confirm_before_prompt_if(true);
        for (subtype, variable) in ANNOUNCED_BY_VARIABLE {
            if handled == subtype {
                builder.set_env(variable, "1");
            }
        }
    }
}
