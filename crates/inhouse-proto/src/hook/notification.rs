use super::event::hook_event;

hook_event! {
    /// The CLI wants to draw a person's attention.
    pub struct Notification {
        /// What it says.
        pub message: String,
        /// Its title.
        pub title: Option<String>,
        /// Its kind, such as `permission_prompt` or `elicitation_response`.
        pub notification_type: String,
    }
}
