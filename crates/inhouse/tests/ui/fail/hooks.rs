use inhouse::Options;
use inhouse::hook::{
    HookOutput, Matcher, OnFailure, PostToolUse, SessionEnd, Stop, UserPromptSubmit,
    WorktreeCreate,
};

fn denied_prompt() -> HookOutput<UserPromptSubmit> {
    HookOutput::deny("no")
}

fn context_at_session_end() -> HookOutput<SessionEnd> {
    HookOutput::pass().context("too late")
}

fn nothing_instead_of_a_worktree() -> HookOutput<WorktreeCreate> {
    HookOutput::pass()
}

fn put_off_afterwards() -> HookOutput<PostToolUse> {
    HookOutput::defer()
}

fn matchers() -> Options {
    Options::new()
        .hook(Matcher::tool("Bash"), async |_: UserPromptSubmit, _| Ok(HookOutput::pass()))
        .hook(Matcher::any().on_failure(OnFailure::Block), async |_: Stop, _| {
            Ok(HookOutput::pass())
        })
}

fn not_an_event() -> Options {
    Options::new().hook(Matcher::any(), async |_: String, _| panic!())
}

fn main() {}
