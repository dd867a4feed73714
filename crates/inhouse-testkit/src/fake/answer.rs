use serde_json::Value;

/// The host's answer to a request of the CLI.
#[derive(Clone, Debug, PartialEq)]
pub enum HostAnswer {
    /// It did what was asked; `null` when it had nothing to say.
    Success(Value),
    /// It refused.
    Error {
        /// Its words.
        error: String,
        /// Its code for programs.
        code: Option<String>,
    },
}

impl HostAnswer {
    /// The payload of a success.
    ///
    /// # Panics
    /// When the host refused.
    #[must_use]
    pub fn payload(self) -> Value {
        match self {
            Self::Success(payload) => payload,
            Self::Error { error, .. } => panic!("the host refused the request: {error}"),
        }
    }

    /// Reads `response` of a `control_response`, with the id that it is for.
    pub(super) fn read(line: &Value) -> Option<(String, Self)> {
        let response = &line["response"];
        let id = response["request_id"].as_str()?.to_owned();
        let answer = match response["subtype"].as_str()? {
            "success" => Self::Success(response["response"].clone()),
            "error" => Self::Error {
                error: response["error"].as_str()?.to_owned(),
                code: response["error_code"].as_str().map(str::to_owned),
            },
            _ => return None,
        };
        Some((id, answer))
    }
}
