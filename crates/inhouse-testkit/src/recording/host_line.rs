//! What a line of the host is, as far as it takes to find it again in a recording.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostLine {
    Prompt {
        uuid: Option<String>,
    },
    Request {
        id: String,
        subtype: String,
    },
    Answer {
        id: String,
    },
    /// Whatever a CLI does not wait for: withdrawals, heartbeats, what nobody knows.
    Aside,
}

impl HostLine {
    pub(super) fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match line["type"].as_str() {
            Some("user") => Self::Prompt {
                uuid: line["uuid"].as_str().map(str::to_owned),
            },
            Some("control_request") => Self::Request {
                id: text(&line["request_id"]),
                subtype: text(&line["request"]["subtype"]),
            },
            Some("control_response") => Self::Answer {
                id: text(&line["response"]["request_id"]),
            },
            _ => Self::Aside,
        }
    }

    /// Whether this line stands where the other stood, although ids of the host differ from run to run.
    pub(super) fn stands_for(&self, recorded: &Self) -> bool {
        match (self, recorded) {
            (Self::Prompt { .. }, Self::Prompt { .. }) => true,
            (Self::Request { subtype: one, .. }, Self::Request { subtype: other, .. }) => {
                one == other
            }
            // The id is the CLI's own, which is played back as it was.
            (Self::Answer { id: one }, Self::Answer { id: other }) => one == other,
            _ => false,
        }
    }
}
