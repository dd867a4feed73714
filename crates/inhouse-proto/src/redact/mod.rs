//! Removal of secrets from text and from the lines of a session, for recordings and for the tail of stderr.
//!
//! A secret is one of these:
//!
//! | secret | found by |
//! |---|---|
//! | a known value | the value without blanks around it, and each long line of it |
//! | a key or token of a well-known issuer | its prefix: `sk-ant-`, `sk-proj-`, `sk_live_`, `rk_live_`, `whsec_`, `ghp_`, `gho_`, `ghs_`, `ghu_`, `ghr_`, `github_pat_`, `glpat-`, `xoxb-`, `xoxp-`, `xoxa-`, `xoxs-`, `xapp-`, `AKIA`, `ASIA`, `AIza`, `ya29.`, `npm_`, `pypi-`, `dop_v1_` |
//! | a JSON web token | `eyJ`, a dot and `eyJ` in one word |
//! | credentials of an HTTP request | the word after `Bearer` or `Basic`; in text, the headers `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and `X-Api-Key` to the end of the line, or of the quotes in which they are |
//! | a password in a URL | `scheme://user:password@host` |
//! | a value with the name of a secret | `api_key=`, `"token":`, `password: ` and the like, in text; the members `authorization`, `cookie` and those whose names end like that of a secret, in JSON |
//! | a private key | `-----BEGIN … PRIVATE KEY-----` to its end, or to the end of the text |
//!
//! Each text is also searched with its JSON escapes decoded, so that a secret is found in JSON that is inside of a JSON
//! string.

mod delta;
mod escapes;
mod filter;
mod header;
mod json;
mod pattern;
mod private_key;
mod secrets;
mod stream;
mod url;

pub use self::delta::is_json_line;
pub use self::pattern::{is_secret_name, redact_text};
pub use self::secrets::Secrets;
pub use self::stream::Redactor;

/// The text that replaces a secret.
pub const REPLACEMENT: &str = "[redacted]";
