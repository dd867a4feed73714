//! The places that records are bound to.

use crate::{FilePath, Position, SessionKey, StreamKey};

/// The place of a record, as associated data of its encryption: a record that is moved elsewhere does not decrypt.
pub(super) struct Place(Vec<u8>);

impl Place {
    pub(super) fn entry(stream: &StreamKey, position: Position) -> Self {
        let place = Self::new("entry", stream.session());
        let place = match stream.subpath() {
            Some(subpath) => place.with("subpath").with(subpath),
            None => place.with("main"),
        };
        place.with(position.get().to_le_bytes())
    }

    pub(super) fn summary(session: &SessionKey) -> Self {
        Self::new("summary", session)
    }

    pub(super) fn file(session: &SessionKey, path: &FilePath) -> Self {
        Self::new("file", session).with(path.as_str())
    }

    /// Returns the place of a member of an intent. It includes the name of the tool, which is not encrypted.
    pub(super) fn intent(session: &SessionKey, call: &str, tool: &str, member: &str) -> Self {
        let place = Self::new("intent", session).with(call);
        place.with(tool).with(member)
    }

    pub(super) fn result(session: &SessionKey, call: &str) -> Self {
        Self::new("result", session).with(call)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn new(kind: &str, session: &SessionKey) -> Self {
        let place = Self(Vec::with_capacity(128));
        let place = place.with(kind).with(session.project().as_str());
        place.with(session.session())
    }

    /// Adds a part after its length, so that no two lists of parts are the same bytes.
    fn with(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
        self.0.extend_from_slice(part);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn places_differ() {
        let session = |project, name| SessionKey::new(project, name).unwrap();
        let one = session("p", "s");
        let mut places = vec![
            Place::summary(&one),
            Place::summary(&session("ps", "s")),
            Place::summary(&session("p", "ss")),
            Place::file(&one, &FilePath::new("a").unwrap()),
            Place::file(&one, &FilePath::new("b").unwrap()),
            Place::result(&one, "a"),
            Place::intent(&one, "a", "t", "message"),
            Place::intent(&one, "a", "t", "input"),
            Place::intent(&one, "a", "u", "input"),
            Place::intent(&one, "b", "t", "input"),
        ];
        let streams = [
            one.main(),
            one.stream("main").unwrap(),
            one.stream("a").unwrap(),
        ];
        for position in [0, 1, 256] {
            let entries = streams.iter();
            places.extend(entries.map(|stream| Place::entry(stream, Position::new(position))));
        }
        let distinct: HashSet<_> = places.iter().map(Place::as_bytes).collect();
        assert_eq!(distinct.len(), places.len());
    }
}
