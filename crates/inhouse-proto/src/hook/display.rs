use super::event::hook_event;

hook_event! {
    /// Text of the model is about to be shown.
    pub struct MessageDisplay {
        /// The turn.
        pub turn_id: String,
        /// The message; not the id that the API gave it.
        pub message_id: String,
        /// Which piece of the message it is.
        pub index: u64,
        /// Whether it is the last.
        pub is_final as "final": bool,
        /// The text.
        pub delta: String,
    }
}
