//! A prompt for a session of the fleet.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use uuid::{Builder, Uuid};

/// The namespace of the ids of sessions whose names are not UUIDs.
const SESSION_NAMES: Uuid = Uuid::from_u128(0x5b0f_1c8e_7a43_4d0e_9c55_d2f7_3a61_b84d);

/// One prompt for one session of the fleet.
///
/// The prompts of a session are answered one after another. The id of the work is the uuid of the prompt in the transcript, and stays the same
/// over all attempts: a prompt that was answered is not sent again.
///
/// ```
/// use inhouse_fleet::Work;
///
/// let work = Work::new("customer-42", "Charge 5 dollars").priority(5).dedupe("order-9");
/// assert_eq!(work.tenant, "customer-42");
/// assert_eq!(work.attempt, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Work {
    /// The id of this work, and the uuid of its prompt.
    pub id: WorkId,
    /// The name of the session that the prompt belongs to, chosen by the application.
    pub session: String,
    /// The tenant that the session belongs to: the session itself unless set.
    pub tenant: String,
    /// The text of the prompt.
    pub prompt: String,
    /// The priority: sessions with greater ones come first. The prompts of one session stay in their order.
    pub priority: i32,
    /// The key by which an engine recognizes the same work when it is enqueued again.
    pub dedupe: Option<String>,
    /// The time before which the work does not begin.
    pub not_before: Option<SystemTime>,
    /// The number of this attempt; 1 for the first.
    pub attempt: u32,
    /// Whether the last turn of this work was on another host, as the engine knows it. For [`HostStats::takeovers`](crate::HostStats::takeovers).
    #[serde(default)]
    pub taken_over: bool,
}

/// The id of a [`Work`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkId(Uuid);

impl Work {
    /// Creates work for a session, with a new id.
    ///
    /// ```
    /// use inhouse_fleet::Work;
    ///
    /// let work = Work::new("customer-42", "Hello");
    /// assert_eq!((&*work.session, &*work.prompt), ("customer-42", "Hello"));
    /// ```
    #[must_use]
    pub fn new(session: impl Into<String>, prompt: impl Into<String>) -> Self {
        let session = session.into();
        Self {
            id: WorkId::new(),
            tenant: session.clone(),
            session,
            prompt: prompt.into(),
            priority: 0,
            dedupe: None,
            not_before: None,
            attempt: 1,
            taken_over: false,
        }
    }

    /// Sets the id, for work that the application has named already.
    ///
    /// ```
    /// use inhouse_fleet::{Work, WorkId};
    ///
    /// let id = WorkId::new();
    /// assert_eq!(Work::new("customer-42", "Hello").with_id(id).id, id);
    /// ```
    #[must_use]
    pub fn with_id(mut self, id: WorkId) -> Self {
        self.id = id;
        self
    }

    /// Sets the tenant; the name of the session unless set.
    ///
    /// ```
    /// use inhouse_fleet::Work;
    ///
    /// assert_eq!(Work::new("customer-42", "Hello").tenant("acme").tenant, "acme");
    /// ```
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// Sets the priority of the session while this work is its next one; 0 unless set.
    ///
    /// ```
    /// use inhouse_fleet::Work;
    ///
    /// assert_eq!(Work::new("customer-42", "Hello").priority(5).priority, 5);
    /// ```
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the key by which the same work is recognized when it is enqueued again; none unless set.
    ///
    /// ```
    /// use inhouse_fleet::Work;
    ///
    /// assert_eq!(Work::new("customer-42", "Hello").dedupe("order-9").dedupe.as_deref(), Some("order-9"));
    /// ```
    #[must_use]
    pub fn dedupe(mut self, key: impl Into<String>) -> Self {
        self.dedupe = Some(key.into());
        self
    }

    /// Delays the work by a duration from now.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use inhouse_fleet::Work;
    ///
    /// let work = Work::new("customer-42", "Hello").delay(Duration::from_secs(60));
    /// assert!(work.not_before > Some(SystemTime::now()));
    /// ```
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        self.not_before(SystemTime::now() + delay)
    }

    /// Sets the time before which the work does not begin; at once unless set.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use inhouse_fleet::Work;
    ///
    /// let work = Work::new("customer-42", "Hello").not_before(SystemTime::UNIX_EPOCH);
    /// assert_eq!(work.not_before, Some(SystemTime::UNIX_EPOCH));
    /// ```
    #[must_use]
    pub fn not_before(mut self, time: SystemTime) -> Self {
        self.not_before = Some(time);
        self
    }

    /// Returns the id of the session in the store: its name if that is a UUID, otherwise the UUID of version 5 of its name.
    ///
    /// ```
    /// use inhouse_fleet::Work;
    ///
    /// let id = Work::new("customer-42", "Hello").session_id();
    /// assert_eq!(id, Work::new("customer-42", "And again").session_id());
    /// assert_eq!(id, Work::new(id.to_string(), "Hello").session_id());
    /// ```
    #[must_use]
    pub fn session_id(&self) -> Uuid {
        // Only the form with hyphens and lower-case letters is the id itself, so that two names never mean one session by accident.
        match Uuid::try_parse(&self.session) {
            Ok(id) if id.to_string() == self.session => id,
            _ => name_based(SESSION_NAMES, &[&self.session]),
        }
    }
}

impl WorkId {
    /// Creates a random id.
    ///
    /// ```
    /// use inhouse_fleet::WorkId;
    ///
    /// assert_ne!(WorkId::new(), WorkId::new());
    /// ```
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "two defaults would not be equal"
    )]
    pub fn new() -> Self {
        Self(Uuid::new_v4())
    }

    /// Returns the id as a UUID.
    ///
    /// ```
    /// use inhouse_fleet::WorkId;
    ///
    /// let id = WorkId::new();
    /// assert_eq!(id.as_uuid().to_string(), id.to_string());
    /// ```
    #[must_use]
    pub fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for WorkId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for WorkId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

impl fmt::Display for WorkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the UUID of version 5 of a name, whose parts are separated by a NUL.
pub(crate) fn name_based(namespace: Uuid, parts: &[&str]) -> Uuid {
    let mut hash = Sha1::new();
    hash.update(namespace.as_bytes());
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            hash.update([0]);
        }
        hash.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Builder::from_sha1_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 9562, appendix A.4.
    #[test]
    fn name_based_ids_are_those_of_the_rfc() {
        let dns = Uuid::from_u128(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8);
        let id = name_based(dns, &["www.example.com"]);
        assert_eq!(id.to_string(), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    }

    #[test]
    fn name_in_another_form_of_a_uuid_is_another_session() {
        let id = Uuid::from_u128(0xa1b2_c3d4_e5f6_4711_8899_aabb_ccdd_eeff);
        let named = |name: String| Work::new(name, "Hello").session_id();
        assert_eq!(named(id.to_string()), id);
        assert_ne!(named(id.to_string().to_uppercase()), id);
        assert_ne!(named(id.simple().to_string()), id);
    }

    #[test]
    fn work_survives_serialization() {
        let work = Work::new("customer-42", "Hello").not_before(SystemTime::UNIX_EPOCH);
        let text = serde_json::to_string(&work).unwrap();
        assert_eq!(serde_json::from_str::<Work>(&text).unwrap(), work);
    }
}
