use crate::open::open_enum;

open_enum! {
    /// How the CLI decides about tool calls that no rule settles.
    ///
    /// Rules and hooks come first; the mode decides what is left over.
    pub enum PermissionMode {
        /// Ask about everything that may have side effects.
        Default = "default",
        /// Edit files below the working directory without asking; ask about the rest.
        AcceptEdits = "acceptEdits",
        /// Allow everything. The process must have been started with
        /// `--allow-dangerously-skip-permissions`.
        BypassPermissions = "bypassPermissions",
        /// Look and plan, change nothing.
        Plan = "plan",
        /// Deny what would have been asked.
        DontAsk = "dontAsk",
        /// Let a model judge what would have been asked.
        Auto = "auto",
    }
}
