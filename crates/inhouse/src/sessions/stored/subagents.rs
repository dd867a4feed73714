use inhouse_proto::session::{SubagentMetadata, metadata_content};
use inhouse_store::StreamKey;

use super::ends::read_ends;
use super::{StoredSession, StreamReader};
use crate::error::Result;
use crate::sessions::Subagent;
use crate::sessions::subagents::{agent_id, check_id, not_found};

impl StoredSession {
    /// Lists the subagents of the session, in the order of the subpaths of their transcripts.
    pub(in crate::sessions) async fn subagents(&self) -> Result<Vec<Subagent>> {
        let mut subagents = Vec::new();
        for stream in self.transcripts().await? {
            let Some(id) = agent_of(&stream).map(str::to_owned) else {
                continue;
            };
            // The CLI reports the metadata when the subagent starts and when it ends, and an import adds it at the end.
            let ends = read_ends(self.read(stream).await?).await?;
            let metadata = ends.lines_backward().find_map(|line| {
                let content = metadata_content(&String::from_utf8_lossy(line))?;
                Some(SubagentMetadata::decode(&content))
            });
            subagents.push(Subagent {
                id,
                metadata: metadata.unwrap_or_default(),
                transcript: None,
            });
        }
        Ok(subagents)
    }

    /// Returns a reader of the transcript of a subagent.
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if the session has no such subagent; `Store` if the store fails.
    pub(in crate::sessions) async fn subagent(&self, agent: &str) -> Result<StreamReader> {
        check_id(agent)?;
        let mut streams = self.transcripts().await?.into_iter();
        let stream = streams.find(|stream| agent_of(stream) == Some(agent));
        let stream = stream.ok_or_else(|| not_found(&self.id, agent))?;
        self.read(stream).await
    }
}

/// Returns the id of the subagent that a transcript belongs to.
fn agent_of(stream: &StreamKey) -> Option<&str> {
    let path = stream.subpath()?.strip_prefix("subagents/")?;
    agent_id(path.rsplit('/').next()?)
}
