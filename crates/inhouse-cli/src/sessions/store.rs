//! Sessions in a store.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use inhouse::sessions::{SessionMessage, project_key};
use inhouse_store::{Page, ProjectKey, SessionKey, SessionStore, StreamKey};
use serde::Serialize;

use super::report::{EntryWriter, Message, ago, print_message, time};
use crate::output::{print_json, print_line, print_table};

/// The sessions of a project in a store.
pub(super) struct Store {
    store: Arc<dyn SessionStore>,
    project: ProjectKey,
}

/// A session in JSON.
#[derive(Serialize)]
struct Session<'a> {
    id: &'a str,
    last_modified: String,
    entries: u64,
}

impl Store {
    /// Opens `sqlite:<file>` or `postgres://…`.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened, or this program was built without it.
    pub(super) async fn open(address: &str, project: Option<&Path>) -> Result<Self> {
        let directory = std::path::absolute(project.unwrap_or(Path::new(".")))?;
        let directory = directory.canonicalize().unwrap_or(directory);
        let project = ProjectKey::new(project_key(&directory.to_string_lossy()))?;
        let store = match address.split_once(':') {
            Some(("sqlite", file)) => sqlite(Path::new(file)).await?,
            Some(("postgres" | "postgresql", _)) => postgres(address).await?,
            _ => bail!(
                "{address:?} is not a store: use sqlite:<file> or postgres://<user>@<host>/<database>"
            ),
        };
        Ok(Self { store, project })
    }

    pub(super) async fn list(&self, limit: usize, json: bool) -> Result<()> {
        let page = Page::first().limit(limit);
        let sessions = self.store.list(&self.project, &page).await?.sessions;
        if json {
            let sessions = sessions.iter().map(|session| Session {
                id: session.key.session(),
                last_modified: time(session.modified),
                entries: session.end.get(),
            });
            return print_json(&sessions.collect::<Vec<_>>());
        }
        if sessions.is_empty() {
            return print_line(format!(
                "The store has no sessions of {}. Name another directory with --project",
                self.project.as_str()
            ));
        }
        let rows: Vec<_> = sessions
            .iter()
            .map(|session| {
                [
                    session.key.session().to_owned(),
                    ago(session.modified),
                    session.end.get().to_string(),
                ]
            })
            .collect();
        print_table(["SESSION", "CHANGED", "ENTRIES"], &rows)
    }

    pub(super) async fn show(&self, id: &str, json: bool) -> Result<()> {
        let session = self.session(id)?;
        let entries = self.entries(&session.main()).await?;
        let messages: Vec<_> = entries
            .into_iter()
            .filter_map(SessionMessage::read)
            .collect();
        if json {
            let messages = messages.iter().map(Message::new);
            return print_json(&messages.collect::<Result<Vec<_>>>()?);
        }
        messages.iter().try_for_each(print_message)
    }

    pub(super) async fn export(&self, id: &str, output: Option<&Path>) -> Result<()> {
        let session = self.session(id)?;
        let main = self.entries(&session.main()).await?;
        let mut writer = EntryWriter::new(output)?;
        for line in main {
            writer.write(None, &line)?;
        }
        for stream in self.store.subpaths(&session).await? {
            for line in self.entries(&stream).await? {
                writer.write(stream.subpath(), &line)?;
            }
        }
        writer.finish()
    }

    fn session(&self, id: &str) -> Result<SessionKey> {
        Ok(self.project.session(id)?)
    }

    /// Returns the entries of a stream as text.
    async fn entries(&self, stream: &StreamKey) -> Result<Vec<String>> {
        let entries = self.store.read(stream).await?;
        if entries.is_empty() {
            bail!(
                "the store has no session {} of {}; `inhouse sessions --store …` lists those that it has",
                stream.session().session(),
                self.project.as_str()
            );
        }
        let texts = entries
            .into_iter()
            .map(|entry| String::from_utf8(entry.into()));
        texts
            .collect::<Result<_, _>>()
            .context("an entry is not text; the store may be encrypted")
    }
}

#[cfg(feature = "sqlite")]
async fn sqlite(file: &Path) -> Result<Arc<dyn SessionStore>> {
    // Opening would create an empty database.
    if !file.exists() {
        bail!("there is no file {}", file.display());
    }
    Ok(Arc::new(
        inhouse_store::sqlite::SqliteStore::open(file).await?,
    ))
}

#[cfg(not(feature = "sqlite"))]
async fn sqlite(_: &Path) -> Result<Arc<dyn SessionStore>> {
    bail!(
        "this program was built without SQLite: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli --features sqlite"
    )
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str) -> Result<Arc<dyn SessionStore>> {
    Ok(Arc::new(
        inhouse_store::postgres::PostgresStore::connect(url).await?,
    ))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_: &str) -> Result<Arc<dyn SessionStore>> {
    bail!(
        "this program was built without PostgreSQL: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli --features postgres"
    )
}
