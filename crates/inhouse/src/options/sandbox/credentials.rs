use serde_json::{Value, json};

use super::Members;

/// Credentials that are hidden from sandboxed commands.
///
/// ```
/// use inhouse::options::{CredentialMode, Options, SandboxCredentials, SandboxSettings};
/// use inhouse_testkit::fake::launch;
///
/// let credentials = SandboxCredentials::new().env_var("API_TOKEN", CredentialMode::Mask);
/// let cli = launch(Options::new().sandbox(SandboxSettings::new().credentials(credentials)));
/// let expected = r#"{"sandbox":{"credentials":{"envVars":[{"mode":"mask","name":"API_TOKEN"}]}}}"#;
/// assert!(cli.has_arg(&format!("--settings={expected}")));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "set it with `SandboxSettings::credentials`"]
pub struct SandboxCredentials(pub(super) Members);

impl SandboxCredentials {
    /// Creates settings without members.
    ///
    /// ```
    /// use inhouse::options::SandboxCredentials;
    ///
    /// // Without members, only the credentials of the settings are hidden.
    /// assert_eq!(SandboxCredentials::new(), SandboxCredentials::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file that contains credentials.
    ///
    /// ```
    /// use inhouse::options::{CredentialMode, Options, SandboxCredentials, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let credentials = SandboxCredentials::new().file("~/.npmrc", CredentialMode::Deny);
    /// let sandbox = SandboxSettings::new().credentials(credentials);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"credentials":{"files":[{"mode":"deny","path":"~/.npmrc"}]}}}"#));
    /// ```
    pub fn file(mut self, path: impl Into<String>, mode: CredentialMode) -> Self {
        let file = json!({"path": path.into(), "mode": mode.as_str()});
        self.0.extend("files", [file]);
        self
    }

    /// Adds an environment variable that contains a credential.
    ///
    /// ```
    /// use inhouse::options::{CredentialMode, Options, SandboxCredentials, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let credentials = SandboxCredentials::new().env_var("NPM_TOKEN", CredentialMode::Mask);
    /// let sandbox = SandboxSettings::new().credentials(credentials);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"credentials":{"envVars":[{"mode":"mask","name":"NPM_TOKEN"}]}}}"#));
    /// ```
    pub fn env_var(mut self, name: impl Into<String>, mode: CredentialMode) -> Self {
        let variable = json!({"name": name.into(), "mode": mode.as_str()});
        self.0.extend("envVars", [variable]);
        self
    }

    /// Sets a member that has no method, such as `awsPairs`, or a list of `files` with more members
    /// than a path and a mode.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxCredentials, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    /// use serde_json::json;
    ///
    /// let files = json!([{ "path": "~/.netrc", "mode": "mask" }]);
    /// let credentials = SandboxCredentials::new().extra("files", files);
    /// let sandbox = SandboxSettings::new().credentials(credentials);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"credentials":{"files":[{"mode":"mask","path":"~/.netrc"}]}}}"#));
    /// ```
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// How a credential is hidden from sandboxed commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialMode {
    /// The credential cannot be read.
    Deny,
    /// Commands see a placeholder, which is replaced with the credential in network requests.
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
