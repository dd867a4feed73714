//! The files of a session that its transcript refers to.

use std::collections::VecDeque;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use inhouse_proto::session::SessionId;
use inhouse_store::{FilePath, SessionKey, SessionStore};

use super::blocking::{blocking, file_error};
use super::location::{Found, Location, is_absent};
use super::stored::StoredSession;
use super::transcript::open;
use crate::error::Result;
use crate::mirror::persist;
use crate::resume::store_error;

/// The directory of a session with results that are too long for an entry.
const TOOL_RESULTS: &str = "tool-results";

/// Reads the long tool results of a session, one after the other.
pub(super) struct SessionFiles {
    paths: VecDeque<FilePath>,
    source: FileSource,
}

enum FileSource {
    /// The directory of the session.
    Disk(PathBuf),
    Store(Arc<dyn SessionStore>, SessionKey),
}

impl SessionFiles {
    /// Finds the files of a session.
    ///
    /// # Errors
    /// `SessionNotFound` if there is no such session; `Store` if the directory or the store cannot be read.
    pub(super) async fn find(location: &Location, id: SessionId) -> Result<Self> {
        if let Some(project) = location.stored()? {
            return Self::stored(&project.find(&id).await?).await;
        }
        let place = location.resolve().await?;
        blocking(move || Self::on_disk(&place.find(&id)?)).await
    }

    /// Finds the files of a session in a store.
    pub(super) async fn stored(session: &StoredSession) -> Result<Self> {
        let (store, key) = (&session.store, &session.key);
        let files = persist(|| store.files(key)).await.map_err(store_error)?;
        let is_result = |path: &FilePath| {
            let directory = path.as_str().split_once('/');
            directory.is_some_and(|(directory, _)| directory == TOOL_RESULTS)
        };
        let paths = files.into_iter().map(|file| file.path);
        Ok(Self {
            paths: paths.filter(is_result).collect(),
            source: FileSource::Store(Arc::clone(store), key.clone()),
        })
    }

    fn on_disk(session: &Found) -> Result<Self> {
        let directory = session.session_dir();
        let results = directory.join(TOOL_RESULTS);
        let mut paths = Vec::new();
        let listing = match fs::read_dir(&results) {
            Ok(listing) => Some(listing),
            Err(error) if is_absent(&error) => None,
            Err(error) => return Err(file_error("read", &results, error)),
        };
        for file in listing.into_iter().flatten() {
            let file = file.map_err(|error| file_error("read", &results, error))?;
            // A symbolic link could point to any file.
            if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                let name = file.file_name();
                let path = format!("{TOOL_RESULTS}/{}", name.to_string_lossy());
                paths.push(FilePath::new(path).map_err(store_error)?);
            }
        }
        paths.sort_unstable();
        Ok(Self {
            paths: paths.into(),
            source: FileSource::Disk(directory),
        })
    }

    /// Returns the next file and its content; `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<(FilePath, Bytes)>> {
        while let Some(path) = self.paths.pop_front() {
            let content = match &self.source {
                FileSource::Disk(directory) => {
                    let mut file = directory.clone();
                    file.extend(path.as_str().split('/'));
                    Some(blocking(move || read(&file)).await?)
                }
                FileSource::Store(store, key) => {
                    let content = persist(|| store.file(key, &path)).await;
                    content.map_err(store_error)?
                }
            };
            // A file that is gone by now was removed together with its session.
            if let Some(content) = content {
                return Ok(Some((path, content)));
            }
        }
        Ok(None)
    }
}

fn read(path: &std::path::Path) -> Result<Bytes> {
    let mut content = Vec::new();
    open(path)
        .and_then(|mut file| file.read_to_end(&mut content))
        .map_err(|error| file_error("read", path, error))?;
    Ok(content.into())
}
