//! The sandbox in which the CLI runs commands.

mod credentials;
mod filesystem;
mod network;
mod settings;

pub use self::credentials::{CredentialMode, SandboxCredentials};
pub use self::filesystem::SandboxFilesystem;
pub use self::network::SandboxNetwork;
pub use self::settings::SandboxSettings;

use serde_json::{Map, Value};

/// The members of a block of settings, by their wire names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block(pub(crate) Map<String, Value>);

impl Block {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Adds to the list of this name.
    fn extend<V: Into<Value>>(&mut self, name: &str, values: impl IntoIterator<Item = V>) {
        let added = values.into_iter().map(Into::into);
        match self.0.get_mut(name) {
            Some(Value::Array(list)) => list.extend(added),
            _ => self.set(name, added.collect::<Vec<Value>>()),
        }
    }
}
