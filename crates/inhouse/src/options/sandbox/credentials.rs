use serde_json::{Value, json};

use super::Block;

/// Which credentials sandboxed commands do not get to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SandboxCredentials(pub(super) Block);

impl SandboxCredentials {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file with credentials.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, mode: CredentialMode) -> Self {
        let file = json!({"path": path.into(), "mode": mode.as_str()});
        self.0.extend("files", [file]);
        self
    }

    /// Adds a variable with a credential.
    #[must_use]
    pub fn env_var(mut self, name: impl Into<String>, mode: CredentialMode) -> Self {
        let variable = json!({"name": name.into(), "mode": mode.as_str()});
        self.0.extend("envVars", [variable]);
        self
    }

    /// Sets a member that has no method here, such as `awsPairs`, or a list of `files` with more
    /// than a path and a mode.
    #[must_use]
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// What a command finds in place of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialMode {
    /// Nothing: it cannot be read.
    Deny,
    /// A stand-in, for which the real one is put in on the way to the network.
    Mask,
}

impl CredentialMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Mask => "mask",
        }
    }
}
